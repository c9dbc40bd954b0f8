"""Command lines, read against the tables of commands."""
