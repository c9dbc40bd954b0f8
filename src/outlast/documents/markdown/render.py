"""Render a plan as `task_plan.md`, in the form of the document and with what that leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.documents.markdown import syntax
from outlast.documents.markdown.elements import (
    begins_with_bullet,
    is_separated,
    reference_words,
    shown_result,
)
from outlast.documents.markdown.rejected import prose_lines
from outlast.language import times
from outlast.model.model import Phase, Task, write_rule
from outlast.model.phase_status import drawn_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.state import PlanState


def render(state: PlanState, *, bare: bool = False, mark: str = "") -> str:
    """Return the file; the `bare` form is exactly that of the document.

    It has no ids, no revision, no descriptions, and of a task's outcome only its status. `mark` is
    that of the commit that led to the plan's revision (`Store.mark_of`).
    """
    return "\n".join(_Renderer(state, bare=bare, mark=mark).lines()) + "\n"


class _Renderer:
    """Renders one plan; takes prose out of `_prose` where it belongs."""

    def __init__(self, state: PlanState, *, bare: bool, mark: str) -> None:
        self._state = state
        self._bare = bare
        self._mark = mark
        self._words = reference_words(state, ids=not bare)
        self._tasks: dict[str, list[Task]] = {phase: [] for phase in state.phases}
        for task in state.tasks_in_order():
            self._tasks[task.phase].append(task)
        self._prose = prose_lines(state, ids=not bare)
        self._all_prose = [*self._prose.values()]

    def lines(self) -> list[str]:
        """Return all lines."""
        state, progress = self._state, self._state.progress
        lines = [
            *_with_blank(self._prose.pop("top", ())),
            f"# {syntax.escape(state.title)}",
            "",
            *syntax.quote_goal(state.goal),
            "",
            f"> **Progress:** {progress.current}/{progress.total} steps completed",
            "",
            *_with_blank(self._prose.pop("head", ())),
            syntax.RULE,
            "",
        ]
        for phase in state.phases.values():
            lines += self._phase(phase)
        return lines + self._footer()

    def _phase(self, phase: Phase) -> list[str]:
        tasks = self._tasks[phase.id]
        icon = syntax.ICONS[drawn_status(self._state, phase.id, tasks)]
        lines = [f"## {icon} Phase: {syntax.escape(phase.title)}", ""]
        if phase.notes:
            lines += [*syntax.quote(phase.notes), ""]
        prose = self._prose.pop(f"phase:{phase.id}", ())
        if prose and is_separated(prose):
            lines.append(syntax.SEPARATOR)
        lines += _with_blank(prose)
        for task in tasks:
            lines += self._task(task)
        return [*lines, ""]

    def _task(self, task: Task) -> Iterable[str]:
        box = "x" if task.status == "completed" else " "
        number = "" if self._bare else f"**{task.id}** "
        yield f"- [{box}] {syntax.ICONS[task.status]} {number}{syntax.escape_name(task.name)}"
        if task.description and not self._bare:
            from outlast.documents.markdown.description import description_lines

            yield from description_lines(task.description, self._all_prose)
        if task.needs or task.checks or task.run or task.files or task.protect:
            yield from _attributes(task, map(self._words.__getitem__, task.needs))
        if (task.result or task.how == "assumed") and not self._bare:
            yield from _outcome(task)
        prose = self._prose.pop(f"task:{task.id}", ())
        if prose and begins_with_bullet(prose):
            yield syntax.SEPARATOR
        yield from prose

    def _footer(self) -> list[str]:
        after = self._prose.pop("after", ())
        end = self._prose.pop("end", ())
        left = self._prose.values()  # of removed tasks and phases
        orphans = [line for lines in left if any(map(str.strip, lines)) for line in lines]
        lines = [syntax.RULE, *_with_blank((*end, *orphans))]
        lines.append(f"*Last updated: {times.write_milliseconds(self._state.updated_at)}*")
        if not self._bare:
            lines.append(syntax.closing_line(self._state.revision, self._mark))
        return [*lines, "", *after] if after else lines


def _with_blank(lines: tuple[str, ...]) -> tuple[str, ...]:
    return (*lines, "") if lines else ()


def _attributes(task: Task, needs: Iterable[str]) -> list[str]:
    """Return the indented lines below a task; `needs` are the words for its dependencies."""
    lines = [f"  - needs: {', '.join(needs)}"] if task.needs else []
    lines += [f"  - check: {syntax.escape(write_rule(check))}" for check in task.checks]
    if task.run:
        lines.append(f"  - run: {syntax.escape(task.run)}")
    for keyword, items in (("files", task.files), ("protect", task.protect)):
        if items:
            lines.append(f"  - {keyword}: {', '.join(map(syntax.escape_item, items))}")
    return lines


def _outcome(task: Task) -> Iterable[str]:
    """Return the lines about how a task ended, which the document's form does not have."""
    if task.is_assumed:
        yield f"  - status: {syntax.ASSUMED}"
    if result := shown_result(task.result):
        yield f"  - result: {syntax.escape(result)}"
