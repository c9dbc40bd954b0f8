"""The table itself: names, descriptions, arguments and handlers of the tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.application.tools import arguments as k
from outlast.application.tools import handlers as h
from outlast.domain.limits import shown_key
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REQUIRED: Final = object()


class Parameter(Struct, frozen=True, gc=False):
    """One argument of a tool."""

    name: str
    kind: k.Kind
    description: str
    default: Any = REQUIRED

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is REQUIRED


class Tool(Struct, frozen=True, gc=False):
    """One thing that a model can do with a plan.

    A lean one answers with a line of text and has as short a schema as can be. What is not keyed
    may make several changes, and makes none of them twice.
    """

    name: str
    description: str
    handler: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    lean: bool = False
    keyed: bool = True

    @property
    def snake_name(self) -> str:
        """The name as Python spells it."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in self.name)

    def read(self, given: Sequence[object], named: Mapping[str, object]) -> list[Any]:
        """Check arguments as a model or a program gave them; return one value a parameter."""
        parameters = self.parameters
        if not (parameters or given or named):
            return []
        if named or len(given) != len(parameters):
            given = self._bind(given, named)
        values: list[Any] = []
        for parameter, value in zip(parameters, given, strict=True):
            if value is None:
                values.append(self._default(parameter))
            elif parameter.kind.read is None:
                values.append(value)
            else:
                values.append(parameter.kind.read(value, parameter.name))
        return values

    def _default(self, parameter: Parameter) -> Any:  # noqa: ANN401 - as the table says
        if parameter.required:
            self._refuse("argument_missing", parameter.name)
        return parameter.default

    def _bind(self, given: Sequence[object], named: Mapping[str, object]) -> list[object]:
        names = [parameter.name for parameter in self.parameters]
        if len(given) > len(names):
            raise InvalidArgument(
                "arguments_too_many", tool=self.name, takes=self.signature(), got=len(given)
            )
        bound = dict(zip(names, given, strict=False))
        for name, value in named.items():
            if type(name) is not str or name not in names:
                self._refuse("argument_unknown", shown_key(name))
            if name in bound:
                self._refuse("argument_twice", name)
            bound[name] = value
        return [bound.get(name) for name in names]

    def _refuse(self, text: str, argument: str) -> None:
        raise InvalidArgument(text, argument=argument, tool=self.name, takes=self.signature())

    def signature(self) -> str:
        """Return the arguments as they are written in a message."""
        shown = [p.name if p.required else f"{p.name}?" for p in self.parameters]
        return f"({', '.join(shown)})"


_TASK: Final = Parameter("task_id", k.TASK_ID, "Id of the task.")

TOOLS: Final = (
    Tool("getCurrentTask", "Get the task you have in progress.", h.get_current_task),
    Tool(
        "startNextTask",
        "Start the first task whose dependencies are finished. You may have one task in progress.",
        h.start_next_task,
    ),
    Tool(
        "completeTask",
        "Mark a task as completed.",
        h.complete_task,
        (_TASK, Parameter("result", k.TEXT, "What was achieved.")),
    ),
    Tool(
        "failTask",
        "Report a failed attempt. The task is tried again up to three times, unless you say not.",
        h.fail_task,
        (
            _TASK,
            Parameter("error_message", k.TEXT, "What went wrong."),
            Parameter("should_retry", k.FLAG, "Whether to try again.", default=True),
        ),
    ),
    Tool(
        "addTask",
        "Add a task to the plan.",
        h.add_task,
        (
            Parameter("name", k.NAME, "What is to be done, in one line."),
            Parameter("dependencies", k.TASK_IDS, "Tasks that must be finished first.", ()),
            Parameter("reasoning", k.TEXT, "Why it is needed.", ""),
            Parameter("after_task_id", k.TASK_ID, "Task to insert it behind in the list.", None),
        ),
    ),
    Tool(
        "updateTask",
        "Change name, dependencies or reasoning of a task nobody works on.",
        h.update_task,
        (_TASK, Parameter("updates", k.UPDATES, "The fields to change.")),
    ),
    Tool(
        "skipTask",
        "Leave a task out; tasks that depend on it may go on.",
        h.skip_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is not needed.")),
    ),
    Tool("removeTask", "Remove a pending task that no other depends on.", h.remove_task, (_TASK,)),
    Tool(
        "getTaskList",
        "List tasks, all or those in one state.",
        h.get_task_list,
        (Parameter("status_filter", k.FILTER, "Only tasks in this state.", None),),
    ),
    Tool("getPlanStatus", "Get the state and progress of the plan.", h.get_plan_status),
    Tool("getTaskById", "Get one task.", h.get_task_by_id, (_TASK,)),
    Tool(
        "getExecutableTaskList",
        "List the tasks that can be started now.",
        h.get_executable_task_list,
    ),
    Tool("pausePlan", "Pause the plan.", h.pause_plan),
    Tool("resumePlan", "Resume a paused plan.", h.resume_plan),
    Tool("resetPlan", "Put every task back to pending and clear all results.", h.reset_plan),
    Tool(
        "initializePlan",
        "Set the goal and the tasks of a new plan. "
        "Dependencies name other tasks of the list by 1-based position or by name.",
        h.initialize_plan,
        (
            Parameter("goal", k.TEXT, "What is to be reached."),
            Parameter("tasks", k.NEW_TASKS, "The tasks, in order."),
        ),
    ),
    Tool(
        "reopenTask",
        "Take up a failed, completed or skipped task again.",
        h.reopen_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is needed again.")),
    ),
)
