"""What coding agents write to the standard input of a hook, and what they read from its output."""
