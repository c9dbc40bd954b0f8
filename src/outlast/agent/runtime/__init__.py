"""Executing the effects of a loop."""
