"""The `outlast` logger: it redacts secrets and strips control characters.

`logging` takes longer to import than most commands take to run, so it is imported when something is
logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from outlast.language import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Handler, Logger, LogRecord


class _LazyLogger:
    """Makes the logger when something is asked of it."""

    def __init__(self) -> None:
        self.handlers: list[Callable[[], Handler]] = []
        self._logger: Logger | None = None

    def __getattr__(self, name: str) -> object:
        logger = self._logger or _make_logger()
        handlers, self.handlers, self._logger = self.handlers, [], logger
        for make in handlers:
            logger.addHandler(make())
        return getattr(logger, name)


def log_to(handler: Callable[[], Handler]) -> None:
    """Log to the handler that a function makes, which is called when something is logged."""
    _LAZY.handlers.append(handler)


def _make_logger() -> Logger:
    from logging import getLogger

    logger = getLogger("outlast")
    logger.addFilter(_redact_record)
    return logger


def _redact_record(record: LogRecord) -> bool:
    """Make a record safe. An exception stays only as text: its frames would lead to the secrets."""
    record.msg, record.args = _make_safe(record.getMessage()), ()
    if record.exc_info:
        from logging import Formatter

        record.exc_text = _make_safe(Formatter().formatException(record.exc_info))
        record.exc_info = None
    return True


def _make_safe(text: str) -> str:
    from outlast.redact.secrets import redact

    return "\n".join(map(visible, redact(text).splitlines()))


_LAZY: Final = _LazyLogger()
LOG: Final = cast("Logger", _LAZY)
