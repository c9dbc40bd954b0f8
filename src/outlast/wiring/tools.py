"""The tools of an agent: those that are built in, Python functions, and those of other packages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, get_args, overload

from outlast.domain.limits import check_choice, wrong_type
from outlast.errors import InvalidArgument
from outlast.ports.tool import Level, Settlement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

    from outlast.config.settings import Limits
    from outlast.ports.tool import Concern, Tool

GROUP: Final = "outlast.tools"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARTS: Final = ("description", "parameters", "level", "concern", "settle")
Json = dict[str, Any]


def built_in(
    workspace: str, *, outside: bool = False, limits: Limits | None = None
) -> tuple[Tool, ...]:
    """Return the tools for the files below a directory, and for commands in it.

    With `outside` they let paths out of it through, for which a person has to be asked.
    """
    from outlast.adapters.tools.files.edit_file import EditFile
    from outlast.adapters.tools.files.glob import Glob
    from outlast.adapters.tools.files.grep import Grep
    from outlast.adapters.tools.files.list_directory import ListDirectory
    from outlast.adapters.tools.files.read_file import ReadFile
    from outlast.adapters.tools.files.write_file import WriteFile
    from outlast.adapters.tools.shell.bash import MOST_SECONDS, Bash

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
        if isinstance(given, type) or not callable(given):
            raise wrong_type("function", "function", given)
        check_choice(level, "level", get_args(Level))
        if not callable(settle):
            check_choice(settle, "settle", get_args(Settlement))
        tool = FunctionTool(given, name=name, level=level, settle=settle, concern=concern)
        _check_name(tool.name)
        return tool

    return made if function is None else made(function)


def gathered(
    tools: Iterable[Tool | Callable[..., Any]], taken: Iterable[str] = ()
) -> tuple[Tool, ...]:
    """Return tools, functions made into some; two of one name are refused.

    The names in `taken` are those of the plan's own.
    """
    found: dict[str, Tool] = {}
    own = frozenset(taken)
    for one in tools:
        tool = _checked(one)
        if tool.name in own or tool.name in found:
            why = "tool_taken" if tool.name in own else "tool_twice"
            raise InvalidArgument(why, argument="tools", name=tool.name)
        found[tool.name] = tool
    return tuple(found.values())


def installed(enabled: Iterable[str]) -> tuple[Tool, ...]:
    """Return the tools of installed packages that the user has enabled by their names.

    No package is loaded that is not named: being installed is not being wanted.
    """
    from importlib.metadata import entry_points

    there = {point.name: point for point in entry_points(group=GROUP)}
    return gathered(_loaded(name, there) for name in enabled)


def _loaded(name: str, there: dict[str, EntryPoint]) -> Tool | Callable[..., Any]:
    if name not in there:
        raise InvalidArgument("tool_entry_missing", name=name, choices=sorted(there))
    try:
        found: Any = there[name].load()
        made: Tool | Callable[..., Any] = found() if isinstance(found, type) else found
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise InvalidArgument("tool_entry_broken", name=name, problem=problem) from error
    return made


def _checked(given: Any) -> Tool:  # noqa: ANN401 - whatever a user gives
    """Return what looks like a tool, or a function as one; a class is neither."""
    if isinstance(given, type):
        raise wrong_type("tools", "tool", given)
    if isinstance(getattr(given, "name", None), str) and hasattr(given, "run"):
        _check_whole(given)
        tool: Tool = given
        return tool
    if not callable(given):
        raise wrong_type("tools", "tool", given)
    return as_tool(given)


def _check_whole(tool: Any) -> None:  # noqa: ANN401 - it is not known to be one
    _check_name(tool.name)
    lacks = [part for part in _PARTS if not hasattr(tool, part)]
    if lacks:
        raise InvalidArgument("tool_lacks", argument="tools", name=tool.name, lacks=lacks)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("tool_name_wrong", argument="name", name=name)
