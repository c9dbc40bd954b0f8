"""Whether a message claims that work is done."""
