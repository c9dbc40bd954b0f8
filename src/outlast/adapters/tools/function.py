"""A tool made of a Python function, which its types and its docstring describe."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from outlast.errors import InvalidArgument, ToolFailed
from outlast.system.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.tool import Concern, Level, Settlement

Json = dict[str, Any]
_VARIABLE = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)


class FunctionTool:
    """Runs a function, in a thread unless it is a coroutine function.

    A thread cannot be ended from outside: a function that is cancelled goes on by itself.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        level: Level = "execute",
        settle: Callable[[Json], Settlement] | Settlement = "unknown",
        concern: Callable[[Json], Concern | None] | None = None,
    ) -> None:
        """Read the function's signature; one that no schema can say is refused."""
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.description = _description(function)
        self.level = level
        self._function, self._settle, self._concern = function, settle, concern
        self._arguments = _arguments(self.name, function)
        self.parameters = _schema(self.name, self._arguments)

    def concern(self, params: Json) -> Concern | None:
        """Ask what the function's own question says; nothing without one."""
        return None if self._concern is None else self._concern(params)

    async def run(self, params: Json) -> str:
        """Call the function; what it returns is text, or becomes JSON."""
        try:
            given: msgspec.Struct = msgspec.convert(params, self._arguments)
        except msgspec.ValidationError as error:
            raise ToolFailed("tool_arguments", tool=self.name, problem=str(error)) from error
        arguments = {name: getattr(given, name) for name in given.__struct_fields__}
        call = partial(self._function, **arguments)
        is_quick = inspect.iscoroutinefunction(self._function)
        result = call() if is_quick else await in_thread(call)
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, str) else _told(result)

    def settle(self, params: Json) -> Settlement:
        """Answer as was said when the tool was made."""
        return self._settle(params) if callable(self._settle) else self._settle


def _told(result: object) -> str:
    """Return a result as JSON, or as it prints where JSON has no form for it.

    The function has done its work: a result that is hard to tell must not look like a failure.
    """
    try:
        return msgspec.json.encode(result, enc_hook=str).decode()
    except (TypeError, ValueError, RecursionError):
        return str(result)


def _description(function: Callable[..., Any]) -> str:
    """Return the first paragraph of the docstring in one line."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _arguments(tool: str, function: Callable[..., Any]) -> type[msgspec.Struct]:
    """Return a type that has a field for each parameter."""
    try:
        hints = get_type_hints(function, include_extras=True)
        found = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise InvalidArgument("tool_signature", name=tool, problem=str(error)) from error
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for one in found:
        if one.kind in _VARIABLE:
            raise InvalidArgument("tool_signature", name=tool, problem=str(one))
        kind = hints.get(one.name, Any)
        fields.append(
            (one.name, kind) if one.default is one.empty else (one.name, kind, _default(one))
        )
    return msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)


def _default(parameter: inspect.Parameter) -> Any:  # noqa: ANN401 - of any type
    """Return the default of a field; what can change must not be shared."""
    value = parameter.default
    if isinstance(value, list | dict | set | bytearray) and value:
        return msgspec.field(default_factory=value.copy)
    return value


def _schema(tool: str, arguments: type[msgspec.Struct]) -> Json:
    try:
        (whole,), parts = msgspec.json.schema_components(
            (arguments,), ref_template="#/$defs/{name}"
        )
    except TypeError as error:
        problem = str(error).rpartition("\n")[2]  # what stands before is for who writes schemas
        raise InvalidArgument("tool_signature", name=tool, problem=problem) from error
    schema: Json = parts.pop(whole["$ref"].rpartition("/")[2])
    schema.pop("title", None)
    schema.setdefault("required", [])
    return {**schema, "$defs": parts} if parts else schema
