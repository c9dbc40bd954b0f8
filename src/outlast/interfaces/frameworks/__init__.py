"""A plan for agents that are built with other people's frameworks."""
