"""`Value`: the base of the frozen values that callers pass to a plan."""

from __future__ import annotations

from typing import Any

from msgspec import NODEFAULT, Struct


class Value(Struct, frozen=True):
    """A frozen value; pydantic accepts one, or an object of its fields.

    So frameworks can read the parameters of a method of a plan, such as `plan.add`.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: Any) -> dict[str, Any]:  # noqa: ANN401 - of pydantic, which is not imported
        from dataclasses import field, make_dataclass
        from typing import get_type_hints

        from msgspec.structs import fields

        hints = get_type_hints(cls)
        parts: list[Any] = [
            (part.name, hints[part.name])
            if part.default is NODEFAULT
            else (part.name, hints[part.name], field(default=part.default))
            for part in fields(cls)
        ]
        names = [part.name for part in fields(cls)]

        def make(given: object) -> object:
            return cls(**{name: getattr(given, name) for name in names})

        built = {
            "type": "function-after",
            "function": {"type": "no-info", "function": make},
            "schema": handler.generate_schema(make_dataclass(cls.__name__, parts)),
        }
        instance = {"type": "is-instance", "cls": cls}
        either = {"type": "union", "choices": [instance, built]}
        return {"type": "json-or-python", "json_schema": built, "python_schema": either}
