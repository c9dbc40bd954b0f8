"""The dependency graph as Mermaid, DOT, plain text, and as a prompt for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import STATUS_ICONS, Language, listing, text, visible, with_details

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outlast.model.model import Task
    from outlast.model.state import PlanState

_COLORS: Final = {
    "pending": "#eeeeee",
    "in_progress": "#cfe2ff",
    "completed": "#d1e7dd",
    "failed": "#f8d7da",
    "skipped": "#e2e3e5",
}
_DEEPEST: Final = 36  # characters before the tasks of the last column
_LAST: Final = ("└─ ", "   ")  # before a task, and before its children
_OTHER: Final = ("├─ ", "│  ")
_DEEP: Final = "⋯ "
_MERMAID: Final = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;"})
_DOT: Final = str.maketrans({'"': '\\"', "\\": "\\\\"})


def mermaid(state: PlanState, _language: Language) -> str:
    """Draw a Mermaid flow chart."""
    lines = ["graph TD"]
    for task in state.tasks_in_order():
        label = f"{task.id}: {visible(task.name)}".translate(_MERMAID)
        lines.append(f'    t{task.id}["{label}"]:::{task.status}')
    lines += [f"    t{before} --> t{after}" for before, after in _edges(state)]
    used = {task.status for task in state.tasks.values()}
    lines += [f"    classDef {s} fill:{_COLORS[s]}" for s in _COLORS if s in used]
    return "\n".join(lines) + "\n"


def dot(state: PlanState, _language: Language) -> str:
    """Draw a Graphviz digraph."""
    lines = ["digraph plan {", '    node [shape=box, style="rounded,filled"];']
    for task in state.tasks_in_order():
        label = f"{task.id}: {visible(task.name)}".translate(_DOT)
        lines.append(f'    t{task.id} [label="{label}", fillcolor="{_COLORS[task.status]}"];')
    lines += [f"    t{before} -> t{after};" for before, after in _edges(state)]
    return "\n".join([*lines, "}"]) + "\n"


def ascii_tree(state: PlanState, language: Language) -> str:
    """Draw a tree that has each task once, under the last of its needs.

    Below the deepest column, `⋯` marks a task, and the line names what it needs.
    """
    lines = list(_tree_lines(state, language))
    return "\n".join(lines) + "\n" if lines else ""


def _tree_lines(state: PlanState, language: Language) -> Iterator[str]:
    tasks, dependents = state.tasks, state.graph.dependents
    waiting = {task.id: len(task.needs) for task in tasks.values() if task.needs}
    stack = [(task, "", "") for task in reversed(state.graph.order) if task not in waiting]
    while stack:
        task_id, branch, indent = stack.pop()  # `indent` is what stands before its children
        yield branch + _line(tasks[task_id], language, is_deep=branch.endswith(_DEEP))
        freed = []
        for dependent in dependents.get(task_id, ()):
            waiting[dependent] -= 1
            if not waiting[dependent]:
                freed.append(dependent)
        last_first = reversed(state.graph.sort(freed))
        if len(indent) < _DEEPEST:
            fork = _LAST
            for task in last_first:
                stack.append((task, indent + fork[0], indent + fork[1]))
                fork = _OTHER
        else:
            deep = branch[: -len(_DEEP)] + _DEEP
            stack += [(task, deep, indent) for task in last_first]


def prompt(state: PlanState, language: Language) -> str:
    """Describe every task in one line: status, dependencies and what blocks it."""
    progress = state.progress
    values = {"goal": visible(state.goal), "done": progress.current, "total": progress.total}
    lines = [text("graph_head", language, **values)]
    for task in state.tasks_in_order():
        waits = state.blocked_by(task)
        line = f"{task.id}. [{'blocked' if waits else task.status}] {visible(task.name)}"
        if task.needs:
            line = _with_ids(line, "waits", task.needs, language)
        if waits:
            line = _with_ids(line, "graph_waiting", waits, language)
        lines.append(line)
    ready = state.ready_tasks()
    lines.append(
        text("graph_ready", language, ids=listing(ready, language) or text("nothing", language))
    )
    return "\n".join(lines) + "\n"


FORMS: Final[dict[str, Callable[[PlanState, Language], str]]] = {
    "mermaid": mermaid,
    "dot": dot,
    "ascii": ascii_tree,
    "words": prompt,
}


def _edges(state: PlanState) -> Iterator[tuple[int, int]]:
    for task in state.tasks_in_order():
        for dependency in task.needs:
            yield dependency, task.id


def _line(task: Task, language: Language, *, is_deep: bool) -> str:
    line = f"{STATUS_ICONS[task.status]} {task.id} {visible(task.name)}"
    if is_deep or len(task.needs) > 1:
        return _with_ids(line, "waits", task.needs, language)
    return line


def _with_ids(line: str, key: str, ids: Iterable[int], language: Language) -> str:
    return with_details(line, text(key, language, ids=listing(ids, language)), language)
