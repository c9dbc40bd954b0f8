"""Servers of models on this machine: which answer, and what they have."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

if TYPE_CHECKING:
    from collections.abc import Mapping

OLLAMA_PORT: Final = 11434
_LARGEST: Final = 1_000_000
_SECONDS: Final = 1.0


class _Model(Struct):
    name: str


class _Models(Struct):
    models: list[_Model]


def ollama_address(environment: Mapping[str, str]) -> str:
    """Return where Ollama is, which takes a host, a port, or both, with `http://` or without."""
    given = environment.get("OLLAMA_HOST", "").strip()
    parts = urlsplit(given if "://" in given else f"http://{given}")
    try:
        port = parts.port or OLLAMA_PORT
    except ValueError:
        port = OLLAMA_PORT
    host = parts.hostname or "127.0.0.1"
    host = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - where it listens, not where it is
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def models_at(url: str) -> list[str] | None:
    """Return the names of the models that Ollama has there; None if nothing answers."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        connection.request("GET", "/api/tags")
        response: Any = connection.getresponse()
        found = json.decode(response.read(_LARGEST), type=_Models)
    except (OSError, HTTPException, DecodeError, ValidationError):
        return None
    finally:
        connection.close()
    return [model.name for model in found.models]
