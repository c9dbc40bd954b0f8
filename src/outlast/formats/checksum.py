"""One JSON object on one line, with a checksum as its last field."""

from __future__ import annotations

from typing import Final
from zlib import crc32

_TAIL: Final = len(b',"crc":"00000000"}')
MARK: Final = _TAIL + 1  # bytes at the end of a line, its end included, that tell it from others


def seal(body: bytes) -> bytes:
    """Return an object's line: the body with its checksum, and a line end."""
    return b'%b,"crc":"%08x"}\n' % (body[:-1], crc32(body))


def unseal(line: bytes) -> bytes | None:
    """Return the body of a line, or None if the checksum does not hold."""
    body = line[:-_TAIL] + b"}"
    return body if line[-_TAIL:] == b',"crc":"%08x"}' % crc32(body) else None
