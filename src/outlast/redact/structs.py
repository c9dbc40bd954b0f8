"""Redact structs: every field whose type says that it holds text (`text_fields`).

Which fields these are is derived once for each type, when a value of it is first met.
"""

from __future__ import annotations

from functools import partial
from operator import is_not
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from outlast.redact.hints import has_hint
from outlast.redact.text_fields import REDACT, redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Redactor = Callable[..., Any]

T = TypeVar("T")
_COMMENT_END: Final = "-->"


class StructRedactor:
    """Redacts structs and the structs in them; `ways` are the ways that types of fields name.

    A value of a wrong type stays as it is: the rules refuse it.
    """

    def __init__(self, ways: Mapping[str, Redactor | None]) -> None:
        """Derive nothing yet."""
        self._ways = ways
        self._fields: dict[type, tuple[tuple[str, Redactor], ...]] = {}

    def redact(self, value: T) -> T:
        """Return a struct without secrets; the same object if there is nothing to redact."""
        fields = self._fields.get(type(value))
        if fields is None:
            fields = self._fields_of(type(value))
        safe = {}
        for name, redact_field in fields:
            old = getattr(value, name)
            new = redact_field(value if redact_field is _redact_subject else old)
            if new is not old:  # no truth of a value that is not checked yet
                safe[name] = new
        return replace(value, **safe) if safe else value  # type: ignore[type-var] # it has fields

    def _fields_of(self, kind: type) -> tuple[tuple[str, Redactor], ...]:
        hints = get_type_hints(kind, include_extras=True) if issubclass(kind, Struct) else {}
        rich = ((name, hint) for name, hint in hints.items() if type(hint) is not type)
        found = ((name, self._redactor_for(hint)) for name, hint in rich)
        fields = tuple((name, each) for name, each in found if each is not None)
        self._fields[kind] = fields
        return fields

    def _redactor_for(self, hint: Any) -> Redactor | None:  # noqa: ANN401 - a type of any form
        """Return how values of a type are redacted; a struct in it is looked at when it is met."""
        for meta in getattr(hint, "__metadata__", ()):
            return self._ways[meta.extra[REDACT]]
        for part in () if get_origin(hint) is Literal else get_args(hint):
            if type(part) is type:  # such as `int` or `None`
                continue
            redact_part = self._redactor_for(part)
            if redact_part is not None:
                is_tuple = get_origin(hint) is tuple
                return partial(_redact_each, redact_part) if is_tuple else redact_part
        return self.redact if isinstance(hint, type(Struct)) else None


def redact_commands(commands: Sequence[T]) -> Sequence[T]:
    """Return commands without secrets; the same object if there is nothing to redact."""
    redact = _COMMANDS.redact
    for command in commands:
        if redact(command) is not command:
            return tuple(map(redact, commands))
    return commands


def redact_event(event: T) -> T:
    """Return an event without secrets; the same object if there is nothing to redact."""
    return _EVENTS.redact(event)


def _redact_each(redact_part: Redactor, parts: object) -> object:
    """Redact values that have nothing to do with each other."""
    if type(parts) is not tuple:
        return parts
    safe = tuple(map(redact_part, parts))
    return safe if any(map(is_not, safe, parts)) else parts


def _redact_subject(question: Any) -> object:  # noqa: ANN401 - its fields are not checked yet
    match question.kind:
        case "goal":
            return redact_text(question.about)
        case "edit" | "replan" | "checks":
            return _redact_json(question.about)
    return question.about


def _redact_json(text: object) -> object:
    if type(text) is not str or not (has_hint(text) or "\\u" in text):
        return text
    from outlast.redact.values import redact_json

    return redact_json(text)


def _redact_lines(lines: object) -> object:
    """Redact lines as one text, since a private key has several; keep the ends of comments."""
    if type(lines) is not tuple or not all(type(line) is str for line in lines):
        return lines
    text = "\n".join(lines)
    if not has_hint(text):
        return lines
    from outlast.redact.secrets import redact

    safe = _COMMENT_END.join(map(redact, text.split(_COMMENT_END)))
    return lines if safe == text else tuple(safe.split("\n"))


def _redact_long_text(text: object) -> object:
    """Redact a text of any length: no rule refuses it later."""
    if type(text) is not str or not has_hint(text):
        return text
    from outlast.redact.secrets import redact

    return redact(text)


def _redact_values(values: object) -> object:
    if not has_hint(repr(values)):  # every name of a secret is printed as it is
        return values
    from outlast.redact.values import redact_value

    safe = redact_value(values)
    return values if safe == values else safe


_COMMANDS: Final = StructRedactor(
    {
        "text": redact_text,
        "json": _redact_json,
        "lines": _redact_lines,
        "subject": _redact_subject,
        "not": None,
    }
)
_EVENTS: Final = StructRedactor({"text": _redact_long_text, "values": _redact_values})
