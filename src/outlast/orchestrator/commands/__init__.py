"""Commands about the work of several agents."""
