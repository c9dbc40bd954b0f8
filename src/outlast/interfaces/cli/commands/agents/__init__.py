"""Outlast inside coding agents."""
