"""The plan as a coloured tree for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text
from rich.tree import Tree

from outlast.formats.graph_text import ICONS
from outlast.texts import text, visible

if TYPE_CHECKING:
    from outlast.application.planning import Plan
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.texts import Language

_STYLES: Final = {
    "pending": "default",
    "in_progress": "bold cyan",
    "completed": "green",
    "failed": "bold red",
    "skipped": "dim strike",
}


def plan_tree(plan: Plan, language: Language = "en") -> Tree:
    """Return the plan phase by phase, each task with its state and what it waits for."""
    return plan.read(lambda state: _tree(state, language))


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
        branches[task.phase].add(_line(task, state.blocked_by(task), language))
    return tree


def _line(task: Task, waits: list[int], language: Language) -> Text:
    line = Text(f"{ICONS[task.status]} ", _STYLES[task.status])
    line.append(f"{task.id} ", "dim")
    line.append(visible(task.name), "dim" if waits else _STYLES[task.status])
    if waits:
        line.append("  " + text("waits", language, ids=waits), "dim italic")
    if task.result:
        line.append(f"  → {visible(task.result)}", "dim green")
    elif task.error:
        line.append(f"  ! {visible(task.error)}", "red")
    return line
