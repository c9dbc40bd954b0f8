"""What a model says, as it has to be: a model may be anybody's own code."""

from __future__ import annotations

from msgspec import DecodeError, json

from outlast.errors import ModelFailed
from outlast.ports.model import Reply


def sound(reply: object) -> Reply:
    """Return a reply that can be kept and sent on; one of another shape is a failure."""
    try:
        if isinstance(reply, Reply):
            return json.decode(json.encode(reply), type=Reply)
    except (DecodeError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ModelFailed("reply_wrong", problem=type(error).__name__, usage=None) from error
    raise ModelFailed("reply_wrong", problem=type(reply).__name__, usage=None)
