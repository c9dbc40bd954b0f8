"""Outlast inside coding agents: their sessions, and their settings."""
