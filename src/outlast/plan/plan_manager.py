"""`PlanManager` (R2): the plan as functions for a model, which return errors as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from msgspec.structs import replace

from outlast.errors import InvalidArgument, OutlastError
from outlast.model.commands import CreatePlan
from outlast.model.limits import check_text, wrong_type_error
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plan import Plan
from outlast.plan.tools import Dialect
from outlast.plan.tools.manager_tools import TOOLS, Envelope, refusal
from outlast.plan.tools.plan_tool import PlanTool, check_arguments
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from inspect import Signature

    from outlast.model.model import Task


_NO_NAME: Final = "agent"  # the actor of a task in progress for which a document names none


class PlanManager:
    """Every function of the tool table, in camelCase and snake_case, over one plan.

    Without a plan it creates one in memory. The files of a given plan show what a function changed
    when it returns.
    """

    def __init__(self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent") -> None:
        """Serve a plan, or a new one with this goal, as `actor`."""
        if plan is not None and goal:
            raise InvalidArgument("goal_of_other_plan", argument="goal")
        if plan is None:
            check_text(goal, "goal")
            plan = create_memory_plan(CreatePlan(new_plan_id(), goal), actor, past=False)
        if not isinstance(plan, Plan):
            raise wrong_type_error("plan", "Plan", plan)
        self.plan = plan.acting_as(actor)
        views = plan.core.views
        if views is not None:
            views.render_promptly()

    def __repr__(self) -> str:
        return f"<PlanManager {self.plan!r} as {self.plan.actor}>"

    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self:
        """Load a plan from the result of `to_dict`; `actor` goes on with the task in progress.

        Raises `InvalidDocument` for data that is no plan, and another error of `outlast.errors` for
        a plan that breaks a rule.
        """
        from outlast.documents.json import manager_parse

        command = manager_parse.parse(data, new_plan_id(), now())
        tasks = tuple(_assign(actor, task) for task in command.tasks)
        plan = create_memory_plan(replace(command, tasks=tasks), actor, past=False)
        return cls(plan, actor=actor)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole plan as `meta`, `state` and `tasks`."""
        from outlast.documents.json import manager_render

        return self.plan.core.read(manager_render.render)

    def call(self, name: object, arguments: object) -> Envelope:
        """Run the tool that a model names, with the arguments object it gives."""
        try:
            method, named = _find(name), check_arguments(arguments)
        except OutlastError as error:
            return refusal(error)
        return method(self, **named)

    @staticmethod
    def tool_schemas(dialect: Dialect) -> list[Any]:
        """Return the schemas of the tools as an SDK takes them."""
        from outlast.plan.tools.tool_sets import tool_schemas

        return tool_schemas(dialect)


def _assign(actor: str, task: Task) -> Task:
    """Return a task in progress with another actor, unless its document names one."""
    is_anybodys = task.status == "in_progress" and task.actor == _NO_NAME
    return replace(task, actor=actor) if is_anybodys else task


def _find(name: object) -> Callable[..., Envelope]:
    if type(name) is not str:
        raise wrong_type_error("name", "str", name)
    method = _METHODS.get(name)
    if method is None:
        from difflib import get_close_matches

        nearest = get_close_matches(name[:100], _METHODS, 1, 0) or [TOOLS[0].name]
        raise InvalidArgument("tool_unknown", argument="name", nearest=nearest[0])
    return method


class _Signature:
    """Tells `inspect` what a function of the tool table takes.

    Such a function accepts any arguments, because it answers wrong ones instead of raising.
    `inspect.signature` follows `__wrapped__` to this object, so nothing is built before.
    """

    __slots__ = ("_annotations", "_tool")

    def __init__(self, tool: PlanTool, annotations: dict[str, Any]) -> None:
        self._tool = tool
        self._annotations = annotations

    @property
    def __signature__(self) -> Signature:
        from inspect import Parameter, Signature

        kind = Parameter.POSITIONAL_OR_KEYWORD
        parameters = [Parameter("self", kind)]
        for parameter in self._tool.parameters:
            default = Parameter.empty if parameter.is_required else parameter.default
            hint = self._annotations[parameter.name]
            parameters.append(Parameter(parameter.name, kind, default=default, annotation=hint))
        return Signature(parameters, return_annotation=Envelope)


def _annotations(tool: PlanTool) -> dict[str, Any]:
    hints = {
        parameter.name: parameter.kind.python
        if parameter.is_required
        else parameter.kind.python | None
        for parameter in tool.parameters
    }
    return {**hints, "return": Envelope}


def _describe(tool: PlanTool) -> str:
    if not tool.parameters:
        return tool.description
    lines = [f"    {parameter.name}: {parameter.description}" for parameter in tool.parameters]
    return "\n".join([tool.description, "", "Args:", *lines])


def _methods(tool: PlanTool) -> Iterator[tuple[str, Callable[..., Envelope]]]:
    """Yield the function of a tool under both of its names."""
    docstring, annotations = _describe(tool), _annotations(tool)
    signature = _Signature(tool, annotations)
    for name in (tool.name, tool.snake_name):
        method = _method(tool)
        method.__name__ = name
        method.__qualname__ = f"PlanManager.{name}"
        method.__doc__ = docstring
        method.__annotations__ = annotations
        method.__wrapped__ = signature  # type: ignore[attr-defined] # as functools.wraps sets it
        yield name, method


def _method(tool: PlanTool) -> Callable[..., Envelope]:
    def method(self: PlanManager, /, *positional: object, **named: object) -> Envelope:
        try:
            return {"success": True, "data": tool.handler(self.plan, *tool.read(positional, named))}
        except OutlastError as error:
            return refusal(error)

    return method


_METHODS = {name: method for tool in TOOLS for name, method in _methods(tool)}

for _name, _function in _METHODS.items():
    setattr(PlanManager, _name, _function)
