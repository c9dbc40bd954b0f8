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
│   │   ├── CheckUnknown    CHECK_UNKNOWN
│   │   ├── CheckNotApproved  CHECK_NOT_APPROVED
│   │   └── Tampered        TAMPERED
│   ├── OutOfBudget         OUT_OF_BUDGET
│   ├── InvalidDependency   INVALID_DEPENDENCY
│   └── CircularDependency  CIRCULAR_DEPENDENCY
├── InvalidDocument         INVALID_DOCUMENT   a document cannot be read as a plan
│   └── UnknownForm         UNKNOWN_FORM       a file is none of the forms that can be imported
├── WrongUsage              WRONG_USAGE        a command line is invalid
├── Unconfirmed             UNCONFIRMED        a person has to confirm it first
├── ToolFailed              TOOL_FAILED        a tool failed
│   └── NotPermitted        NOT_PERMITTED      it needs a permission that it does not have
├── AgentUnavailable        AGENT_UNAVAILABLE  an agent is not installed or cannot work
├── ModelFailed             MODEL_FAILED       a model gave no usable reply
│   └── ModelBusy           MODEL_BUSY         a later retry may succeed
├── ExtraMissing            EXTRA_MISSING      a module needs a package that is not installed
└── StoreError              a plan cannot be found, read or written
    ├── PlanNotFound        PLAN_NOT_FOUND
    ├── PlanExists          PLAN_EXISTS
    ├── PlanClosed          PLAN_CLOSED
    ├── UnsuitableFileSystem  UNSUITABLE_FILE_SYSTEM
    ├── NewerFormat         NEWER_FORMAT
    ├── DamagedJournal      DAMAGED_JOURNAL
    ├── HistoryDiverged     HISTORY_DIVERGED
    ├── LockTimeout         LOCK_TIMEOUT
    └── WriteFailed         WRITE_FAILED

An error names its words by `text`, a key of `outlast.language`; they are filled in when it is
shown, in English by `str`, in either language by `outlast.language.explain`.
"""

from __future__ import annotations

from typing import ClassVar, Final

__all__ = [
    "AgentUnavailable",
    "CheckFailed",
    "CheckNotApproved",
    "CheckUnknown",
    "CircularDependency",
    "ClaimLost",
    "DamagedJournal",
    "ExtraMissing",
    "HistoryDiverged",
    "InvalidArgument",
    "InvalidDependency",
    "InvalidDocument",
    "InvalidSetting",
    "InvalidStatus",
    "LockTimeout",
    "ModelBusy",
    "ModelFailed",
    "NewerFormat",
    "NotPermitted",
    "OutOfBudget",
    "PhaseNotFound",
    "PlanClosed",
    "PlanExists",
    "PlanNotActive",
    "PlanNotFound",
    "ProofNeeded",
    "Refused",
    "StoreError",
    "Tampered",
    "TaskClaimed",
    "TaskNotEditable",
    "TaskNotFound",
    "ToolFailed",
    "Unconfirmed",
    "UnknownForm",
    "UnsuitableFileSystem",
    "WriteFailed",
    "WrongUsage",
]

_SHOWN: Final = 20  # items of a list, as in messages


class OutlastError(Exception):
    """The root of all errors that Outlast raises on purpose."""

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
        texts = __import__(
            "outlast.language", fromlist=["explain"]
        )  # a layer above: only when shown
        try:
            return str(texts.explain(self))
        except (LookupError, TypeError, ValueError):
            return f"{self.code}: {self.text} {self.details}"

    @property
    def message(self) -> str:
        """The words for people, as `str` gives them."""
        return str(self)

    def short_details(self) -> dict[str, object]:
        """Return the details with long lists cut in the middle, so that they are always short.

        The length of such a list is another detail, such as `cycle_count`.
        """
        short: dict[str, object] = {}
        for name, value in self.details.items():
            short[name] = value
            if type(value) is list and len(value) > _SHOWN:
                short[name] = [*value[: _SHOWN // 2], *value[-_SHOWN // 2 :]]
                short[f"{name}_count"] = len(value)
        return short


def _restore(kind: type[OutlastError], text: str, details: dict[str, object]) -> OutlastError:
    return kind(text, **details)


class Refused(OutlastError):
    """A rule of the plan forbids the command; nothing has changed."""


class InvalidArgument(Refused):
    """A value has the wrong type, form or size."""

    code = "INVALID_ARGUMENT"


class InvalidSetting(InvalidArgument):
    """A setting is unknown or invalid; `details["where"]` names its source."""

    code = "INVALID_SETTING"


class PlanNotActive(Refused):
    """The plan is paused, aborted or has no tasks, so no task can be worked on."""

    code = "PLAN_NOT_ACTIVE"


class TaskNotFound(Refused):
    """No task has this id."""

    code = "TASK_NOT_FOUND"


class PhaseNotFound(Refused):
    """No phase has this id."""

    code = "PHASE_NOT_FOUND"


class TaskNotEditable(Refused):
    """The task's status does not allow editing or removing it."""

    code = "TASK_NOT_EDITABLE"


