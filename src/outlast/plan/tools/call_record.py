"""The record of a tool call in the journal: enough to settle it after a crash, without secrets."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from outlast.context.chat_model import Call
from outlast.context.tool import DIGEST, JournalParams, Tool, digest
from outlast.model.limits import NAME_CHARACTERS
from outlast.redact.values import redact_value
from outlast.system.logs import LOG

Json = dict[str, Any]
SHELL_TOOL: Final = "bash"
_STRING_LIMITS: Final = (200, 100, 40)
_MAIN_PARAMETERS: Final = ("path", "command", "pattern", "title", "question")  # first


def record_call(call: Call, tool: Tool | None) -> str:
    """Return the line to record for a call; the tool may choose which parameters to record."""
    if not isinstance(tool, JournalParams):
        return call_line(call)
    try:
        return call_line(Call(call.name, tool.journal_params(call.params)))
    except Exception:
        LOG.exception("%s failed to say what to keep", call.name)
        return call_line(call)


def call_line(call: Call) -> str:
    """Return the tool's name and the parameters on one line.

    Strings that are long or contain a secret are replaced by their digest. If the line is still too
    long, only the name is recorded.
    """
    redacted = redact_value(call.params)
    for limit in _STRING_LIMITS:
        line = f"{call.name} {canonical_json(_with_digests(call.params, redacted, limit))}"
        if len(line) <= NAME_CHARACTERS:
            return line
    return call.name[:NAME_CHARACTERS]


def parse_call_line(line: str) -> tuple[str, Json | None]:
    """Return the name and the parameters of a recorded call; None for parameters not recorded."""
    name, _, rest = line.partition(" ")
    try:
        value = json.loads(rest) if rest else None
    except ValueError:
        value = None
    return name, value if isinstance(value, dict) else None


def describe_call(name: str, params: Json) -> str:
    """Return a call in a few words: the tool's name and its main parameter."""
    return f"{name} {_main_parameter(params)}".rstrip()


def describe_recorded_call(line: str) -> str:
    """Return a recorded call in a few words; of a shell command the command alone."""
    name, params = parse_call_line(line)
    main = _main_parameter(params or {})
    return main if name == SHELL_TOOL and main else f"{name} {main}".rstrip()


def _main_parameter(params: Json) -> str:
    """Return the parameter that tells most, as one line; a list by the names of its items."""
    main = {name: params[name] for name in _MAIN_PARAMETERS if name in params}
    for value in (main or params).values():
        if isinstance(value, str | int | float) and not str(value).startswith(DIGEST):
            return " ".join(str(value).split())
        if isinstance(value, list) and value:
            return ", ".join(map(_item_name, value))
    return ""


def _item_name(item: object) -> str:
    if isinstance(item, dict):
        return str(item.get("name") or item.get("content") or next(iter(item.values()), ""))
    return str(item)


def canonical_json(value: object) -> str:
    """Return the canonical JSON of a value, on one line."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    is_plain = line.isprintable() and line.splitlines() == [line]
    return line if is_plain else json.dumps(value, sort_keys=True, separators=(",", ":"))


def json_digest(value: object) -> str:
    """Return the digest of a JSON value."""
    return sha256(canonical_json(value).encode()).hexdigest()


def _with_digests(value: object, redacted: object, limit: int) -> object:
    """Replace the parts of a value that are long, or that differ from the redacted value."""
    if isinstance(value, dict) and isinstance(redacted, dict) and value.keys() == redacted.keys():
        return {key: _with_digests(value[key], redacted[key], limit) for key in value}
    if isinstance(value, list) and isinstance(redacted, list) and len(value) == len(redacted):
        return [_with_digests(*pair, limit) for pair in zip(value, redacted, strict=True)]
    if value != redacted:
        return digest(value if isinstance(value, str) else canonical_json(value))
    if isinstance(value, str) and (len(value) > limit or value.startswith(DIGEST)):
        return digest(value)
    return value
