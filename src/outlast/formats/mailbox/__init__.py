"""The files of a mailbox: commands to a coding agent, and its reports (R1.02, R1.03)."""
