"""The plan as a coloured tree for a terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.text import Text
from rich.tree import Tree

from outlast.interfaces.cli.render.outline import pieces
from outlast.texts import status_words, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.render.outline import Labels
    from outlast.texts import Language

_AROUND: Final = 5  # lines that are neither a task nor a phase nor news
_GLANCE: Final = 20  # tasks that are shown where the whole plan is not asked for
_TIGHT: Final = 10  # lines of a terminal that has room for nothing else
Size = tuple[int, int]  # columns and lines


def plan_tree(plan: Plan, language: Language = "en", labels: Labels | None = None) -> Tree:
    """Return the plan phase by phase, each task with its state and what it waits for."""
    return plan.read(lambda state: _tree(state, language, state.in_order(), labels or {}))


def coloured(plan: Plan, language: Language, labels: Labels | None = None) -> str:
    """Return the tree as a terminal is sent it."""
    return _sent(plan_tree(plan, language, labels))


def glance(plan: Plan, language: Language, labels: Labels) -> str:
    """Return the tree as a terminal is sent it, and of a long plan the part that matters now."""

    def seen(state: PlanState) -> Group | Tree:
        if len(state.tasks) <= _GLANCE:
            return _tree(state, language, state.in_order(), labels)
        tasks = _around_work(state, _GLANCE)
        return Group(_tree(state, language, tasks, labels), _left_out(state, tasks, language))

    return _sent(plan.read(seen))


def _sent(shown: Group | Tree) -> str:
    out = StringIO()
    console = Console(file=out, force_terminal=True, highlight=False, emoji=False)
    console.print(shown, end="")
    return out.getvalue().rstrip("\n")


def frame(plan: Plan, language: Language, below: list[Text], size: Size, labels: Labels) -> Group:
    """Return as much of the tree as a terminal has room for, around the work that is open.

    Below it stand lines about what happens.
    """
    width, height = size

    def drawn(state: PlanState) -> Group:
        if height < _TIGHT:
            tasks = _around_work(state, max(1, height - len(below) - 2))
            return Group(_tree(state, language, tasks, labels, width), *below)
        tasks = _around_work(state, max(1, height - len(state.phases) - len(below) - _AROUND))
        more = [_left_out(state, tasks, language)] if len(tasks) < len(state.tasks) else []
        return Group(_tree(state, language, tasks, labels, width), *more, "", *below)

    return plan.read(drawn)


def _around_work(state: PlanState, room: int) -> list[Task]:
    """Return so many tasks, with the work that is open in the middle."""
    tasks = list(state.in_order())
    open_ones = (at for at, task in enumerate(tasks) if task.status == "in_progress")
    focus = next(open_ones, next((at for at, one in enumerate(tasks) if not one.finished), 0))
    first = max(0, min(focus - room // 2, len(tasks) - room))
    return tasks[first : first + room]


def _left_out(state: PlanState, shown: list[Task], language: Language) -> Text:
    return Text(text("watch_left_out", language, count=len(state.tasks) - len(shown)), "dim")


def _tree(
    state: PlanState,
    language: Language,
    tasks: Iterable[Task],
    labels: Labels,
    width: int = 0,
) -> Tree:
    """Return some tasks as a tree; where its width is given, in one row each."""
    tree = Tree(_head(state, language, width), guide_style="dim")
    branches = {
        phase.id: tree if len(state.phases) == 1 else tree.add(Text(visible(phase.title), "bold"))
        for phase in state.phases.values()
    }
    for task in tasks:
        line = _line(pieces(state, task, language, labels.get(task.id, "")))
        if width:
            line.no_wrap, line.overflow = True, "ellipsis"
        branches[task.phase].add(line)
    return tree


def _head(state: PlanState, language: Language, width: int) -> Text:
    """Return the title, with how far the plan is; that much is seen in any width."""
    done = state.progress
    far = Text(f"  {done.current}/{done.total} {status_words(state.status, language)}", "dim")
    head = Text(visible(state.title), "bold")
    if width:
        head.truncate(max(1, width - far.cell_len), overflow="ellipsis")
        head.no_wrap = True
    return head.append_text(far)


def _line(parts: Iterator[tuple[str, str]]) -> Text:
    """Return a line in the style of its first part, which the others add to."""
    line = Text(*next(parts))
    for part in parts:
        line.append(*part)
    return line
