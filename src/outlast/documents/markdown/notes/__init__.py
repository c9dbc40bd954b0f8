"""Findings, errors, the deliverable and the mission as Markdown."""
