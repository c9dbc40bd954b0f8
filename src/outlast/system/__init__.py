"""The machine: its clock, file system, processes and threads, and the user's own directories."""
