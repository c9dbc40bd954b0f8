"""Reach people: questions at the terminal, notifications."""
