"""Messages of the orchestrator, its mailboxes and its report."""
