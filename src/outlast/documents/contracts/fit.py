"""Fit data to a JSON Schema as a reader with good will does, and list every problem.

An empty value (`""`, null, `[]`, `{}`) of an optional field is absent, unless its schema has
`KEEPS_EMPTY`. Numbers and booleans may come as strings, a list or an object as its JSON, a single
value where a list is expected. Nothing else is changed.
"""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal

from outlast.documents.contracts.lenient_json import MAX_DEPTH, read_json
from outlast.documents.contracts.problems import BrokenText, Problem, child_path
from outlast.model.limits import type_name

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEPS_EMPTY: Final = "x-keeps-empty"  # an empty value says something: that there is none
Json = dict[str, Any]
Unknown = Literal["refuse", "drop", "keep"]
_EXAMPLES: Final = {
    "string": '"…"',
    "integer": "3",
    "number": "1.5",
    "boolean": "true",
    "array": "[…]",
    "object": "{…}",
    "null": "null",
}
MAX_VALUES: Final = 200_000  # single values in one piece of data
_DIGITS: Final = 400


def fit(value: object, schema: Json, unknown: Unknown = "refuse") -> tuple[Any, list[Problem]]:
    """Return a value in the form that a schema wants, and the problems that remain.

    `unknown` says what becomes of keys that the schema does not have: `refuse` reports them where
    the schema forbids them and drops them elsewhere, `keep` leaves them to the caller. Where a
    required key is missing, dropped ones are reported too: one may be a wrong name for it.
    """
    fitter = _Fitter(schema.get("$defs", {}), unknown, count(1))
    return fitter.fit(value, schema, "", 0), fitter.problems


def is_empty(value: object) -> bool:
    """Return whether a value says nothing: null, an empty text, list or object."""
    return value is None or (type(value) in (str, list, tuple, dict) and not value)


