"""What the functions for models are given, and how those of R2 say that nothing was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.domain.limits import wrong_type

if TYPE_CHECKING:
    from outlast.errors import OutlastError

Envelope = dict[str, Any]


def refusal(error: OutlastError) -> Envelope:
    """Return the answer that says why something was not done."""
    return {
        "success": False,
        "error": {"code": error.code, "message": str(error), "details": error.details},
    }


def named_only(arguments: object) -> dict[str, object]:
    """Accept the arguments of a call: an object whose keys are strings."""
    if type(arguments) is not dict:
        raise wrong_type("arguments", "object", arguments)
    for key in arguments:
        if type(key) is not str:
            raise wrong_type("arguments", "object with string keys", key)
    return arguments
