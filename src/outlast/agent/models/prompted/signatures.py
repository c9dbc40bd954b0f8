"""Render tool schemas as signatures: `read_file(path: string, limit?: integer)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json

if TYPE_CHECKING:
    from outlast.context.chat_model import ToolSpec

_MAX_DEPTH: Final = 6


def tool_signature(tool: ToolSpec) -> str:
    """Return a tool as one line, in a third of the tokens of its schema."""
    return f"{tool.name}({_fields(tool.parameters, 0)}): {' '.join(tool.description.split())}"


def _fields(schema: dict[str, Any], depth: int) -> str:
    needed = schema.get("required", ())
    return ", ".join(
        f"{name}{'' if name in needed else '?'}: {_kind(field, depth)}{_remark(field)}"
        for name, field in schema.get("properties", {}).items()
    )


def _remark(schema: Any) -> str:  # noqa: ANN401 - any JSON
    description = schema.get("description") if isinstance(schema, dict) else None
    return f" ({' '.join(str(description).split())})" if description else ""


def _kind(schema: Any, depth: int) -> str:  # noqa: ANN401 - any JSON
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return "any"
    if choices := _choices(schema, depth):
        return " | ".join(choices)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{_kind(schema.get('items'), depth + 1)}]"
    if kind == "object" and "properties" in schema:
        return f"{{{_fields(schema, depth + 1)}}}"
    return str(kind)


def _choices(schema: dict[str, Any], depth: int) -> list[str]:
    if isinstance(schema.get("type"), list):
        return list(map(str, schema["type"]))
    forms = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    return [_kind(form, depth + 1) for form in forms] or [
        json.encode(value).decode() for value in values
    ]
