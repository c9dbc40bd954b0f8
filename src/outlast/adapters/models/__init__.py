"""Models that can be put behind the model port."""
