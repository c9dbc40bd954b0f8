"""Slash commands: read, and answered."""
