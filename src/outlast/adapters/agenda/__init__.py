"""Adapters of the agenda port: a database in the user's data directory."""
