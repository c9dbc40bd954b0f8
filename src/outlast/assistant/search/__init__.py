"""Searching the internet or a file."""
