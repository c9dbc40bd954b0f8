"""`todo_write` (R4.10): the model's own todo list, saved to the plan with `persist`."""

from __future__ import annotations

from os import sep
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from outlast.documents.markdown.syntax import ICONS
from outlast.errors import InvalidArgument, OutlastError, Refused
from outlast.language import text, visible
from outlast.model import commands as c
from outlast.model.limits import check_choice, check_name, check_text
from outlast.model.model import MAIN_PHASE, Order
from outlast.plan.tools.advance import set_status
from outlast.plan.tools.calls import Outcome, Todo
from outlast.plan.tools.plan_read import is_blank
from outlast.plan.tools.plan_tool import Kind, Readers, read_fields
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

TodoStatus = Literal["pending", "in_progress", "completed"]
TODO_STATUSES: Final[tuple[TodoStatus, ...]] = get_args(TodoStatus)
_STATUS_ORDER: Final = ("completed", "in_progress", "pending")


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
    yield c.EditPlan(order=_order(items))
    if items:
        yield c.AddTasks(tuple(_new(state, item) for item in items))
    for task, item in enumerate(items, state.next_id):
        if item.status == "in_progress":
            yield c.Start(actor, task)
        elif item.status == "completed":
            yield c.Complete(task, actor)


def _order(items: Sequence[TodoItem]) -> Order:
    """Return `sequential` unless the items were evidently not worked on in turn."""
    turns = [_STATUS_ORDER.index(item.status) for item in items]
    in_turn = turns == sorted(turns) and turns.count(_STATUS_ORDER.index("in_progress")) <= 1
    return "sequential" if in_turn else "graph"


def _new(state: PlanState, item: TodoItem) -> c.NewTask:
    phase = item.phase if item.phase in state.phases else None
    if phase is None and MAIN_PHASE in state.phases:
        phase = MAIN_PHASE
    return c.NewTask(item.content, phase, active_form=item.active_form)


# A plan with tasks is updated item by item


def _update_plan(plan: Plan, items: Sequence[TodoItem], todos: Sequence[Todo]) -> str:
    refused = list(_apply_items(plan, items))
    paths = plan.files.paths()
    saved = text("todo_saved", file=_name(paths[0])) if paths else text("todo_kept")
    lines = [_list_text(todos), "", saved]
    return "\n".join((*lines, text("todo_refused"), *refused) if refused else lines)


def _apply_items(plan: Plan, items: Sequence[TodoItem]) -> Iterator[str]:
    """Set the status of each listed task and add new ones; yield a line for each refusal."""
    tasks = plan.core.read(lambda state: match_tasks(state, items))
    for item, task in zip(items, tasks, strict=True):
        try:
            set_status(plan, _add_task(plan, item) if task is None else task, item.status)
        except Refused as error:
            yield f"- {visible(item.content)}: {error}"


def _add_task(plan: Plan, item: TodoItem) -> int:
    return plan.add(item.content, phase=item.phase, active_form=item.active_form).id


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
