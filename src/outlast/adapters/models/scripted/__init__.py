"""A model that plays from a script."""
