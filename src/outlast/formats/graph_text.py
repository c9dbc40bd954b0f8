"""The dependency graph as Mermaid, DOT, plain text, and as a prompt for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

ICONS: Final = {
    "pending": "○",
    "in_progress": "◐",
    "completed": "●",
    "failed": "✖",
    "skipped": "⊘",
}
_COLORS: Final = {
    "pending": "#eeeeee",
    "in_progress": "#cfe2ff",
    "completed": "#d1e7dd",
    "failed": "#f8d7da",
    "skipped": "#e2e3e5",
}
_MAX_DEPTH: Final = 12
_MERMAID: Final = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;"})
_DOT: Final = str.maketrans({'"': '\\"', "\\": "\\\\"})


def mermaid(state: PlanState) -> str:
    """Draw a Mermaid flow chart."""
    lines = ["graph TD"]
    for task in state.tasks_in_order():
        label = f"{task.id}: {visible(task.name)}".translate(_MERMAID)
        lines.append(f'    t{task.id}["{label}"]:::{task.status}')
    lines += [f"    t{before} --> t{after}" for before, after in _edges(state)]
    used = {task.status for task in state.tasks.values()}
    lines += [f"    classDef {s} fill:{_COLORS[s]}" for s in ICONS if s in used]
    return "\n".join(lines) + "\n"


def dot(state: PlanState) -> str:
    """Draw a Graphviz digraph."""
    lines = ["digraph plan {", '    node [shape=box, style="rounded,filled"];']
    for task in state.tasks_in_order():
        label = f"{task.id}: {visible(task.name)}".translate(_DOT)
        lines.append(f'    t{task.id} [label="{label}", fillcolor="{_COLORS[task.status]}"];')
    lines += [f"    t{before} -> t{after};" for before, after in _edges(state)]
    return "\n".join([*lines, "}"]) + "\n"


def ascii_tree(state: PlanState) -> str:
    """Draw a tree that has each task once, under the last of its dependencies."""
    lines = [_branch(depth) + _line(task) for depth, task in walk(state)]
    return "\n".join(lines) + "\n" if lines else ""


def walk(state: PlanState) -> Iterator[tuple[int, Task]]:
    """Yield each task once with its depth, below the last of its dependencies."""
    tasks, dependents = state.tasks, state.graph.dependents
    waiting = {task.id: len(task.needs) for task in tasks.values() if task.needs}
    stack = [(0, task) for task in reversed(state.graph.order) if task not in waiting]
    while stack:
        depth, task_id = stack.pop()
        yield depth, tasks[task_id]
        freed = []
        for dependent in dependents.get(task_id, ()):
            waiting[dependent] -= 1
            if not waiting[dependent]:
                freed.append(dependent)
        stack += [(depth + 1, task) for task in reversed(state.graph.sort(freed))]


def prompt(state: PlanState) -> str:
    """Describe every task in one line: status, dependencies and what blocks it."""
    progress = state.progress
    lines = [f"Goal: {visible(state.goal)}", f"Progress: {progress.current}/{progress.total}"]
    for task in state.tasks_in_order():
        waits = state.blocked_by(task)
        line = f"{task.id}. [{'blocked' if waits else task.status}] {visible(task.name)}"
        if task.needs:
            line += f" (needs {_ids(task.needs)})"
        if waits:
            line += f" (waiting for {_ids(waits)})"
        lines.append(line)
    ready = state.ready_tasks()
    lines.append(f"Ready now: {_ids(ready) if ready else 'nothing'}")
    return "\n".join(lines) + "\n"


FORMS: Final[dict[str, Callable[[PlanState], str]]] = {
    "mermaid": mermaid,
    "dot": dot,
    "ascii": ascii_tree,
}


def _edges(state: PlanState) -> Iterator[tuple[int, int]]:
    for task in state.tasks_in_order():
        for dependency in task.needs:
            yield dependency, task.id


def _branch(depth: int) -> str:
    if not depth:
        return ""
    return "   " * (min(depth, _MAX_DEPTH) - 1) + ("└─ " if depth <= _MAX_DEPTH else "└⋯ ")


def _line(task: Task) -> str:
    also = f" (needs {_ids(task.needs)})" if len(task.needs) > 1 else ""
    return f"{ICONS[task.status]} {task.id} {visible(task.name)}{also}"


def _ids(tasks: list[int] | tuple[int, ...]) -> str:
    return ", ".join(map(str, tasks))