class _Fitter:
    """Collects the problems of one value."""

    def __init__(self, definitions: Json, unknown: Unknown, steps: Iterator[int]) -> None:
        self._definitions, self._unknown, self._steps = definitions, unknown, steps
        self.problems: list[Problem] = []

    def fit(self, value: Any, schema: Any, path: str, depth: int) -> Any:  # noqa: ANN401 - any JSON
        if depth > MAX_DEPTH:
            return self._give_up("fit_too_deep", value, MAX_DEPTH)
        if next(self._steps) > MAX_VALUES:
            return self._give_up("fit_too_large", value, MAX_VALUES)
        schema = self._resolve(schema)
        if "discriminator" in schema:
            return self._fit_variant(value, schema, path, depth)
        if "anyOf" in schema:
            return self._fit_any(value, schema["anyOf"], path, depth)
        if "enum" in schema or "const" in schema:
            return self._fit_choice(value, schema, path)
        return self._fit_kind(value, schema, path, depth)

    def _resolve(self, schema: Any) -> Json:  # noqa: ANN401 - a schema may be a boolean
        if not isinstance(schema, dict):
            return {}
        resolved: Json = schema
        while "$ref" in resolved:
            resolved = self._definitions.get(resolved["$ref"].rpartition("/")[2], {})
        return resolved

    def _fit_variant(self, value: Any, schema: Json, path: str, depth: int) -> Any:  # noqa: ANN401
        """Fit an object to the variant that its tag names."""
        field, variants = (
            schema["discriminator"]["propertyName"],
            schema["discriminator"]["mapping"],
        )
        fields = _read_text(value, dict)
        if type(fields) is not dict:
            self._add_type(path, ["object"], value, {})
            return value
        where = child_path(path, field)
        tag = self._fit_choice(fields.get(field), {"enum": list(variants)}, where)
        if type(tag) is not str or tag not in variants:
            return value
        return self.fit({**fields, field: tag}, {"$ref": variants[tag]}, path, depth + 1)

    def _fit_any(self, value: Any, forms: list[Any], path: str, depth: int) -> Any:  # noqa: ANN401
        """Fit a value to the form of its own type, else to the first form that it fits.

        Null comes last: libraries do not agree on its place.
        """
        forms = sorted(
            map(self._resolve, forms),
            key=lambda form: (not _is_of_kind(value, form), _is_of_kind(None, form)),
        )
        problems: list[Problem] = []
        for form in forms:
            trial = self._trial()
            fitted = trial.fit(value, form, path, depth + 1)
            if not trial.problems:
                return fitted
            problems = problems or trial.problems
        if not any(_is_of_kind(value, form) for form in forms):
            kinds = [kind for form in forms for kind in _kinds(form)]
            problems = [self._type_problem(path, kinds, value, forms[0])]
        self.problems += problems
        return value

    def _trial(self) -> _Fitter:
        return _Fitter(self._definitions, self._unknown, self._steps)

    def _fit_choice(self, value: Any, schema: Json, path: str) -> Any:  # noqa: ANN401
        choices = schema.get("enum", [schema.get("const")])
        for choice in choices:
            if type(choice) is type(value) and choice == value:
                return choice
        if type(value) in (str, int, bool):
            word = _word(value)
            near = [choice for choice in choices if _word(choice) == word]
            if len(near) == 1:
                return near[0]
        self._add("fit_choice", path, choices=[_encode(choice) for choice in choices])
        return value

    def _fit_kind(self, value: Any, schema: Json, path: str, depth: int) -> Any:  # noqa: ANN401
        kinds, kind = _kinds(schema), type_name(value)
        if kinds == ["null"]:
            return self._fit_null(value, path)
        if kind not in kinds:
            kind = "number" if kind == "integer" and "number" in kinds else ""
        if kinds and not kind:
            value, kind = _convert(value, kinds)
            if not kind and "array" in kinds and not is_empty(value):
                trial = self._trial()
                fitted = trial.fit([value], schema, path, depth + 1)
                if not trial.problems:
                    return fitted
            if not kind:
                self._add_type(path, kinds, value, schema)
                return value
        if kind == "object" or (not kinds and "properties" in schema and type(value) is dict):
            return self._fit_object(value, schema, path, depth)
        if kind == "array":
            return self._fit_array(value, schema, path, depth)
        self._check_limits(value, schema, path)
        return value

    def _fit_null(self, value: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
        """Fit a value that has to be empty; a blank text is."""
        if is_empty(value) or (type(value) is str and not value.strip()):
            return None
        self._add("fit_not_empty", path)
        return value

    def _fit_object(self, value: Json, schema: Json, path: str, depth: int) -> Json:
        fields: Json = schema.get("properties", {})
        others = schema.get("additionalProperties", None if fields else True)
        fitted: Json = {}
        required = schema.get("required", ())
        missing = [name for name in required if name not in value]
        for name in missing:
            self._add_missing(child_path(path, name), fields.get(name, {}))
        is_refused = bool(missing) or (others is False and self._unknown == "refuse")
        for name, item in value.items():
            where = child_path(path, name)
            if name not in fields:
                if others:  # a schema of its own, or anything
                    fitted[name] = self.fit(item, others, where, depth + 1)
                elif not is_empty(item) and self._unknown == "keep":
                    fitted[name] = item
                elif not is_empty(item) and is_refused:  # perhaps it was meant for a missing one
                    self._add("fit_unknown", where, takes=list(fields))
            elif item is None and name in required and not self._takes_null(fields[name]):
                self._add_missing(where, fields[name])
            elif name in required or not _is_absent(item, self._resolve(fields[name])):
                fitted[name] = self.fit(item, fields[name], where, depth + 1)
        return fitted

    def _takes_null(self, schema: Any) -> bool:  # noqa: ANN401 - a schema may be a boolean
        form = self._resolve(schema)
        return not form or "anyOf" in form or _is_of_kind(None, form)

    def _fit_array(self, value: list[Any], schema: Json, path: str, depth: int) -> list[Any]:
        size = len(value)
        if size < schema.get("minItems", 0):
            self._add("fit_too_few", path, limit=schema["minItems"])
        if size > schema.get("maxItems", size):
            self._add("fit_too_many", path, limit=schema["maxItems"])
        if "prefixItems" in schema:
            return value
        items = schema.get("items", {})
        return [
            self.fit(item, items, child_path(path, index), depth + 1)
            for index, item in enumerate(value)
        ]

    def _check_limits(self, value: Any, schema: Json, path: str) -> None:  # noqa: ANN401
        if type(value) is str:
            least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
            if least and not value.strip():
                self._add("fit_empty", path, example=_example(schema))
            elif len(value) < least:
                self._add("fit_too_short", path, limit=least)
            elif len(value) > most:
                self._add("fit_too_long", path, limit=most)
        elif type(value) in (int, float):
            if value < schema.get("minimum", value):
                self._add("fit_least", path, least=schema["minimum"])
            elif value > schema.get("maximum", value):
                self._add("fit_most", path, limit=schema["maximum"])

    def _give_up(self, text: str, value: Any, limit: int) -> Any:  # noqa: ANN401
        problem = Problem(text, details={"limit": limit})
        if problem not in self.problems:
            self.problems.append(problem)
        return value

    def _add(self, text: str, path: str, **details: object) -> None:
        self.problems.append(Problem(text, path, details))

    def _add_missing(self, path: str, schema: Any) -> None:  # noqa: ANN401
        self._add("fit_missing", path, example=_example(self._resolve(schema)))

    def _add_type(self, path: str, kinds: list[str], value: object, schema: Json) -> None:
        self.problems.append(self._type_problem(path, kinds, value, schema))

    def _type_problem(self, path: str, kinds: list[str], value: object, schema: Json) -> Problem:
        details: dict[str, object] = {
            "expected": list(dict.fromkeys(kinds)),
            "got": type_name(value),
            "example": _example(schema or {"type": kinds}),
        }
        return Problem("fit_type", path, details)


def _is_absent(value: object, schema: Json) -> bool:
    """Return whether an optional value says nothing; 0 where at least 1 is wanted says nothing."""
    if schema.get(KEEPS_EMPTY):
        return False
    return is_empty(value) or (type(value) is int and value == 0 < schema.get("minimum", 0))


def _kinds(schema: Json) -> list[str]:
    if "enum" in schema or "const" in schema:
        choices = schema.get("enum", [schema.get("const")])
        return list(dict.fromkeys(map(type_name, choices)))
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _has_kind(value: object, kind: str) -> bool:
    name = type_name(value)
    return name == kind or (kind == "number" and name == "integer")


def _is_of_kind(value: object, schema: Json) -> bool:
    return any(_has_kind(value, kind) for kind in _kinds(schema))


def _convert(value: Any, kinds: list[str]) -> tuple[Any, str]:  # noqa: ANN401 - any JSON
    """Return a value as one of the kinds, if it says the same; else no kind."""
    for kind in kinds:
        converted = _CONVERTERS[kind](value) if kind in _CONVERTERS else None
        if converted is not None:
            return converted, kind
    return value, ""


def _to_integer(value: object) -> int | None:
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not str or len(value) > _DIGITS:
        return None
    try:
        return int(value.strip()) if "_" not in value else None
    except ValueError:
        return None


def _to_number(value: object) -> float | None:
    whole = _to_integer(value)
    if whole is not None or type(value) is not str or len(value) > _DIGITS:
        return whole
    try:
        number, end = read_json(value.strip())
    except BrokenText:
        return None
    return number if type(number) is float and end == len(value.strip()) else None


def _to_boolean(value: object) -> bool | None:
    word = value.strip().lower() if type(value) is str else ""
    return {"true": True, "false": False}.get(word)


def _to_array(value: object) -> list[Any] | None:
    read = _read_text(value, list)
    if type(read) is list:
        return read
    return [] if is_empty(value) else None


def _to_object(value: object) -> Json | None:
    read = _read_text(value, dict)
    return read if type(read) is dict else None


def _to_string(value: object) -> str | None:
    return str(value) if type(value) is int and abs(value) < 10**_DIGITS else None


def _read_text(value: object, kind: type) -> object:
    """Return the list or object that a text holds as JSON; any other value as it is."""
    if type(value) is not str or not value.strip().startswith("[" if kind is list else "{"):
        return value
    written = value.strip()
    try:
        read, end = read_json(written, closed=True)
    except BrokenText:
        return value
    return read if type(read) is kind and end == len(written) else value


_CONVERTERS: Final = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
    "string": _to_string,
}


def _word(choice: object) -> str:
    return str(choice).strip().casefold().replace("-", "_").replace(" ", "_")


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _example(schema: Json) -> str:
    """Return an example of a value by its type; none that could be taken for the value."""
    if "enum" in schema:
        return _encode(schema["enum"][0])
    forms = [form for form in schema.get("anyOf", (schema,)) if isinstance(form, dict)]
    kind = next((kind for form in forms for kind in _kinds(form)), "string")
    return _EXAMPLES[kind]
