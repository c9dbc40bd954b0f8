"""Parse a command line against the table of commands."""
