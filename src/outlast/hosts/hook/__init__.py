"""The process that a coding agent starts for a hook."""
