"""Build the assistant: its tasks, its agenda, its search."""
