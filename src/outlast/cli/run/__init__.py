"""Running agents for a command."""
