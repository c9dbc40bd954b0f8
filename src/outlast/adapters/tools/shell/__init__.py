"""The `bash` tool: parse a command, decide whether to ask, run it."""
