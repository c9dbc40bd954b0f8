"""A checksum as the last field of a JSON object on one line."""

from __future__ import annotations

from typing import Final
from zlib import crc32

_TAIL: Final = len(b',"crc":"00000000"}')
TAIL_BYTES: Final = _TAIL + 1  # at the end of a line, line end included: they identify it
MARK: Final = slice(-11, -3)  # of a line with its line end: the checksum


def add_checksum(body: bytes) -> bytes:
    """Return the line of an object: its body with the checksum, and a line end."""
    return b'%b,"crc":"%08x"}\n' % (body[:-1], crc32(body))


def verify_checksum(line: bytes) -> bytes | None:
    """Return the body of a line, or None if the checksum does not match."""
    body = line[:-_TAIL] + b"}"
    return body if line[-_TAIL:] == b',"crc":"%08x"}' % crc32(body) else None
