"""The `outlast` logger: it redacts secrets and strips control characters."""

from __future__ import annotations

from logging import Filter, Formatter, LogRecord, getLogger
from typing import Final

from outlast.texts import visible


class _RedactingFilter(Filter):
    """Makes records safe. An exception stays only as text: its frames would lead to the secrets."""

    def filter(self, record: LogRecord) -> bool:
        """Rewrite a record; let every one through."""
        record.msg, record.args = _make_safe(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = _make_safe(Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


def _make_safe(text: str) -> str:
    from outlast.formats.redact.secrets import redact

    return "\n".join(map(visible, redact(text).splitlines()))


LOG: Final = getLogger("outlast")
LOG.addFilter(_RedactingFilter())
