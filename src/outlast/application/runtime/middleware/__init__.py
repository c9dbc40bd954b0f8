"""Middleware: one concern around every effect, composed in `pipeline`."""
