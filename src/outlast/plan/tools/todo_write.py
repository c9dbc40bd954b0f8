"""`todo_write` (R4.10): the model's own todo list, saved to the plan with `persist`."""

from __future__ import annotations

from contextlib import suppress
from os import sep
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from outlast.documents.markdown.syntax import ICONS
from outlast.errors import InvalidArgument, InvalidStatus, OutlastError, Refused
from outlast.language import text, visible
from outlast.model import commands as c
from outlast.model.limits import check_choice, check_name, check_text
from outlast.model.model import MAIN_PHASE
from outlast.model.phase_status import phase_tasks
from outlast.plan.tools.advance import is_not_its_turn, order_shown_by, set_status
from outlast.plan.tools.calls import Outcome, Todo
from outlast.plan.tools.plan_read import is_blank
from outlast.plan.tools.plan_tool import Kind, Readers, read_fields
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outlast.model.model import Order
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

TodoStatus = Literal["pending", "in_progress", "completed"]
TODO_STATUSES: Final[tuple[TodoStatus, ...]] = get_args(TodoStatus)


# The argument `todos`


class TodoItem(Struct, frozen=True):
    """One line of a todo list; `phase` is the phase of the plan that it belongs to."""

    content: str
    status: TodoStatus
    active_form: str = ""
    phase: str | None = None


def _read_todos(value: object, argument: str) -> tuple[TodoItem, ...]:
    if type(value) is not list and type(value) is not tuple:
        raise InvalidArgument("todos_not_array", argument=argument)
    items = []
    for index, item in enumerate(value):
        where = f"{argument}[{index}]"
        fields = read_fields(item, where, _FIELDS)
        for name in ("content", "status"):
            if name not in fields:
                raise InvalidArgument("field_missing", argument=f"{where}.{name}")
        items.append(
            TodoItem(
                fields["content"],
                fields["status"],
                fields.get("activeForm", ""),
                fields.get("phaseId"),
            )
        )
    return tuple(items)


def _read_status(value: object, argument: str) -> TodoStatus:
    return check_choice(value, argument, TODO_STATUSES)


_FIELDS: Final[Readers] = {
    "content": check_name,
    "status": _read_status,
    "activeForm": check_text,
    "phaseId": check_name,
}
TODOS: Final = Kind(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "Task description"},
                "status": {"type": "string", "enum": list(TODO_STATUSES)},
                "activeForm": {"type": "string", "description": "Present continuous form"},
                "phaseId": {"type": "string", "description": "Phase ID for persistent plans"},
            },
            "required": ["content", "status", "activeForm"],
        },
    },
    _read_todos,
)


# The handler


def todo_write(
    plan: Plan,
    items: tuple[TodoItem, ...],
    persist: bool,  # noqa: FBT001 - the document's argument
    title: str | None,
) -> Outcome:
    """Replace the list in memory; with `persist` also update the plan to match it."""
    todos = tuple(Todo(item.content, item.status, item.active_form) for item in items)
    if not persist:
        return Outcome(_list_text(todos), todos=todos)
    try:
        empty = plan.core.read(lambda state: not state.tasks)
        answer = _create_plan(plan, items, title) if empty else _update_plan(plan, items, todos)
    except OutlastError as error:
        return _failure(error, todos)
    return Outcome(answer, todos=todos)


def _failure(error: OutlastError, todos: tuple[Todo, ...]) -> Outcome:
    problem = str(error)
    if error.text != "plan_title_needed":
        problem = text("persist_failed", problem=problem)
    return Outcome(problem, error.code, todos)


def _list_text(todos: Sequence[Todo]) -> str:
    done = sum(todo.status == "completed" for todo in todos)
    lines = (f"{ICONS[todo.status]} {visible(todo.content)}" for todo in todos)
    return "\n".join((text("todo_updated", done=done, total=len(todos)), *lines))


# A plan without tasks is created from the list


def _create_plan(plan: Plan, items: Sequence[TodoItem], title: str | None) -> str:
    commands = plan.core.read(
        lambda state: tuple(_creation_commands(state, items, title, plan.actor))
    )
    name, steps = plan.core.commit(commands, lambda state, _: (state.title, len(state.tasks)))
    facts = text("todo_facts", title=visible(name), steps=steps)
    for path in plan.files.paths()[:1]:
        head, closing = text("todo_created", file=_name(path)), text("todo_path", path=path)
        return f"{head}\n{facts}\n{visible(closing)}"
    return "\n".join((text("todo_created_in_memory"), facts))


def _name(path: str) -> str:
    return path.rpartition(sep)[2]


def _creation_commands(
    state: PlanState, items: Sequence[TodoItem], title: str | None, actor: str
) -> Iterator[c.Command]:
    """Yield the commands that create a plan from the list, for one commit."""
    if is_blank(state):
        if not title:
            raise InvalidArgument("plan_title_needed", argument="planTitle")
        yield c.EditPlan(goal=text("todo_objective"), title=title)
    elif title:
        yield c.EditPlan(title=title)
    yield c.EditPlan(order=order_shown_by(item.status for item in items))
    if items:
        yield c.AddTasks(tuple(_new(state, item) for item in items))
    for task, item in enumerate(items, state.next_id):
        if item.status == "in_progress":
            yield c.Start(actor, task)
        elif item.status == "completed":
            yield c.Complete(task, actor)


