"""Several agents at work on one plan."""
