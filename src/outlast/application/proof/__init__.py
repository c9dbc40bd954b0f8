"""Proof: run checks around an attempt, and label how well a completion is established."""