def _new(state: PlanState, item: TodoItem) -> c.NewTask:
    phase = item.phase if item.phase in state.phases else None
    if phase is None and MAIN_PHASE in state.phases:
        phase = MAIN_PHASE
    return c.NewTask(item.content, phase, active_form=item.active_form)


# A plan with tasks is updated item by item


def _update_plan(plan: Plan, items: Sequence[TodoItem], todos: Sequence[Todo]) -> str:
    before = plan.core.read(_order)
    refused = _apply_items(plan, items)
    paths = plan.files.paths()
    saved = text("todo_saved", file=_name(paths[0])) if paths else text("todo_kept")
    lines = [_list_text(todos), "", saved]
    if plan.core.read(_order) != before:
        lines.append(text("todo_order_given_up"))
    return "\n".join((*lines, text("todo_refused"), *refused) if refused else lines)


def _order(state: PlanState) -> Order:
    return state.order


def _apply_items(plan: Plan, items: Sequence[TodoItem]) -> list[str]:
    """Add new items, and set the status of each listed task; return a line for each refusal.

    What is not in its turn waits for the rest of the list. If it is refused then too, the items are
    evidently not worked on in turn, unless a completion was refused that it waits for.
    """
    refusals: dict[int, str] = {}

    def apply(index: int, *, out_of_turn: bool) -> bool:
        task, item = tasks[index], items[index]
        try:
            if task is not None:
                set_status(plan, task, item.status, out_of_turn=out_of_turn)
        except Refused as error:
            refusals[index] = f"- {visible(item.content)}: {error}"
            return not (isinstance(error, InvalidStatus) and is_not_its_turn(error))
        return True

    tasks = _add_missing(plan, items, refusals)
    waiting = [i for i in range(len(items)) if not apply(i, out_of_turn=False)]
    is_order_kept = any(items[i].status == "completed" for i in refusals if i not in waiting)
    places = plan.core.read(lambda state: [state.graph.position(tasks[i] or 0) for i in waiting])
    for _, index in sorted(zip(places, waiting, strict=True)):
        del refusals[index]
        apply(index, out_of_turn=not is_order_kept)
    named = [tasks[i] for i, item in enumerate(items) if item.status == "in_progress"]
    _return_others(plan, named)
    return [refusals[index] for index in sorted(refusals)]


def _return_others(plan: Plan, named: Sequence[int | None]) -> None:
    """Return what the actor has in progress besides the tasks that it names, if it names any."""
    if not named:
        return
    own = plan.core.read(lambda state: tuple(state.tasks_by_actor.get(plan.actor, ())))
    for task in own:
        if task not in named:
            with suppress(Refused):  # such as one that another run has claimed
                plan.return_task(task)


def _add_missing(
    plan: Plan, items: Sequence[TodoItem], refusals: dict[int, str]
) -> list[int | None]:
    """Return the task of each item; new ones are added at their place in the list."""
    tasks = plan.core.read(lambda state: match_tasks(state, items))
    for index, item in enumerate(items):
        if tasks[index] is None:
            try:
                tasks[index] = _add_at_its_place(plan, item, tasks[:index], tasks[index + 1 :])
            except Refused as error:
                refusals[index] = f"- {visible(item.content)}: {error}"
    return tasks


def _add_at_its_place(
    plan: Plan, item: TodoItem, before: Sequence[int | None], after: Sequence[int | None]
) -> int:
    """Add an item behind the one above it in its phase, else before the one below it."""

    def neighbour(state: PlanState, tasks: Iterable[int | None]) -> int | None:
        fitting = (state.tasks[task] for task in tasks if task is not None)
        return next((task.id for task in fitting if item.phase in (None, task.phase)), None)

    above = plan.core.read(lambda state: neighbour(state, reversed(before)))
    task = plan.add(
        item.content, insert_after=above, phase=item.phase, active_form=item.active_form
    ).id
    below = None if above else plan.core.read(lambda state: neighbour(state, after))
    if below is not None:
        _move_before(plan, task, below)
    return task


def _move_before(plan: Plan, task: int, below: int) -> None:
    def find(state: PlanState) -> tuple[str, int | None]:
        phase = state.tasks[below].phase
        tasks = [each.id for each in phase_tasks(state, phase)]
        place = tasks.index(below)
        return phase, tasks[place - 1] if place else None

    phase, above = plan.core.read(find)
    if above != task:
        plan.move(task, insert_after=above, phase=phase, first=above is None)


def match_tasks(state: PlanState, items: Sequence[TodoItem]) -> list[int | None]:
    """Return the task of each item: same content and, if it names a phase, same phase."""
    by_name: dict[str, list[int]] = {}
    for task in state.tasks_in_order():
        by_name.setdefault(task.name, []).append(task.id)
    matches: list[int | None] = []
    for item in items:
        ids = by_name.get(redact_text(item.content), [])
        match = next((i for i in ids if item.phase in (None, state.tasks[i].phase)), None)
        if match is not None:
            ids.remove(match)
        matches.append(match)
    return matches
