"""A model that replies from a script."""
