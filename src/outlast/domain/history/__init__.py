"""The history of a plan: undo, diff, rebuild, salvage."""
