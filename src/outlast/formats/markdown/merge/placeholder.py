"""What commands and anchors call tasks and phases that are not there yet: by their lines."""

from __future__ import annotations


def new_task(line: int) -> int:
    """Return what the task of a new line is called."""
    return -line


def new_phase(line: int) -> str:
    """Return what the phase of a new heading is called; ids are made of letters and numbers."""
    return f"+{line}"


def is_new(phase: str) -> bool:
    """Tell whether a phase is not there yet."""
    return phase.startswith("+")
