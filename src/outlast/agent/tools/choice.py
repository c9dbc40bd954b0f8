"""Collect the tools of an agent: built-in ones, Python functions, tools of other packages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, get_args, overload

from outlast.config.settings import Limits
from outlast.context.tool import Level, PermissionRequest, Settlement, Tool
from outlast.errors import InvalidArgument
from outlast.model.limits import check_choice, wrong_type_error
from outlast.system.plugins import find_plugin, instance_of

GROUP: Final = "outlast.tools"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARTS: Final = ("description", "parameters", "level", "permission_request", "settle")
Json = dict[str, Any]


def built_in_tools(
    workspace: str | os.PathLike[str],
    *,
    allow_outside: bool = False,
    limits: Limits | None = None,
    pass_env: Collection[str] = (),
) -> tuple[Tool, ...]:
    """Return the file tools and `bash` for one directory.

    With `allow_outside`, paths outside of it are possible after a person has allowed them. `bash`
    gets the variables in `pass_env` even if they look like secrets.
    """
    from outlast.agent.tools.files.read import Glob, Grep, ListDirectory, ReadFile
    from outlast.agent.tools.files.write import EditFile, WriteFile
    from outlast.agent.tools.shell.bash import MAX_SECONDS, Bash

    root = os.fspath(workspace)
    most = MAX_SECONDS if limits is None else min(MAX_SECONDS, int(limits.tool_seconds))
    kinds = (ReadFile, WriteFile, EditFile, ListDirectory, Glob, Grep)
    return (
        *(kind(root, allow_outside=allow_outside) for kind in kinds),
        Bash(root, allow_outside=allow_outside, max_seconds=most, pass_env=pass_env),
    )


@overload
def as_tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def as_tool(
    *,
    name: str = "",
    level: Level = "execute",
    settle: Callable[[Json], Settlement] | Settlement = "unknown",
    permission_request: Callable[[Json], PermissionRequest | None] | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def as_tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    level: Level = "execute",
    settle: Callable[[Json], Settlement] | Settlement = "unknown",
    permission_request: Callable[[Json], PermissionRequest | None] | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Turn a typed Python function into a tool; also usable as a decorator with options.

    `settle` says what became of an interrupted call: a word that is always true, or a function of
    the parameters. `permission_request` says what a person should be asked first.
    """
    from outlast.agent.tools.function import FunctionTool

    def make(given: Callable[..., Any]) -> Tool:
        if isinstance(given, type) or not callable(given):
            raise wrong_type_error("function", "function", given)
        check_choice(level, "level", get_args(Level))
        if not callable(settle):
            check_choice(settle, "settle", get_args(Settlement))
        tool = FunctionTool(
            given, name=name, level=level, settle=settle, permission_request=permission_request
        )
        _check_name(tool.name)
        return tool

    return make if function is None else make(function)


def collect_tools(
    tools: Iterable[Tool | Callable[..., Any]], taken: Iterable[str] = ()
) -> tuple[Tool, ...]:
    """Return the tools, with functions turned into tools; refuse a name that occurs twice.

    `taken` are the names of the plan tools.
    """
    by_name: dict[str, Tool] = {}
    reserved = frozenset(taken)
    for given in tools:
        tool = _as_checked_tool(given)
        if tool.name in reserved or tool.name in by_name:
            why = "tool_taken" if tool.name in reserved else "tool_twice"
            raise InvalidArgument(why, argument="tools", name=tool.name)
        by_name[tool.name] = tool
    return tuple(by_name.values())


def installed_tools(enabled: Iterable[str]) -> tuple[Tool, ...]:
    """Return the tools of installed packages that the user enabled by name.

    A package that is not named is never imported.
    """
    return collect_tools(map(_load_tool, enabled))


def _load_tool(name: str) -> Tool | Callable[..., Any]:
    def missing(known: list[str]) -> InvalidArgument:
        return InvalidArgument("tool_entry_missing", name=name, choices=known)

    plugin = find_plugin(GROUP, name, missing)
    try:
        tool: Tool | Callable[..., Any] = instance_of(plugin.load())
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise InvalidArgument("tool_entry_broken", name=name, problem=problem) from error
    return tool


def _as_checked_tool(given: Any) -> Tool:  # noqa: ANN401 - users pass anything
    """Return a complete tool as it is, and a function as a tool; refuse anything else."""
    if isinstance(given, type):
        raise wrong_type_error("tools", "tool", given)
    if isinstance(getattr(given, "name", None), str) and hasattr(given, "run"):
        _check_parts(given)
        tool: Tool = given
        return tool
    if not callable(given):
        raise wrong_type_error("tools", "tool", given)
    return as_tool(given)


def _check_parts(tool: Any) -> None:  # noqa: ANN401 - not known to be a tool yet
    _check_name(tool.name)
    missing = [part for part in _PARTS if not hasattr(tool, part)]
    if missing:
        raise InvalidArgument("tool_lacks", argument="tools", name=tool.name, lacks=missing)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("tool_name_wrong", argument="name", name=name)
