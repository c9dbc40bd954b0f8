"""How people name tasks: `3`, `#3`, `step_3`."""

from __future__ import annotations


def reference(given: str) -> str:
    """Return a task's name as the plan knows it."""
    return given.removeprefix("#")


def references(given: tuple[str, ...]) -> list[str]:
    """Return the tasks of lists such as `1,2`."""
    return [reference(one) for many in given for one in many.replace(",", " ").split()]


def is_number(given: str) -> bool:
    """Tell whether a word names a task by its number."""
    digits = reference(given).removeprefix("step_")
    return digits.isascii() and digits.isdigit()
