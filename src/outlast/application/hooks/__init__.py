"""Hooks: built-in rules, a user's own hooks, and the engine that calls both."""
