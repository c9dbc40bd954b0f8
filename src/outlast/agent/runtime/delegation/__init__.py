"""Executing what a loop delegates to an agent."""
