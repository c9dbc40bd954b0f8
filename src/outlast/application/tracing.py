"""Spans of OpenTelemetry, where the process uses it: names, counts and outcomes, no content."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.trace import Tracer

    Value = str | int | float | bool

_API: Final = "opentelemetry"
OUTCOME: Final = "outlast.outcome"


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
def span(name: str, **about: Value) -> Iterator[Callable[[str, Value], object]]:
    """Run a block in a span; what is yielded sets an attribute of it. An error is its outcome."""
    tracer = find_tracer()
    if tracer is None:
        yield lambda _name, _value: None
        return
    with tracer.start_as_current_span(
        name, attributes=about, record_exception=False, set_status_on_exception=False
    ) as made:
        try:
            yield made.set_attribute
        except BaseException as error:
            made.set_attribute(OUTCOME, type(error).__name__)
            raise
