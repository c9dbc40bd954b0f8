"""Edits in views become commits."""
