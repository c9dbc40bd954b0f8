"""Our log: what others say in it, errors of theirs above all, has no secrets and steers nothing."""

from __future__ import annotations

from logging import Filter, Formatter, LogRecord, getLogger
from typing import Final

from outlast.texts import visible


class _Safe(Filter):
    """Rewrites records. An error stays only as text: itself it would lead back to what it saw."""

    def filter(self, record: LogRecord) -> bool:
        """Let every record through."""
        record.msg, record.args = _safe(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = _safe(Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


def _safe(said: str) -> str:
    from outlast.formats.redact.engine import redact

    return "\n".join(map(visible, redact(said).splitlines()))


LOG: Final = getLogger("outlast")
LOG.addFilter(_Safe())
