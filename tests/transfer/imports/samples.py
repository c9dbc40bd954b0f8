"""Plans of other tools, as these tools write them, and the plans that they become."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.state import PlanState
from outlast.testing import FixedClock
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.plan_document import read_source

if TYPE_CHECKING:
    from outlast.model.model import Task

HERE: Final = Path(__file__).parent / "samples"
NOW: Final = FixedClock()()


def read_sample(name: str, form: str | None = None, directory: str = "") -> PlanDocument:
    """Read a sample: a file, or all files of a directory, the one with the plan first."""
    place = HERE / name
    if place.is_file():
        return read_text(place.read_bytes(), form, directory)
    found = sorted(place.iterdir(), key=lambda file: (file.name != "task_plan.md", file.name))
    files = {file.name: file.read_bytes() for file in found}
    is_directory = "task_plan.md" not in files
    form = form or (None if is_directory else "planning-with-files")
    source = ImportSource(name, files, directory, is_directory=is_directory)
    return read_source(source, form, "plan_new", NOW)


def read_text(text: str | bytes, form: str | None = None, directory: str = "") -> PlanDocument:
    """Read the plan in a text."""
    data = text if isinstance(text, bytes) else text.encode()
    source = ImportSource("document", {"document": data}, directory)
    return read_source(source, form, "plan_new", NOW)


def create(document: PlanDocument) -> PlanState:
    """Return the plan that a document becomes."""
    state = PlanState(NOW)
    execute(state, (document.plan,), NOW)
    for command in (c.KeepProse(document.prose), *document.notes):
        execute(state, (command,), NOW)
    return state


def row(task: Task) -> tuple[int, str, str, tuple[int, ...]]:
    """Return what a list of tasks shows."""
    return task.id, task.name, task.status, task.needs


def prose_text(document: PlanDocument) -> str:
    """Return all prose of a document."""
    return "\n".join(line for block in document.prose for line in block.lines)
