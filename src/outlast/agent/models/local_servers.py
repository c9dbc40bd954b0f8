"""Find local Ollama servers and list their models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

from outlast.system.http_get import RequestFailed, get

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS: Final = 5.0
_HOST: Final = "127.0.0.1"
_PORT: Final = 11434
_PORTS: Final = {"http": 80, "https": 443}  # defaults of a URL with a scheme
_MAX_BYTES: Final = 1_000_000


class _Model(Struct):
    name: str


class _Models(Struct):
    models: list[_Model]


def ollama_address(environment: Mapping[str, str]) -> str:
    """Return the URL of Ollama from `OLLAMA_HOST`, which Ollama reads the same way.

    The variable holds a host, a port, or both; with a scheme its default port applies.
    """
    scheme, separator, rest = environment.get("OLLAMA_HOST", "").strip().rpartition("://")
    default_port = _PORTS.get(scheme, _PORT)
    try:
        parts = urlsplit(f"//{rest}")
        host, path = parts.hostname or _HOST, parts.path.rstrip("/")
    except ValueError:
        host, path, parts = _HOST, "", urlsplit("")
    try:
        port = parts.port or default_port
    except ValueError:
        port = default_port
    host = _HOST if host == "0.0.0.0" else host  # noqa: S104 - only for listening
    shown_host = f"[{host}]" if ":" in host else host
    return f"{scheme if separator else 'http'}://{shown_host}:{port}{path}"


def list_models(url: str, seconds: float = SECONDS) -> list[str] | None:
    """Return the names of the models on an Ollama server; None without an answer in time."""
    try:
        answer = get(f"{url}/api/tags", seconds, _MAX_BYTES)
        return [model.name for model in json.decode(answer, type=_Models).models]
    except (RequestFailed, DecodeError, ValidationError):
        return None
