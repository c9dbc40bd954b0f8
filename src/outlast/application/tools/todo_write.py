"""`todo_write` (R4.10): a list that the model keeps for itself, and in the plan if it wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.tools.outcome import Outcome
from outlast.application.tools.plan_read import is_blank
from outlast.domain import commands as c
from outlast.domain.model import MAIN_PHASE
from outlast.errors import InvalidArgument, OutlastError, Refused
from outlast.formats.markdown.marks import ICONS
from outlast.formats.redact.fast import without_secrets
from outlast.ports.events import Todo
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.application.plan.advance import Advancing
    from outlast.application.tools.compact_arguments import TodoItem
    from outlast.domain.model import Order
    from outlast.domain.state import PlanState

_TURNS: Final = ("completed", "in_progress", "pending")


def todo_write(
    plan: Advancing,
    items: tuple[TodoItem, ...],
    persist: bool,  # noqa: FBT001 - the document's argument
    title: str | None,
) -> Outcome:
    """Replace the list in memory; with `persist` also bring the plan into line with it."""
    todos = tuple(Todo(item.content, item.status, item.active_form) for item in items)
    if not persist:
        return Outcome(_listed(todos), todos=todos)
    try:
        empty = plan.read(lambda state: not state.tasks)
        said = _adopted(plan, items, title) if empty else _followed(plan, items, todos)
    except OutlastError as error:
        return _not_persisted(error, todos)
    return Outcome(said, todos=todos)


def _not_persisted(error: OutlastError, todos: tuple[Todo, ...]) -> Outcome:
    problem = str(error)
    if error.text != "plan_title_needed":
        problem = text("persist_failed", problem=problem)
    return Outcome(problem, error.code, todos)


def _listed(todos: Sequence[Todo]) -> str:
    done = sum(todo.status == "completed" for todo in todos)
    lines = (f"{ICONS[todo.status]} {visible(todo.content)}" for todo in todos)
    return "\n".join((text("todo_updated", done=done, total=len(todos)), *lines))


# A plan without tasks takes the list over


def _adopted(plan: Advancing, items: Sequence[TodoItem], title: str | None) -> str:
    commands = plan.read(lambda state: tuple(_adopting(state, items, title, plan.actor)))
    made = plan.commit(commands, lambda state, _: (state.title, len(state.tasks)))
    return text("todo_created", title=visible(made[0]), steps=made[1])


def _adopting(
    state: PlanState, items: Sequence[TodoItem], title: str | None, actor: str
) -> Iterator[c.Command]:
    """Yield what makes an empty plan the one of the list; all of it is one commit."""
    if is_blank(state):
        if not title:
            raise InvalidArgument("plan_title_needed", argument="planTitle")
        yield c.EditPlan(goal=text("todo_objective"), title=title)
    elif title:
        yield c.EditPlan(title=title)
    yield c.EditPlan(order=_order(items))
    if items:
        yield c.AddTasks(tuple(_new(state, item) for item in items))
    for task, item in enumerate(items, state.next_id):
        if item.status == "in_progress":
            yield c.Start(actor, task)
        elif item.status == "completed":
            yield c.Complete(task, actor)


def _order(items: Sequence[TodoItem]) -> Order:
    """Return the order of a list: one after the other, unless they were not taken in turn."""
    turns = [_TURNS.index(item.status) for item in items]
    in_turn = turns == sorted(turns) and turns.count(_TURNS.index("in_progress")) <= 1
    return "sequential" if in_turn else "graph"


def _new(state: PlanState, item: TodoItem) -> c.NewTask:
    phase = item.phase if item.phase in state.phases else None
    if phase is None and MAIN_PHASE in state.phases:
        phase = MAIN_PHASE
    name = without_secrets(item.content)
    return c.NewTask(name, phase, active_form=without_secrets(item.active_form))


# A plan with tasks follows it, one by one


def _followed(plan: Advancing, items: Sequence[TodoItem], todos: Sequence[Todo]) -> str:
    refused = list(_refusals(plan, items))
    lines = [_listed(todos), "", text("todo_saved")]
    return "\n".join((*lines, text("todo_refused"), *refused) if refused else lines)


def _refusals(plan: Advancing, items: Sequence[TodoItem]) -> Iterator[str]:
    """Bring what is listed into its state, add what is new; yield what was refused, and why."""
    meant = plan.read(lambda state: matched(state, items))
    for item, task in zip(items, meant, strict=True):
        try:
            plan.bring(_added(plan, item) if task is None else task, item.status)
        except Refused as error:
            yield f"- {visible(item.content)}: {error}"


def _added(plan: Advancing, item: TodoItem) -> int:
    active = without_secrets(item.active_form)
    return plan.add(without_secrets(item.content), phase=item.phase, active_form=active).id


def matched(state: PlanState, items: Sequence[TodoItem]) -> list[int | None]:
    """Return the task that each item means: of its phase, if it names one, and of its content."""
    known: dict[str, list[int]] = {}
    for task in state.in_order():
        known.setdefault(task.name, []).append(task.id)
    found: list[int | None] = []
    for item in items:
        same = known.get(without_secrets(item.content), [])
        meant = next((i for i in same if item.phase in (None, state.tasks[i].phase)), None)
        if meant is not None:
            same.remove(meant)
        found.append(meant)
    return found
