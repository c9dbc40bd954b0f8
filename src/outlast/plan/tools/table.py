"""The tool table of R2: name, description, parameters and handler of each tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.errors import InvalidArgument
from outlast.model.limits import display_key
from outlast.plan.tools import arguments as k
from outlast.plan.tools import handlers as h

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REQUIRED: Final = object()


class Parameter(Struct, frozen=True, gc=False):
    """A parameter of a tool; a model may also call it by its `other_name`."""

    name: str
    kind: k.Kind
    description: str
    default: Any = REQUIRED
    other_name: str = ""

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is REQUIRED


class PlanTool(Struct, frozen=True, gc=False):
    """A tool that a model can call.

    A lean tool answers with a line of text and has the shortest possible schema. A tool that is
    not keyed may commit several times and guards itself against doing so twice.
    """

    name: str
    description: str
    handler: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    lean: bool = False
    keyed: bool = True

    @property
    def snake_name(self) -> str:
        """The name in snake_case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in self.name)

    def read(self, positional: Sequence[object], named: Mapping[str, object]) -> list[Any]:
        """Check the arguments of a model or a program; return one value per parameter."""
        if named or len(positional) != len(self.parameters):
            values = self._bind(positional, named)
        else:
            values = [*positional]
        for index, parameter in enumerate(self.parameters):
            if values[index] is None:
                values[index] = self._default(parameter)
            elif parameter.kind.read is not None:
                values[index] = parameter.kind.read(values[index], parameter.name)
        return values

    def read_call(self, arguments: dict[str, object]) -> list[Any]:
        """Read the arguments of a model's call with good will; return one value per parameter."""
        from outlast.documents.contracts.fit import fit

        schema = {
            "type": "object",
            "properties": {p.name: p.kind.schema for p in self.parameters},
            "required": [p.name for p in self.parameters if p.is_required],
            "additionalProperties": False,
        }
        names = {p.other_name: p.name for p in self.parameters if p.name not in arguments}
        given = {names.get(name, name): value for name, value in arguments.items()}
        return self.read((), fit(given, schema, "keep")[0])

    def _default(self, parameter: Parameter) -> Any:  # noqa: ANN401 - as the table says
        if parameter.is_required:
            self._refuse("argument_missing", parameter.name)
        return parameter.default

    def _bind(self, positional: Sequence[object], named: Mapping[str, object]) -> list[Any]:
        names = [parameter.name for parameter in self.parameters]
        if len(positional) > len(names):
            raise InvalidArgument(
                "arguments_too_many", tool=self.name, takes=self.signature(), got=len(positional)
            )
        bound = dict(zip(names, positional, strict=False))
        for name, value in named.items():
            if type(name) is not str or name not in names:
                self._refuse("argument_unknown", display_key(name))
            if name in bound:
                self._refuse("argument_twice", name)
            bound[name] = value
        return [bound.get(name) for name in names]

    def _refuse(self, text: str, argument: str) -> None:
        raise InvalidArgument(text, argument=argument, tool=self.name, takes=self.signature())

    def signature(self) -> str:
        """Return the parameters as error messages show them."""
        shown = [p.name if p.is_required else f"{p.name}?" for p in self.parameters]
        return f"({', '.join(shown)})"


_TASK: Final = Parameter("task_id", k.TASK_ID, "Id of the task.")

TOOLS: Final = (
    PlanTool("getCurrentTask", "Get the task you have in progress.", h.get_current_task),
    PlanTool(
        "startNextTask",
        "Start the first task whose dependencies are finished. You can have one task in progress.",
        h.start_next_task,
    ),
    PlanTool(
        "completeTask",
        "Mark a task as completed.",
        h.complete_task,
        (_TASK, Parameter("result", k.TEXT, "What was achieved.")),
    ),
    PlanTool(
        "failTask",
        "Report a failed attempt. By default the task is retried up to three times.",
        h.fail_task,
        (
            _TASK,
            Parameter("error_message", k.TEXT, "What went wrong."),
            Parameter("should_retry", k.FLAG, "Whether to try again.", default=True),
        ),
    ),
    PlanTool(
        "addTask",
        "Add a task to the plan.",
        h.add_task,
        (
            Parameter("name", k.NAME, "What to do, in one line."),
            Parameter("dependencies", k.TASK_IDS, "Tasks that must be finished first.", ()),
            Parameter("reasoning", k.TEXT, "Why it is needed.", ""),
            Parameter("after_task_id", k.TASK_ID, "Task to insert it after in the list.", None),
            Parameter("description", k.TEXT, "More about it, in any number of lines.", ""),
        ),
    ),
    PlanTool(
        "updateTask",
        "Change name, dependencies, reasoning or description of a task not in progress.",
        h.update_task,
        (_TASK, Parameter("updates", k.UPDATES, "The fields to change.")),
    ),
    PlanTool(
        "skipTask",
        "Skip a task; tasks that depend on it can start.",
        h.skip_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is not needed.")),
    ),
    PlanTool(
        "removeTask", "Remove a pending task that no other depends on.", h.remove_task, (_TASK,)
    ),
    PlanTool(
        "getTaskList",
        "List all tasks, or those with one status.",
        h.get_task_list,
        (Parameter("status_filter", k.FILTER, "Only tasks with this status.", None),),
    ),
    PlanTool("getPlanStatus", "Get the status and progress of the plan.", h.get_plan_status),
    PlanTool("getTaskById", "Get one task.", h.get_task_by_id, (_TASK,)),
    PlanTool(
        "getExecutableTaskList",
        "List the tasks that can be started now.",
        h.get_executable_task_list,
    ),
    PlanTool("pausePlan", "Pause the plan.", h.pause_plan),
    PlanTool("resumePlan", "Resume a paused plan.", h.resume_plan),
    PlanTool("resetPlan", "Put every task back to pending and clear all results.", h.reset_plan),
    PlanTool(
        "initializePlan",
        "Set the goal and the tasks of a new plan. "
        "Dependencies name other tasks of the list by 1-based position or by name.",
        h.initialize_plan,
        (
            Parameter("goal", k.TEXT, "What the plan is to achieve."),
            Parameter("tasks", k.NEW_TASKS, "The tasks, in order."),
        ),
    ),
    PlanTool(
        "reopenTask",
        "Reopen a failed, completed or skipped task.",
        h.reopen_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is needed again.")),
    ),
)
