"""A plan in a coding agent's own session: what its events change, and what it is told."""
