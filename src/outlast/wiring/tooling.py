"""The tools of an agent: those that are built in, Python functions, and those of other packages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, overload

from outlast.domain.limits import wrong_type
from outlast.errors import InvalidArgument
from outlast.texts import EXPLAINING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

    from outlast.config.settings import Limits
    from outlast.ports.tool import Concern, Level, Settlement, Tool

GROUP: Final = "outlast.tools"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
Json = dict[str, Any]


def built_in(
    workspace: str, *, outside: bool = False, limits: Limits | None = None
) -> tuple[Tool, ...]:
    """Return the tools for the files below a directory, and for commands in it.

    With `outside` they let paths out of it through, for which a person has to be asked.
    """
    from outlast.adapters.tools.bash import MOST_SECONDS, Bash
    from outlast.adapters.tools.edit_file import EditFile
    from outlast.adapters.tools.glob import Glob
    from outlast.adapters.tools.grep import Grep
    from outlast.adapters.tools.list_directory import ListDirectory
    from outlast.adapters.tools.read_file import ReadFile
    from outlast.adapters.tools.write_file import WriteFile

    most = MOST_SECONDS if limits is None else min(MOST_SECONDS, int(limits.tool_seconds))
    kinds = (ReadFile, WriteFile, EditFile, ListDirectory, Glob, Grep)
    return (
        *(kind(workspace, outside=outside) for kind in kinds),
        Bash(workspace, outside=outside, most_seconds=most),
    )


@overload
def as_tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def as_tool(
    *,
    name: str = "",
    level: Level = "execute",
    settle: Callable[[Json], Settlement] | Settlement = "unknown",
    concern: Callable[[Json], Concern | None] | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def as_tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    level: Level = "execute",
    settle: Callable[[Json], Settlement] | Settlement = "unknown",
    concern: Callable[[Json], Concern | None] | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a typed Python function; also as a decorator, with options.

    `settle` says what became of an interrupted call: a word that is always true, or a function of
    the parameters. `concern` says what a person should be asked first.
    """
    from outlast.adapters.tools.function import FunctionTool

    def made(given: Callable[..., Any]) -> Tool:
        with EXPLAINING:
            tool = FunctionTool(given, name=name, level=level, settle=settle, concern=concern)
            _check_name(tool.name)
            return tool

    return made if function is None else made(function)


def gathered(
    tools: Iterable[Tool | Callable[..., Any]], taken: Iterable[str] = ()
) -> tuple[Tool, ...]:
    """Return tools, functions made into some; two of one name are refused."""
    found: list[Tool] = []
    names = set(taken)
    for one in tools:
        with EXPLAINING:
            tool: Tool = as_tool(one) if callable(one) else _checked(one)
            if tool.name in names:
                raise InvalidArgument("tool_twice", argument="tools", name=tool.name)
        names.add(tool.name)
        found.append(tool)
    return tuple(found)


def installed(enabled: Iterable[str]) -> tuple[Tool, ...]:
    """Return the tools of installed packages that the user has enabled by their names.

    No package is loaded that is not named: being installed is not being wanted.
    """
    from importlib.metadata import entry_points

    there = {point.name: point for point in entry_points(group=GROUP)}
    return gathered(_loaded(name, there) for name in enabled)


def _loaded(name: str, there: dict[str, EntryPoint]) -> Tool | Callable[..., Any]:
    with EXPLAINING:
        if name not in there:
            raise InvalidArgument("tool_entry_missing", name=name, choices=sorted(there))
        try:
            found: Any = there[name].load()
            made: Tool | Callable[..., Any] = found() if isinstance(found, type) else found
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise InvalidArgument("tool_entry_broken", name=name, problem=problem) from error
    return made


def _checked(tool: Tool) -> Tool:
    """Return what looks like a tool."""
    if not isinstance(getattr(tool, "name", None), str) or not hasattr(tool, "run"):
        raise wrong_type("tools", "tool", tool)
    _check_name(tool.name)
    return tool


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("tool_name_wrong", argument="name", name=name)
