"""`deliverable.md`: what came out of a plan, as somebody put it, else as its tasks tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.note_commands import Deliver
from outlast.formats.markdown.merge.edits import Merge, Report
from outlast.formats.markdown.notes.merged import wish
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

NAME: Final = "deliverable.md"


def render(state: PlanState) -> str:
    """Write what was delivered, or a summary of a completed plan; nothing before that."""
    said = state.notes.deliverable
    if said:
        return said if said.endswith("\n") else f"{said}\n"
    return "\n".join(_summary(state)) + "\n" if state.status == "completed" else ""


def merge(base: PlanState | None, current: PlanState, text: str) -> Merge:
    """Take what people have made of the file as what was delivered; empty, it is told again."""
    mine, now = _plain(text), _plain(render(current))
    before = now if base is None else _plain(render(base))
    if mine in (before, now):
        return Merge()
    if now != before:
        return Merge(reports=(Report("note_clash", {"name": NAME, "line": 1, "title": NAME}),))
    return Merge((wish(1, NAME, (Deliver(without_secrets(mine)),)),))


def _plain(text: str) -> str:
    """Return a text as it is compared, whatever an editor did to the ends of its lines."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")


def _summary(state: PlanState) -> Iterator[str]:
    yield f"# {state.title}"
    yield ""
    yield from _quoted(f"**Objective:** {state.goal}")
    for phase in state.phases.values():
        tasks = [task for task in state.in_order() if task.phase == phase.id]
        if tasks:
            yield from ("", f"## {phase.title}", "")
            for task in tasks:
                yield from _told(task)


def _told(task: Task) -> Iterator[str]:
    how = task.how if task.status == "completed" and task.how else task.status
    yield f"- {task.name} ({how})"
    if task.result:
        yield from ("", *(f"  {line}" for line in _quoted(task.result)), "")


def _quoted(text: str) -> Iterable[str]:
    """Keep headings and lists of others from being taken for ours."""
    return (f"> {line}".rstrip() for line in text.splitlines())
