"""History: undo, diff, and rebuilding or salvaging a plan whose journal is damaged."""
