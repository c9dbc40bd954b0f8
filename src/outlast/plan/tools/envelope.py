"""The envelope in which `PlanManager` answers (R2): `success` with `data`, or an `error`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.model.limits import json_words

if TYPE_CHECKING:
    from outlast.errors import OutlastError

Envelope = dict[str, Any]

# Parameters that R2 names differently from the commands.
_PARAMETERS: Final = {
    "error": "error_message",
    "insert_after": "after_task_id",
    "needs": "dependencies",
    "retry": "should_retry",
    "status": "status_filter",
    "task": "task_id",
}


def refusal(error: OutlastError) -> Envelope:
    """Return the envelope of a refused call."""
    error = _with_parameter_name(json_words(error))
    return {
        "success": False,
        "error": {"code": error.code, "message": str(error), "details": error.short_details()},
    }


def _with_parameter_name(error: OutlastError) -> OutlastError:
    """Name the argument as R2 does, in the details and so in the message.

    An error with `takes` is about the call itself and has the name that the caller used.
    """
    place, dot, name = str(error.details.get("argument", "")).rpartition(".")
    if name not in _PARAMETERS or "takes" in error.details:
        return error
    details = {**error.details, "argument": f"{place}{dot}{_PARAMETERS[name]}"}
    return type(error)(error.text, **details)
