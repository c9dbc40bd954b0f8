"""What is a secret. Pure."""
