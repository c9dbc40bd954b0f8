"""The plan as a coloured tree for a terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from outlast.interfaces.cli.outline import pieces
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.planning import Plan
    from outlast.domain.state import PlanState
    from outlast.texts import Language


def plan_tree(plan: Plan, language: Language = "en") -> Tree:
    """Return the plan phase by phase, each task with its state and what it waits for."""
    return plan.read(lambda state: _tree(state, language))


def coloured(plan: Plan, language: Language) -> str:
    """Return the tree as a terminal is sent it."""
    out = StringIO()
    console = Console(file=out, force_terminal=True, highlight=False, emoji=False)
    console.print(plan_tree(plan, language), end="")
    return out.getvalue().rstrip("\n")


def _tree(state: PlanState, language: Language) -> Tree:
    done = state.progress
    head = Text(visible(state.title), style="bold")
    head.append(f"  {done.current}/{done.total} {state.status}", style="dim")
    tree = Tree(head, guide_style="dim")
    branches = {
        phase.id: tree if len(state.phases) == 1 else tree.add(Text(visible(phase.title), "bold"))
        for phase in state.phases.values()
    }
    for task in state.in_order():
        branches[task.phase].add(_line(pieces(state, task, language)))
    return tree


def _line(parts: Iterator[tuple[str, str]]) -> Text:
    """Return a line in the style of its first part, which the others add to."""
    line = Text(*next(parts))
    for part in parts:
        line.append(*part)
    return line
