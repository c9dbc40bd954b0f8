"""Every error that Outlast raises on purpose: one tree, a stable code and details each.

OutlastError
├── Refused                 a rule of the plan forbids it; the plan is unchanged
│   ├── InvalidArgument     INVALID_ARGUMENT
│   ├── PlanNotActive       PLAN_NOT_ACTIVE
│   ├── TaskNotFound        TASK_NOT_FOUND
│   ├── PhaseNotFound       PHASE_NOT_FOUND
│   ├── TaskNotEditable     TASK_NOT_EDITABLE
│   ├── InvalidStatus       INVALID_STATUS
│   ├── InvalidDependency   INVALID_DEPENDENCY
│   └── CircularDependency  CIRCULAR_DEPENDENCY
└── InvalidDocument         INVALID_DOCUMENT   something read from outside is not a plan

The words for people live in `outlast.texts`, looked up by `text`; whoever hands an error to a
person fills in `message`.
"""

from __future__ import annotations

from typing import ClassVar


class OutlastError(Exception):
    """The root: catch this to catch everything Outlast raises on purpose."""

    code: ClassVar[str] = "OUTLAST_ERROR"

    def __init__(self, text: str, **details: object) -> None:
        """Name the text that explains the error and the facts that go into it."""
        super().__init__(text, details)
        self.text = text
        self.details = details
        self.message = ""

    def __reduce__(self) -> tuple[object, ...]:
        """Let an error cross from one process to another."""
        return _rebuilt, (type(self), self.text, self.details, self.message)

    def __str__(self) -> str:
        """Return the message for people, or the bare facts where nobody filled it in."""
        return self.message or f"{self.code}: {self.text} {self.details}"


def _rebuilt(
    kind: type[OutlastError], text: str, details: dict[str, object], message: str
) -> OutlastError:
    error = kind(text, **details)
    error.message = message
    return error


class Refused(OutlastError):
    """A rule of the plan forbids the command; nothing has changed."""


class InvalidArgument(Refused):
    """A value has the wrong type, form or size."""

    code = "INVALID_ARGUMENT"


class PlanNotActive(Refused):
    """The plan is paused, aborted or has no tasks, so no task of it can be worked on."""

    code = "PLAN_NOT_ACTIVE"


class TaskNotFound(Refused):
    """No task has this id."""

    code = "TASK_NOT_FOUND"


class PhaseNotFound(Refused):
    """No phase has this id."""

    code = "PHASE_NOT_FOUND"


class TaskNotEditable(Refused):
    """The task's state does not allow it to be edited or removed."""

    code = "TASK_NOT_EDITABLE"


class InvalidStatus(Refused):
    """The plan or the task is in a state from which this step is not possible."""

    code = "INVALID_STATUS"


class InvalidDependency(Refused):
    """A dependency names a task that does not exist or could never come first."""

    code = "INVALID_DEPENDENCY"


class CircularDependency(Refused):
    """The dependencies would form a cycle; `details["cycle"]` gives it closed."""

    code = "CIRCULAR_DEPENDENCY"


class InvalidDocument(OutlastError):
    """A document from outside cannot be read as a plan; `details["where"]` says at which place."""

    code = "INVALID_DOCUMENT"
