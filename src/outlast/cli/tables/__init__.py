"""Tables of commands: about plans, tasks, runs and the program."""
