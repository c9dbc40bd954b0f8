"""Todos and appointments of the assistant (R3.10). They are no tasks of a plan."""
