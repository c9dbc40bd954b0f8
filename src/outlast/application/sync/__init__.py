"""Sync: people's edits in the view files become commands."""
