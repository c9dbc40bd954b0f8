"""The envelope in which `PlanManager` answers (R2): `success` with `data`, or an `error`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from outlast.errors import OutlastError

Envelope = dict[str, Any]

# Parameters that R2 names differently from the commands.
_PARAMETERS: Final = {"needs": "dependencies", "insert_after": "after_task_id"}


def refusal(error: OutlastError) -> Envelope:
    """Return the envelope of a refused call."""
    error = _with_parameter_name(error)
    return {
        "success": False,
        "error": {"code": error.code, "message": str(error), "details": error.details},
    }


def _with_parameter_name(error: OutlastError) -> OutlastError:
    """Name the argument as R2 does, in the details and so in the message."""
    place, dot, name = str(error.details.get("argument", "")).rpartition(".")
    if name not in _PARAMETERS:
        return error
    details = {**error.details, "argument": f"{place}{dot}{_PARAMETERS[name]}"}
    return type(error)(error.text, **details)
