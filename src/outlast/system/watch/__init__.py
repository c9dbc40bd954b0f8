"""Tell when something in a directory changes."""
