"""OpenTelemetry spans, if the process uses it: names, counts and outcomes, no content."""

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


class SpanWriter(Protocol):
    """Writes an attribute into a span."""

    def __call__(self, name: str, value: Value, *, failed: bool = False) -> None:
        """Set an attribute; `failed` also sets the status of the span to error."""


def find_tracer() -> Tracer | None:
    """Return the tracer of this process; None if OpenTelemetry has not been imported.

    Without it no exporter could receive a span, and importing it takes time.
    """
    if _API not in sys.modules:
        return None
    try:
        from opentelemetry.trace import get_tracer
    except ImportError:
        return None
    return get_tracer("outlast")


@contextmanager
def span(name: str, **attributes: Value) -> Iterator[SpanWriter]:
    """Run a block in a span and yield its writer; an error becomes the outcome."""
    tracer = find_tracer()
    if tracer is None:
        yield _write_nothing
        return
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        write = _span_writer(current)
        try:
            yield write
        except BaseException as error:
            write(OUTCOME, type(error).__name__, failed=isinstance(error, Exception))
            raise


def _span_writer(current: Span) -> SpanWriter:
    from opentelemetry.trace import StatusCode

    def write(name: str, value: Value, *, failed: bool = False) -> None:
        current.set_attribute(name, value)
        if failed:
            current.set_status(StatusCode.ERROR)

    return write


def _write_nothing(name: str, value: Value, *, failed: bool = False) -> None:
    """Ignore an attribute: there is no span."""
