"""Views of a plan as files."""
