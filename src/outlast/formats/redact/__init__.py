"""Redact secrets before text is written or shown."""
