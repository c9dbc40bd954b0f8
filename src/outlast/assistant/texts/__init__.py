"""Messages of the assistant and of its agenda."""
