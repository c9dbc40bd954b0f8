"""Render `deliverable.md`: the recorded deliverable, else the answer and a summary of the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.model import Task
    from outlast.model.state import PlanState

NAME: Final = "deliverable.md"


def render(state: PlanState) -> str:
    """Return the deliverable; of a plan that has ended without one, the answer and a summary.

    A plan that was aborted has a summary only if agents have worked on it (R1.09).
    """
    text = state.notes.deliverable
    if text:
        return text if text.endswith("\n") else f"{text}\n"
    if state.status != "completed" and not _is_aborted_mission(state):
        return ""
    answer = state.notes.answer.strip()
    return "\n".join((*((answer, "") if answer else ()), *_summary(state), ""))


def _is_aborted_mission(state: PlanState) -> bool:
    ledger = state.ledger
    return state.hold == "aborted" and bool(ledger.reports or ledger.decisions)


def _summary(state: PlanState) -> Iterator[str]:
    yield f"# {state.title}"
    yield ""
    yield from _quote(f"**Objective:** {state.goal}")
    for phase in state.phases.values():
        tasks = [task for task in state.tasks_in_order() if task.phase == phase.id]
        if tasks:
            yield from ("", f"## {phase.title}", "")
            for task in tasks:
                yield from _task_lines(task)


def _task_lines(task: Task) -> Iterator[str]:
    how = task.how if task.status == "completed" and task.how else task.status
    yield f"- {task.name} ({how})"
    if task.result:
        yield from ("", *(f"  {line}" for line in _quote(task.result)), "")


def _quote(text: str) -> Iterable[str]:
    """Quote a text, so that its headings and lists are not part of the summary."""
    return (f"> {line}".rstrip() for line in text.splitlines())
