"""Commands about the tasks of a plan."""
