"""The tools of a server: sets of the one table, with what every answer of a tool looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from msgspec.structs import replace

from outlast.errors import InvalidArgument, ToolFailed
from outlast.model.commands import Command, EditTask
from outlast.model.limits import check_choice, check_ref, check_text
from outlast.plan.tools import plan_tool as k
from outlast.plan.tools.compact import COMPACT, LOOP_TOOLS, RequestedTask, add_tasks
from outlast.plan.tools.manager_tools import TOOLS
from outlast.plan.tools.plan_tool import TEXT, Parameter, PlanTool, Ref
from outlast.plan.tools.tool_sets import parameters_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import GraphForm
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

Needs = tuple[int, ...]
_FORMS: Final = {"ascii": "ascii", "tree": "ascii", "mermaid": "mermaid", "dot": "dot"}
_ACTIONS: Final = {"set": ("dependencies",), "update": ("add", "remove")}
_LISTS: Final = ("dependencies", "add", "remove")
Json = dict[str, Any]
ServerSet = Literal["default", "planmanager", "todo"]
SERVER_SETS: Final[tuple[ServerSet, ...]] = get_args(ServerSet)
APPROVE_CHECKS: Final = "approve_checks"
GOAL: Final = "goal"
TITLE: Final = "planTitle"
_TODO_TOOLS: Final = ("todo_write", "plan_read", "findings_write")
_READS: Final = ("plan_read", "plan_details", "visualizeDependencies", "generateContextPrompt")


def visualize_dependencies(plan: Plan, form: str) -> str:
    """Draw the tasks and their dependencies."""
    return plan.graph(cast("GraphForm", _FORMS[form]))


def generate_context_prompt(plan: Plan) -> str:
    """Say in words what the plan is for, how far it is, and what can start."""
    return plan.graph("words")


def edit_dependencies(plan: Plan, edits: tuple[Json, ...]) -> list[Json]:
    """Change what tasks depend on, all of them or none."""
    before, after = plan.core.read(lambda state: _edited_needs(state, edits))
    # What is dropped goes first: no cycle is seen that only half of the edits would make.
    plan.core.commit(tuple(_commands(before, after)), lambda *_: None)
    return [{"task_id": task, "new_dependencies": [*needs]} for task, needs in after.items()]


def _edited_needs(
    state: PlanState, edits: tuple[Json, ...]
) -> tuple[dict[int, Needs], dict[int, Needs]]:
    """Return what the tasks depend on, before the edits and after them."""
    before: dict[int, Needs] = {}
    after: dict[int, Needs] = {}
    for index, edit in enumerate(edits):
        task = state.task(edit["task_id"])
        lists = {name: _ids(state, edit.get(name, ()), f"edits[{index}].{name}") for name in _LISTS}
        needs = before.setdefault(task.id, task.needs)
        needs = after.get(task.id, needs)
        if edit["action"] == "set":
            needs = lists["dependencies"]
        else:
            needs = tuple(need for need in needs if need not in lists["remove"]) + lists["add"]
        after[task.id] = tuple(dict.fromkeys(needs))
    return before, after


def _ids(state: PlanState, refs: tuple[k.Ref, ...], argument: str) -> Needs:
    return tuple(state.task(ref).id for ref in k.resolve_needs(state, refs, argument))


def _commands(before: dict[int, Needs], after: dict[int, Needs]) -> Iterator[Command]:
    for task, needs in after.items():
        kept = tuple(need for need in before[task] if need in needs)
        if kept != before[task]:
            yield EditTask(task, needs=kept)
    for task, needs in after.items():
        yield EditTask(task, needs=needs)


def _read_edits(value: object, argument: str) -> tuple[Json, ...]:
    edits = []
    for index, item in enumerate(k.read_list(value, argument)):
        where = f"{argument}[{index}]"
        edit = k.read_fields(item, where, _FIELDS)
        _require_fields(edit, ("task_id", "action"), where)
        takes = _ACTIONS[edit["action"]]
        if edit["action"] == "set":
            _require_fields(edit, takes, where)
        for name in _LISTS:
            if name in edit and name not in takes:
                raise InvalidArgument("field_unknown", argument=f"{where}.{name}", takes=[*takes])
        edits.append(edit)
    if not edits:
        raise InvalidArgument("field_missing", argument=f"{argument}[0]")
    return tuple(edits)


def _require_fields(edit: Json, names: tuple[str, ...], where: str) -> None:
    for name in names:
        if name not in edit:
            raise InvalidArgument("field_missing", argument=f"{where}.{name}")


_FIELDS: Final[k.Readers] = {
    "task_id": check_ref,
    "action": lambda value, argument: check_choice(value, argument, _ACTIONS),
    **dict.fromkeys(_LISTS, k.read_needs),
}

_FORM: Final = k.Kind(
    {"type": "string", "enum": [*_FORMS]},
    lambda value, argument: check_choice(value, argument, _FORMS),
)

# One form for each action: an empty array of dependencies says something, unlike an optional one.
_EDIT_FORMS: Final = [
    {
        "type": "object",
        "properties": {
            "task_id": k.TASK_ID.schema,
            "action": {"type": "string", "enum": [action]},
            **dict.fromkeys(lists, k.TASK_IDS.schema),
        },
        "required": ["task_id", "action", *(lists if action == "set" else ())],
        "additionalProperties": False,
    }
    for action, lists in _ACTIONS.items()
]

_EDITS: Final = k.Kind(
    {"type": "array", "minItems": 1, "items": {"anyOf": _EDIT_FORMS}}, _read_edits
)

GRAPH_TOOLS: Final = (
    PlanTool(
        "editDependencies",
        "Change what several tasks depend on, all or none: set the dependencies, or update them "
        "by what to add and remove.",
        edit_dependencies,
        (Parameter("edits", _EDITS, "One edit for each task."),),
    ),
    PlanTool(
        "visualizeDependencies",
        "Draw the tasks and what they depend on.",
        visualize_dependencies,
        (Parameter("format", _FORM, "The form of the drawing.", "ascii"),),
        lean=True,
    ),
    PlanTool(
        "generateContextPrompt",
        "Say in words what the plan is for, how far it is, and what can start.",
        generate_context_prompt,
        lean=True,
    ),
)


def _add_tasks(
    plan: Plan, tasks: tuple[RequestedTask, ...], insert_after: Ref | None, goal: str
) -> str:
    """Add tasks; a plan without a goal gets the given one, any other keeps its own."""
    if check_text(goal, GOAL) and not plan.goal:
        plan.edit(goal=goal)
    return add_tasks(plan, tasks, insert_after)


def _approve_checks(_plan: Plan) -> str:
    """Fail: only a server knows whether its client can ask a person."""
    raise ToolFailed("tool_missing", tool=APPROVE_CHECKS)


def _with_goal(tool: PlanTool) -> PlanTool:
    """Let the call that creates a plan give it a goal; in a loop a person has given it one."""
    goal = Parameter(GOAL, TEXT, "What a new plan is to achieve.", "")
    return replace(tool, handler=_add_tasks, parameters=(*tool.parameters, goal))


# A server asks people through its client, and answers these itself.
ASKING_TOOLS: Final = (
    *LOOP_TOOLS,
    PlanTool(
        APPROVE_CHECKS,
        "Ask the user to approve the checks and commands of the plan, so that they can run.",
        _approve_checks,
        lean=True,
    ),
)

_SETS: Final[dict[ServerSet, tuple[PlanTool, ...]]] = {
    "default": (
        *(_with_goal(tool) if tool.handler is add_tasks else tool for tool in COMPACT),
        *ASKING_TOOLS,
    ),
    "planmanager": (*TOOLS, *GRAPH_TOOLS),
    "todo": tuple(tool for name in _TODO_TOOLS for tool in COMPACT if tool.name == name),
}

_LINE: Final = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
}

_ENVELOPE: Final = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "data": {}, "error": {"type": "object"}},
    "required": ["success"],
}


def server_tools(which: ServerSet) -> dict[str, PlanTool]:
    """Return the tools of a set by every name that they are called by, their own names first."""
    tools = {tool.name: tool for tool in _SETS[which]}
    return tools | {tool.snake_name: tool for tool in _SETS[which]}


def tool_listing(which: ServerSet) -> list[Json]:
    """Return the tools of a set as an MCP server lists them."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": parameters_schema(tool),
            "outputSchema": _LINE if tool.lean else _ENVELOPE,
            "annotations": {"readOnlyHint": is_read(tool), "openWorldHint": False},
        }
        for tool in _SETS[which]
    ]


def is_read(tool: PlanTool) -> bool:
    """Return whether a tool only reads the plan."""
    return tool.name in _READS or tool.name.startswith("get")
