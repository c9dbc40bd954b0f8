"""Commands about plans, tasks, runs and the program."""
