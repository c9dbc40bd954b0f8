"""The command line: `main` parses a call, runs the command and prints its answer."""
