"""Plans in files."""
