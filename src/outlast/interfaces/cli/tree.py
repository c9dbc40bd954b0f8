"""The plan as a coloured tree for a terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.text import Text
from rich.tree import Tree

from outlast.interfaces.cli.outline import pieces
from outlast.texts import status_words, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.planning import Plan
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.outline import Labels
    from outlast.texts import Language

_AROUND: Final = 5  # lines that are neither a task nor a phase nor news


def plan_tree(plan: Plan, language: Language = "en", labels: Labels | None = None) -> Tree:
    """Return the plan phase by phase, each task with its state and what it waits for."""
    return plan.read(lambda state: _tree(state, language, state.in_order(), labels or {}))


def coloured(plan: Plan, language: Language, labels: Labels | None = None) -> str:
    """Return the tree as a terminal is sent it."""
    out = StringIO()
    console = Console(file=out, force_terminal=True, highlight=False, emoji=False)
    console.print(plan_tree(plan, language, labels), end="")
    return out.getvalue().rstrip("\n")


def frame(plan: Plan, language: Language, recent: list[str], height: int, labels: Labels) -> Group:
    """Return as much of the tree as a terminal has room for, around the work that is open.

    Below it stand the lines that say what happened.
    """
    below = [Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in recent]

    def drawn(state: PlanState) -> Group:
        room = max(1, height - len(state.phases) - len(below) - _AROUND)
        tasks = list(state.in_order())
        open_ones = (at for at, task in enumerate(tasks) if task.status == "in_progress")
        focus = next(open_ones, next((at for at, one in enumerate(tasks) if not one.finished), 0))
        first = max(0, min(focus - room // 2, len(tasks) - room))
        tree = _tree(state, language, tasks[first : first + room], labels)
        left_out = len(tasks) - min(room, len(tasks))
        more = [Text(text("watch_left_out", language, count=left_out), "dim")] if left_out else []
        return Group(tree, *more, "", *below)

    return plan.read(drawn)


def _tree(state: PlanState, language: Language, tasks: Iterable[Task], labels: Labels) -> Tree:
    done = state.progress
    head = Text(visible(state.title), style="bold")
    head.append(
        f"  {done.current}/{done.total} {status_words(state.status, language)}", style="dim"
    )
    tree = Tree(head, guide_style="dim")
    branches = {
        phase.id: tree if len(state.phases) == 1 else tree.add(Text(visible(phase.title), "bold"))
        for phase in state.phases.values()
    }
    for task in tasks:
        branches[task.phase].add(_line(pieces(state, task, language, labels.get(task.id, ""))))
    return tree


def _line(parts: Iterator[tuple[str, str]]) -> Text:
    """Return a line in the style of its first part, which the others add to."""
    line = Text(*next(parts))
    for part in parts:
        line.append(*part)
    return line
