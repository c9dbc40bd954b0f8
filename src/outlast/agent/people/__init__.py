"""Asking and telling people."""