class InvalidStatus(Refused):
    """The status of the plan or the task does not allow this step."""

    code = "INVALID_STATUS"


class TaskClaimed(Refused):
    """Another actor holds the task; `details` has the holder and the deadline."""

    code = "TASK_CLAIMED"


class ClaimLost(Refused):
    """The fence token is outdated: another actor may work on the task now."""

    code = "CLAIM_LOST"


class ProofNeeded(Refused):
    """The task has checks, and no proof shows that they pass."""

    code = "PROOF_NEEDED"


class CheckFailed(ProofNeeded):
    """A check of the task fails; `details` has the check and its output."""

    code = "CHECK_FAILED"


class CheckUnknown(ProofNeeded):
    """A check was killed, could not start or took too long, so that it shows nothing."""

    code = "CHECK_UNKNOWN"


class CheckNotApproved(ProofNeeded):
    """A check would run a command that no person has approved on this machine."""

    code = "CHECK_NOT_APPROVED"


class Tampered(ProofNeeded):
    """The checks or the protected files changed during the attempt."""

    code = "TAMPERED"


class OutOfBudget(Refused):
    """The remaining budget does not cover this; `details` has the amounts."""

    code = "OUT_OF_BUDGET"


class InvalidDependency(Refused):
    """A task needs one that does not exist or could never come first."""

    code = "INVALID_DEPENDENCY"


class CircularDependency(Refused):
    """The needs would form a cycle; `details["cycle"]` has it, closed."""

    code = "CIRCULAR_DEPENDENCY"


class InvalidDocument(OutlastError):
    """A document cannot be read as a plan; `details["where"]` has the place."""

    code = "INVALID_DOCUMENT"


class UnknownForm(InvalidDocument):
    """A file is no plan in a form that can be imported; nothing was created.

    `details["expected"]` are the forms, `line` is where reading stopped, and `near` the form that
    the file resembles most, or empty.
    """

    code = "UNKNOWN_FORM"


class WrongUsage(OutlastError):
    """A command line is invalid; nothing was done."""

    code = "WRONG_USAGE"


class Unconfirmed(OutlastError):
    """Only a person may do this, or a person has to confirm it first."""

    code = "UNCONFIRMED"


class ToolFailed(OutlastError):
    """A tool failed."""

    code = "TOOL_FAILED"


class NotPermitted(ToolFailed):
    """A tool was not run: it would leave the workspace or may destroy something."""

    code = "NOT_PERMITTED"


class AgentUnavailable(OutlastError):
    """An agent is not installed, or cannot do what it is needed for."""

    code = "AGENT_UNAVAILABLE"


class ModelFailed(OutlastError):
    """A model gave no usable reply."""

    code = "MODEL_FAILED"


class ModelBusy(ModelFailed):
    """A model or its server is overloaded; `details["retry_after"]` may have the seconds."""

    code = "MODEL_BUSY"


class ExtraMissing(OutlastError, ImportError):
    """A module needs packages that an extra of Outlast installs; `details["extra"]` names it."""

    code = "EXTRA_MISSING"


class StoreError(OutlastError):
    """A plan cannot be found, read or written."""

    code = "STORE_ERROR"


class PlanNotFound(StoreError):
    """There is no such plan; `details["candidates"]` lists the existing ones."""

    code = "PLAN_NOT_FOUND"


class PlanExists(StoreError):
    """A plan with this key exists already."""

    code = "PLAN_EXISTS"


class PlanClosed(StoreError):
    """The plan was used after `close()`; open it again."""

    code = "PLAN_CLOSED"


class UnsuitableFileSystem(StoreError):
    """A plan would not be safe on this kind of file system; nothing was written."""

    code = "UNSUITABLE_FILE_SYSTEM"


class NewerFormat(StoreError):
    """The files were written by a newer Outlast; nothing was changed."""

    code = "NEWER_FORMAT"


class DamagedJournal(StoreError):
    """The journal is damaged before its end: the plan is readable up to there, not writable."""

    code = "DAMAGED_JOURNAL"


class HistoryDiverged(StoreError):
    """The stored history is not the one that an open plan knew; open the plan again to use it."""

    code = "HISTORY_DIVERGED"


class LockTimeout(StoreError):
    """Another process did not release the lock in time; nothing was written."""

    code = "LOCK_TIMEOUT"


class WriteFailed(StoreError):
    """The disk did not accept a change; the plan is unchanged."""

    code = "WRITE_FAILED"
