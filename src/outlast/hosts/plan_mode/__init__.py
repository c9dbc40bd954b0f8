"""Plans that a coding agent made in its plan mode."""
