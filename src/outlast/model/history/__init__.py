"""The past of a plan: undo, differences, records."""
