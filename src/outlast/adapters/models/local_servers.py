"""Servers of models on this machine: which answer, and what they have."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS: Final = 5.0
_HOST: Final = "127.0.0.1"
_PORT: Final = 11434
_PORTS: Final = {"http": 80, "https": 443}  # of an address that has a scheme
_LARGEST: Final = 1_000_000


class _Model(Struct):
    name: str


class _Models(Struct):
    models: list[_Model]


def ollama_address(environment: Mapping[str, str]) -> str:
    """Return where Ollama is: as it reads its variable itself.

    That takes a host, a port, or both; with a scheme the port is that of the scheme.
    """
    scheme, found, rest = environment.get("OLLAMA_HOST", "").strip().rpartition("://")
    usual = _PORTS.get(scheme, _PORT)
    try:
        parts = urlsplit(f"//{rest}")
        host, path = parts.hostname or _HOST, parts.path.rstrip("/")
    except ValueError:
        host, path, parts = _HOST, "", urlsplit("")
    try:
        port = parts.port or usual
    except ValueError:
        port = usual
    host = _HOST if host == "0.0.0.0" else host  # noqa: S104 - where it listens, not where it is
    at = f"[{host}]" if ":" in host else host
    return f"{scheme if found else 'http'}://{at}:{port}{path}"


def models_at(url: str, seconds: float = SECONDS) -> list[str] | None:
    """Return the names of the models that Ollama has there; None if it does not say so in time.

    A server can take its time with every byte, and finding it can, too; so nobody waits for it.
    """
    found: list[list[str]] = []
    asking = Thread(target=lambda: found.extend(_asked(url, seconds)), daemon=True)
    asking.start()
    asking.join(seconds)
    return found[0] if found else None


def _asked(url: str, seconds: float) -> list[list[str]]:
    try:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=seconds)
        try:
            connection.request("GET", f"{parts.path}/api/tags")
            answer = connection.getresponse().read(_LARGEST)
        finally:
            connection.close()
        models = json.decode(answer, type=_Models).models
    except (OSError, HTTPException, DecodeError, ValidationError, ValueError):
        return []
    return [[model.name for model in models]]
