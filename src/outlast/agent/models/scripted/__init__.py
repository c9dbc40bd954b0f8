"""Models that answer by a script."""
