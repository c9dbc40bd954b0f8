"""What the journal keeps of a tool call: enough to settle it after a crash, and no secret."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from outlast.domain.limits import NAME_CHARACTERS
from outlast.formats.redact.engine import redact_value
from outlast.ports.model import Call
from outlast.ports.tool import DIGEST, Traced, digest
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.ports.tool import Tool

Json = dict[str, Any]
_LENGTHS: Final = (200, 100, 40)


def traced(call: Call, tool: Tool | None) -> str:
    """Return what is kept of a call that is about to be made: what its tool says, if it does."""
    if not isinstance(tool, Traced):
        return kept(call)
    try:
        return kept(Call(call.name, tool.trace(call.params)))
    except Exception:
        LOG.exception("%s failed to say what to keep", call.name)
        return kept(call)


def kept(call: Call) -> str:
    """Return the name of the tool and its parameters on one line.

    Strings that are long or have a secret in them are replaced by their digest. A call that is
    too large even so is kept by its name alone.
    """
    safe = redact_value(call.params)
    for longest in _LENGTHS:
        line = f"{call.name} {canonical(_shortened(call.params, safe, longest))}"
        if len(line) <= NAME_CHARACTERS:
            return line
    return call.name[:NAME_CHARACTERS]


def read_kept(what: str) -> tuple[str, Json | None]:
    """Return the name and the parameters of a call that was kept; None if they were too large."""
    name, _, params = what.partition(" ")
    try:
        found = json.loads(params) if params else None
    except ValueError:
        found = None
    return name, found if isinstance(found, dict) else None


def canonical(value: object) -> str:
    """Return the one spelling that a JSON value has here, on one line."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    plain = line.isprintable() and line.splitlines() == [line]
    return line if plain else json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(value: object) -> str:
    """Return the digest of a JSON value."""
    return sha256(canonical(value).encode()).hexdigest()


def _shortened(value: object, safe: object, longest: int) -> object:
    """Return a value with digests in it for what is long or differs from its safe version."""
    if isinstance(value, dict) and isinstance(safe, dict) and value.keys() == safe.keys():
        return {key: _shortened(value[key], safe[key], longest) for key in value}
    if isinstance(value, list) and isinstance(safe, list) and len(value) == len(safe):
        return [_shortened(*pair, longest) for pair in zip(value, safe, strict=True)]
    if value != safe:
        return digest(value if isinstance(value, str) else canonical(value))
    if isinstance(value, str) and (len(value) > longest or value.startswith(DIGEST)):
        return digest(value)
    return value
