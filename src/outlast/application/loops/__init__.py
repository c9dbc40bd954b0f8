"""Loops: pure generators of effects."""
