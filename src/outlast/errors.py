"""Every error that Outlast raises on purpose: one tree, a stable code and details each.

OutlastError
├── Refused                 a rule of the plan forbids it; the plan is unchanged
│   ├── InvalidArgument     INVALID_ARGUMENT
│   │   └── InvalidSetting  INVALID_SETTING
│   ├── PlanNotActive       PLAN_NOT_ACTIVE
│   ├── TaskNotFound        TASK_NOT_FOUND
│   ├── PhaseNotFound       PHASE_NOT_FOUND
│   ├── TaskNotEditable     TASK_NOT_EDITABLE
│   ├── InvalidStatus       INVALID_STATUS
│   ├── TaskClaimed         TASK_CLAIMED
│   ├── ClaimLost           CLAIM_LOST
│   ├── ProofNeeded         PROOF_NEEDED
│   │   ├── CheckFailed     CHECK_FAILED
│   │   ├── CheckNotApproved  CHECK_NOT_APPROVED
│   │   └── Tampered        TAMPERED
│   ├── OutOfBudget         OUT_OF_BUDGET
│   ├── InvalidDependency   INVALID_DEPENDENCY
│   └── CircularDependency  CIRCULAR_DEPENDENCY
├── InvalidDocument         INVALID_DOCUMENT   something read from outside is not a plan
├── WrongUsage              WRONG_USAGE        a command line is not understood
├── Unconfirmed             UNCONFIRMED        a person has to say first that it is meant
├── ToolFailed              TOOL_FAILED        a tool could not do what it was asked
│   └── NotPermitted        NOT_PERMITTED      it would need a person's leave, and has none
├── ModelFailed             MODEL_FAILED       a model gave no answer
│   └── ModelBusy           MODEL_BUSY         it may if it is asked again later
└── StoreError              a plan cannot be found, read or kept
    ├── PlanNotFound        PLAN_NOT_FOUND
    ├── PlanExists          PLAN_EXISTS
    ├── UnsuitableFileSystem  UNSUITABLE_FILE_SYSTEM
    ├── NewerFormat         NEWER_FORMAT
    ├── DamagedJournal      DAMAGED_JOURNAL
    └── WriteFailed         WRITE_FAILED

An error names its words by `text`, a key of `outlast.texts`; they are filled in when it is shown,
in English by `str`, in either language by `outlast.texts.explain`.
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

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.text, self.details)

    def __str__(self) -> str:
        """Return the message in English, or the bare facts if `text` is not a key of ours."""
        texts = __import__("outlast.texts", fromlist=["explain"])  # a layer above: only when shown
        try:
            return str(texts.explain(self))
        except (LookupError, TypeError, ValueError):
            return f"{self.code}: {self.text} {self.details}"


def _restore(kind: type[OutlastError], text: str, details: dict[str, object]) -> OutlastError:
    return kind(text, **details)


class Refused(OutlastError):
    """A rule of the plan forbids the command; nothing has changed."""


class InvalidArgument(Refused):
    """A value has the wrong type, form or size."""

    code = "INVALID_ARGUMENT"


class InvalidSetting(InvalidArgument):
    """A setting is unknown, or cannot be what it is set to; `details["where"]` says by whom."""

    code = "INVALID_SETTING"


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


class TaskClaimed(Refused):
    """Somebody else holds the task; `details` says who and until when."""

    code = "TASK_CLAIMED"


class ClaimLost(Refused):
    """The token is no longer that of the task's lease: somebody else may work on the task now."""

    code = "CLAIM_LOST"


class ProofNeeded(Refused):
    """The task has checks, and nothing shows yet that they pass."""

    code = "PROOF_NEEDED"


class CheckFailed(ProofNeeded):
    """A check of the task does not pass; `details` says which and what it showed."""

    code = "CHECK_FAILED"


class CheckNotApproved(ProofNeeded):
    """A check would run a command that no person on this machine has allowed for this plan."""

    code = "CHECK_NOT_APPROVED"


class Tampered(ProofNeeded):
    """The checks, or what the task must not touch, changed while it was worked on."""

    code = "TAMPERED"


class OutOfBudget(Refused):
    """What is left of a budget is less than this could cost; `details` says which and how much."""

    code = "OUT_OF_BUDGET"


class InvalidDependency(Refused):
    """A dependency names a task that does not exist or could never come first."""

    code = "INVALID_DEPENDENCY"


class CircularDependency(Refused):
    """The dependencies would form a cycle; `details["cycle"]` gives it closed."""

    code = "CIRCULAR_DEPENDENCY"


class InvalidDocument(OutlastError):
    """A document from outside cannot be read as a plan; `details["where"]` says at which place."""

    code = "INVALID_DOCUMENT"


class WrongUsage(OutlastError):
    """A command line cannot be understood; nothing was done."""

    code = "WRONG_USAGE"


class Unconfirmed(OutlastError):
    """It would take something out of sight; nothing was done, a person has to confirm it."""

    code = "UNCONFIRMED"


class ToolFailed(OutlastError):
    """A tool could not do what it was asked to do."""

    code = "TOOL_FAILED"


class NotPermitted(ToolFailed):
    """A tool was not run: it would leave the workspace or may destroy something."""

    code = "NOT_PERMITTED"


class ModelFailed(OutlastError):
    """A model gave no answer that can be used."""

    code = "MODEL_FAILED"


class ModelBusy(ModelFailed):
    """A model, or the way to it, is overloaded; `details["retry_after"]` may say for how long."""

    code = "MODEL_BUSY"


class StoreError(OutlastError):
    """A plan cannot be found, read or kept where it is."""

    code = "STORE_ERROR"


class PlanNotFound(StoreError):
    """There is no such plan; `details["candidates"]` lists those that there are."""

    code = "PLAN_NOT_FOUND"


class PlanExists(StoreError):
    """There is a plan under this key already."""

    code = "PLAN_EXISTS"


class UnsuitableFileSystem(StoreError):
    """A plan would not be safe on this kind of file system; nothing was written."""

    code = "UNSUITABLE_FILE_SYSTEM"


class NewerFormat(StoreError):
    """The files were written by a newer Outlast; nothing was touched."""

    code = "NEWER_FORMAT"


class DamagedJournal(StoreError):
    """The journal is damaged before its end: the plan can be read up to there, not changed."""

    code = "DAMAGED_JOURNAL"


class WriteFailed(StoreError):
    """The disk did not take a change; the plan is as it was."""

    code = "WRITE_FAILED"
