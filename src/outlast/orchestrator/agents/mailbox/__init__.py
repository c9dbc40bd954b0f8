"""Agents that are reached through files."""
