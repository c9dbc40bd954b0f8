"""The plan as a coloured tree for a terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.text import Text
from rich.tree import Tree

from outlast.console.render.outline import Labels, phase_title, task_parts
from outlast.language import Language, status_words, text, visible
from outlast.plan.core import holder_state
from outlast.plan.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from outlast.model.model import Task
    from outlast.model.state import PlanState

_AROUND: Final = 5  # lines that are not a task, a phase or an event
_GLANCE: Final = 20  # tasks in a glance
_TIGHT: Final = 10  # a terminal with fewer lines shows the tasks only
Size = tuple[int, int]  # columns and lines


def plan_tree(plan: Plan, language: Language = "en", labels: Labels | None = None) -> Tree:
    """Return the plan phase by phase, each task with its status and what it waits for."""
    moment = plan.core.now()

    def build(state: PlanState) -> Tree:
        head = _head(state, language, moment)
        return _tree(head, state, language, state.tasks_in_order(), labels or {})

    return plan.core.read(build)


def render_tree(plan: Plan, language: Language, labels: Labels | None = None) -> str:
    """Return the tree with its terminal codes."""
    return _render(plan_tree(plan, language, labels))


def render_glance(plan: Plan, language: Language, labels: Labels) -> str:
    """Return the tree with its terminal codes; of a long plan only the current part."""
    moment = plan.core.now()

    def build(state: PlanState) -> Group | Tree:
        head = _head(state, language, moment)
        if len(state.tasks) <= _GLANCE:
            return _tree(head, state, language, state.tasks_in_order(), labels)
        tasks = _tasks_around_work(state, _GLANCE)
        tree = _tree(head, state, language, tasks, labels)
        return Group(tree, _omitted_line(state, tasks, language))

    return _render(plan.core.read(build))


def render_lines(lines: Iterable[Iterable[tuple[str, str]]]) -> str:
    """Return lines with their terminal codes; each is a sequence of texts with their styles."""
    rows = [Text.assemble(*parts, no_wrap=True, overflow="ignore") for parts in lines]
    return _render(Group(*rows))


def _render(content: Group | Tree) -> str:
    out = StringIO()
    console = Console(file=out, force_terminal=True, highlight=False, emoji=False)
    console.print(content, end="")
    return out.getvalue().rstrip("\n")


def fit_to_terminal(
    plan: Plan, language: Language, below: list[Text], size: Size, labels: Labels
) -> Group:
    """Return as much of the tree, around the current work, as fits a terminal above these lines."""
    (width, height), moment = size, plan.core.now()

    def build(state: PlanState) -> Group:
        head = _head(state, language, moment, width)
        if height < _TIGHT:
            tasks = _tasks_around_work(state, max(1, height - len(below) - 2))
            return Group(_tree(head, state, language, tasks, labels), *below)
        tasks = _tasks_around_work(state, max(1, height - len(state.phases) - len(below) - _AROUND))
        more = [_omitted_line(state, tasks, language)] if len(tasks) < len(state.tasks) else []
        return Group(_tree(head, state, language, tasks, labels), *more, "", *below)

    return plan.core.read(build)


def _tasks_around_work(state: PlanState, room: int) -> list[Task]:
    """Return so many tasks, with the current work in the middle."""
    tasks = list(state.tasks_in_order())
    open_ones = (at for at, task in enumerate(tasks) if task.status == "in_progress")
    focus = next(open_ones, next((at for at, task in enumerate(tasks) if not task.finished), 0))
    first = max(0, min(focus - room // 2, len(tasks) - room))
    return tasks[first : first + room]


def _omitted_line(state: PlanState, tasks: list[Task], language: Language) -> Text:
    return Text(text("watch_left_out", language, count=len(state.tasks) - len(tasks)), "dim")


def _tree(
    head: Text, state: PlanState, language: Language, tasks: Iterable[Task], labels: Labels
) -> Tree:
    """Return some tasks as a tree, each in one row if the head is."""
    tree = Tree(head, guide_style="dim")
    branches = {
        phase.id: tree.add(Text(phase_title(phase, language), "bold"))
        if len(state.phases) > 1
        else tree
        for phase in state.phases.values()
    }
    for task in tasks:
        line = _styled_line(task_parts(state, task, language, labels.get(task.id, "")))
        if head.no_wrap:
            line.no_wrap, line.overflow = True, "ellipsis"
        branches[task.phase].add(line)
    return tree


def _head(state: PlanState, language: Language, moment: datetime, width: int = 0) -> Text:
    """Return the title, the progress and the key; with a width, what fits of the title, no key."""
    progress = state.progress
    words = status_words(state.condition(moment, holder_state), language)
    status = f"  {progress.current}/{progress.total} {words}"
    key = f"  [{visible(state.key)}]" if state.key and not width else ""
    progress_text = Text(f"{status}{key}", "dim")
    head = Text(visible(state.title), "bold")
    if width:
        head.truncate(max(1, width - progress_text.cell_len), overflow="ellipsis")
        head.no_wrap = True
    return head.append_text(progress_text)


def _styled_line(parts: Iterator[tuple[str, str]]) -> Text:
    """Return a line in the style of its first part, to which the others add theirs."""
    line = Text(*next(parts))
    for part in parts:
        line.append(*part)
    return line
