"""Commands about coding agents."""
