"""Messages of loops, runs and models."""
