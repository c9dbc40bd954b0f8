"""Render a plan as `task_plan.md`, byte for byte in the form of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.phase_status import phase_status
from outlast.formats import times
from outlast.formats.checks import write_rule
from outlast.formats.markdown.escape import escape, escape_item, escape_name, quote, quote_goal
from outlast.formats.markdown.references import reference_words
from outlast.formats.markdown.rejected import prose_lines
from outlast.formats.markdown.syntax import ICONS, RULE, SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState


def render(state: PlanState, *, ids: bool = True) -> str:
    """Return the file; `ids=False` leaves out the comments with ids and revision."""
    return "\n".join(_Renderer(state, ids=ids).lines()) + "\n"


class _Renderer:
    """Renders one plan; takes prose out of `_prose` where it belongs."""

    def __init__(self, state: PlanState, *, ids: bool) -> None:
        self._state = state
        self._ids = ids
        self._words = reference_words(state, ids=ids)
        self._tasks: dict[str, list[Task]] = {phase: [] for phase in state.phases}
        for task in state.tasks_in_order():
            self._tasks[task.phase].append(task)
        self._prose = prose_lines(state, ids=ids)

    def lines(self) -> list[str]:
        """Return all lines."""
        state, progress = self._state, self._state.progress
        lines = [
            *_with_blank(self._prose.pop("top", ())),
            f"# {escape(state.title)}",
            "",
            *quote_goal(state.goal),
            "",
            f"> **Progress:** {progress.current}/{progress.total} steps completed",
            "",
            *_with_blank(self._prose.pop("head", ())),
            RULE,
            "",
        ]
        for phase in state.phases.values():
            lines += self._phase(phase)
        return lines + self._footer()

    def _phase(self, phase: Phase) -> list[str]:
        icon = ICONS[phase_status(self._state, phase.id)]
        lines = [f"## {icon} Phase: {escape(phase.title)}", ""]
        if phase.notes:
            lines += [*quote(phase.notes), ""]
        prose = self._prose.pop(f"phase:{phase.id}", ())
        if prose and not phase.notes and prose[0].lstrip().startswith(">"):
            lines.append(SEPARATOR)
        lines += _with_blank(prose)
        for task in self._tasks[phase.id]:
            lines += self._task(task)
        return [*lines, ""]

    def _task(self, task: Task) -> Iterable[str]:
        box = "x" if task.status == "completed" else " "
        line = f"- [{box}] {ICONS[task.status]} {escape_name(task.name)}"
        yield f"{line} <!-- t{task.id} -->" if self._ids else line
        yield from _attributes(task, map(self._words.__getitem__, task.needs))
        yield from self._prose.pop(f"task:{task.id}", ())

    def _footer(self) -> list[str]:
        after = self._prose.pop("after", ())
        end = self._prose.pop("end", ())
        left = self._prose.values()  # of removed tasks and phases
        orphans = [line for lines in left if any(map(str.strip, lines)) for line in lines]
        lines = [RULE, *_with_blank((*end, *orphans))]
        lines.append(f"*Last updated: {times.write_milliseconds(self._state.updated_at)}*")
        if self._ids:
            lines.append(f"<!-- outlast r{self._state.revision} -->")
        return [*lines, "", *after] if after else lines


def _with_blank(lines: tuple[str, ...]) -> tuple[str, ...]:
    return (*lines, "") if lines else ()


def _attributes(task: Task, needs: Iterable[str]) -> list[str]:
    """Return the indented lines below a task; `needs` are the words for its dependencies."""
    lines = [f"  - needs: {', '.join(needs)}"] if task.needs else []
    lines += [f"  - check: {escape(write_rule(check))}" for check in task.checks]
    if task.run:
        lines.append(f"  - run: {escape(task.run)}")
    lines += _list_line("files", task.files)
    return lines + _list_line("protect", task.protect)


def _list_line(keyword: str, items: tuple[str, ...]) -> list[str]:
    return [f"  - {keyword}: {', '.join(map(escape_item, items))}"] if items else []
