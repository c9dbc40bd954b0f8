"""A model's text to validated data."""
