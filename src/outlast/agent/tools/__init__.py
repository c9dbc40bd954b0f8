"""Tools: files, the shell, functions of users."""
