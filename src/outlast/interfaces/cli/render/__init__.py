"""Render answers for people and, with `--json`, for programs."""
