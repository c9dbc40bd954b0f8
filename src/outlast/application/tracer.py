"""Spans of OpenTelemetry, where the process uses it: names, counts and outcomes, no content."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.trace import Span, Tracer

    Value = str | int | float | bool

_API: Final = "opentelemetry"
OUTCOME: Final = "outlast.outcome"


class Note(Protocol):
    """Writes something into a span."""

    def __call__(self, name: str, value: Value, *, failed: bool = False) -> None:
        """Set an attribute; one that says that it `failed` makes an error of the span."""


def find_tracer() -> Tracer | None:
    """Return the tracer of this process; None where nobody has loaded OpenTelemetry.

    Without it there is nobody who would receive a span, and loading it takes time.
    """
    if _API not in sys.modules:
        return None
    try:
        from opentelemetry.trace import get_tracer
    except ImportError:
        return None
    return get_tracer("outlast")


@contextmanager
def span(name: str, **about: Value) -> Iterator[Note]:
    """Run a block in a span, into which it may write; an error is its outcome."""
    tracer = find_tracer()
    if tracer is None:
        yield _unwritten
        return
    with tracer.start_as_current_span(
        name, attributes=about, record_exception=False, set_status_on_exception=False
    ) as made:
        note = _writing(made)
        try:
            yield note
        except BaseException as error:
            note(OUTCOME, type(error).__name__, failed=isinstance(error, Exception))
            raise


def _writing(made: Span) -> Note:
    from opentelemetry.trace import StatusCode

    def note(name: str, value: Value, *, failed: bool = False) -> None:
        made.set_attribute(name, value)
        if failed:
            made.set_status(StatusCode.ERROR)

    return note


def _unwritten(name: str, value: Value, *, failed: bool = False) -> None:
    """Write nothing."""
