"""Edits of `task_plan.md` in tests, as people make them: they leave the numbers of tasks alone."""

import re
from pathlib import Path

_NUMBER = r"(\*\*\d+\*\* )?"
_ICON = re.compile(r"([○◐●⊘✖]) ")


def change(file: Path, old: str, new: str) -> None:
    """Replace text in a file; each task keeps the number behind its icon."""
    content = file.read_text("utf-8")
    pattern = _NUMBER.join(map(re.escape, re.split(r"(?<=[○◐●⊘✖] )", old)))
    match = re.search(pattern, content)
    assert match, content
    numbers = iter(number or "" for number in match.groups())
    new = _ICON.sub(lambda icon: icon[0] + next(numbers, ""), new)
    file.write_text(content[: match.start()] + new + content[match.end() :], "utf-8")


def read_lines(file: Path) -> str:
    """Return what a file says without the numbers of its tasks."""
    return re.sub(r"(?<=[○◐●⊘✖] )\*\*\d+\*\* ", "", file.read_text("utf-8"))
