"""A mailbox: directories through which the orchestrator and coding agents exchange files (R1)."""
