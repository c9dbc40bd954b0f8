"""Formats: render, parse and merge the files that hold or show a plan. Pure functions, no I/O."""
