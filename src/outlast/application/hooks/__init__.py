"""Rules that are asked at certain points of an agent's work, one a file, and the engine."""
