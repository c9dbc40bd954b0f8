"""Plans from other programs, and documents of plans."""
