"""Coding agents on this machine: their sessions, their settings."""
