"""Todos and appointments."""
