"""Redact JSON-like values: secrets in strings, and every value under the name of a secret."""

from __future__ import annotations

import json
import re
from typing import Final

from outlast.redact.secrets import NAME, REDACTED, names_page_token, redact

_ENDS_WITH_NAME: Final = re.compile(NAME + r"(?:(?<!token)s)?\Z", re.VERBOSE)
_FLAG_WITH_NAME: Final = re.compile(r"--?[a-z0-9-]*" + NAME + r"\Z", re.VERBOSE)


def redact_value(value: object) -> object:
    """Return a redacted copy of a JSON-like value of any depth."""
    return _RedactedCopy().copy(value)


def redact_json(text: str) -> str:
    """Redact JSON as a value, and a text that is no JSON as a text."""
    try:
        value: object = json.loads(text)
        redacted = redact_value(value)
        if redacted == value:
            return text
        return json.dumps(redacted, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return redact(text)


class _RedactedCopy:
    """A copy that is filled from a work list, so that depth needs no stack."""

    def __init__(self) -> None:
        """Start with an empty work list."""
        self._copies: dict[int, object] = {}
        self._objects: list[tuple[dict[object, object], dict[object, object]]] = []
        self._arrays: list[tuple[list[object] | tuple[object, ...], list[object]]] = []

    def copy(self, value: object) -> object:
        """Copy a value with all it contains."""
        copy = self._copy_or_queue(value)
        while self._objects or self._arrays:
            if self._objects:
                self._fill_object(*self._objects.pop())
            else:
                self._fill_array(*self._arrays.pop())
        return copy

    def _copy_or_queue(self, value: object) -> object:
        if isinstance(value, str):
            return redact(value)
        if not isinstance(value, dict | list | tuple):
            return value
        if id(value) not in self._copies:
            self._copies[id(value)] = self._queue_container(value)
        return self._copies[id(value)]

    def _queue_container(
        self, value: dict[object, object] | list[object] | tuple[object, ...]
    ) -> object:
        if isinstance(value, dict):
            copy: dict[object, object] = {}
            self._objects.append((value, copy))
            return copy
        array: list[object] = []
        self._arrays.append((value, array))
        return array

    def _fill_object(self, value: dict[object, object], copy: dict[object, object]) -> None:
        hides = _is_secret_name(value.get("name"), value.get("value"))
        for key, inner in value.items():
            hidden = _is_secret_name(key, inner) or (hides and key == "value")
            copy[self._copy_or_queue(key)] = REDACTED if hidden else self._copy_or_queue(inner)

    def _fill_array(self, value: list[object] | tuple[object, ...], copy: list[object]) -> None:
        hidden = False
        for inner in value:
            copy.append(
                REDACTED if hidden and isinstance(inner, str) else self._copy_or_queue(inner)
            )
            hidden = isinstance(inner, str) and _is_secret_flag(inner.lower())


def _is_secret_flag(low: str) -> bool:
    match = _FLAG_WITH_NAME.match(low)
    return match is not None and not (
        match["name"] == "token" and names_page_token(low[: match.start("name")])
    )


def _is_secret_name(key: object, value: object) -> bool:
    """Return whether the value under a key is a secret, whatever it looks like."""
    low = key.lower() if isinstance(key, str) else ""
    match = _ENDS_WITH_NAME.search(low)
    if match is None or (match["name"] == "token" and names_page_token(low[: match.start()])):
        return False
    if match["name"] == "pwd":
        return not (isinstance(value, str) and value.startswith(("/", "~", ".")))
    return match["name"] != "pass" or isinstance(value, str)
