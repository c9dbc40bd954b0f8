"""What can be set, and where each setting comes from."""
