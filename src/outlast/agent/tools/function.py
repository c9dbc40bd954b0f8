"""Make a tool of a Python function, described by its type hints and docstring."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from outlast.documents.contracts.contract import fit_contract
from outlast.documents.contracts.fit import fit
from outlast.documents.contracts.problems import Problems
from outlast.errors import InvalidArgument, ToolFailed
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.context.tool import Level, PermissionRequest, Settlement

Json = dict[str, Any]
_VARIABLE = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)


class FunctionTool:
    """Runs a function; in a thread unless it is a coroutine function.

    A thread cannot be killed: after a cancellation the function runs on by itself.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        level: Level = "execute",
        settle: Callable[[Json], Settlement] | Settlement = "unknown",
        permission_request: Callable[[Json], PermissionRequest | None] | None = None,
    ) -> None:
        """Build the schema; raise `InvalidArgument` for a signature without one."""
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.description = _description(function)
        self.level = level
        self._function, self._settle, self._permission_request = (
            function,
            settle,
            permission_request,
        )
        self._arguments = _arguments(self.name, function)
        self.parameters = _schema(self.name, self._arguments)

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Return what the `permission_request` option says, or None without one."""
        if self._permission_request is None:
            return None
        return self._permission_request(fit(params, self.parameters)[0])

    async def run(self, params: Json) -> str:
        """Call the function; encode a result that is no text as JSON."""
        parsed = fit_contract(params, self._arguments)
        if parsed.value is None:
            raise ToolFailed("tool_arguments", tool=self.name, problem=Problems(parsed.problems))
        arguments = {name: getattr(parsed.value, name) for name in parsed.value.__struct_fields__}
        call = partial(self._function, **arguments)
        is_async = inspect.iscoroutinefunction(self._function)
        result = call() if is_async else await call_in_thread(call)
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, str) else _result_text(result)

    def settle(self, params: Json) -> Settlement:
        """Return what the `settle` option says."""
        return self._settle(params) if callable(self._settle) else self._settle


def _result_text(result: object) -> str:
    """Return a result as JSON, or as `str` if JSON cannot represent it.

    The function succeeded, so an unusual result must not look like a failure.
    """
    try:
        return msgspec.json.encode(result, enc_hook=str).decode()
    except (TypeError, ValueError, RecursionError):
        return str(result)


def _description(function: Callable[..., Any]) -> str:
    """Return the first paragraph of the docstring as one line."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _arguments(tool: str, function: Callable[..., Any]) -> type[msgspec.Struct]:
    """Return a struct type with a field for each parameter."""
    try:
        hints = get_type_hints(function, include_extras=True)
        signature = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise InvalidArgument("tool_signature", name=tool, problem=str(error)) from error
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for parameter in signature:
        if parameter.kind in _VARIABLE:
            raise InvalidArgument("tool_signature", name=tool, problem=str(parameter))
        kind = hints.get(parameter.name, Any)
        fields.append(
            (parameter.name, kind)
            if parameter.default is parameter.empty
            else (parameter.name, kind, _default(parameter))
        )
    return msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)


def _default(parameter: inspect.Parameter) -> Any:  # noqa: ANN401 - of any type
    """Return the default of a field; copy mutable values for each use."""
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
        problem = str(error).rpartition("\n")[2]  # the lines before are for authors of schemas
        raise InvalidArgument("tool_signature", name=tool, problem=problem) from error
    schema: Json = parts.pop(whole["$ref"].rpartition("/")[2])
    schema.pop("title", None)
    schema.setdefault("required", [])
    return {**schema, "$defs": parts} if parts else schema
