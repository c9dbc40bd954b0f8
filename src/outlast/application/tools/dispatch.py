"""Carry a call out, whatever was given, and put the answer into words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.application.context.escape import in_json, quoted
from outlast.application.tools.envelope import named_only, refusal
from outlast.application.tools.outcome import Outcome
from outlast.application.tools.sets import NAMES, find_tool
from outlast.domain.limits import wrong_type
from outlast.errors import InvalidArgument, OutlastError
from outlast.formats.redact.engine import redact_value
from outlast.texts import explain, visible

if TYPE_CHECKING:
    from outlast.application.plan.advance import Advancing
    from outlast.application.tools.table import Tool
    from outlast.texts import Language

_CHARACTERS: Final = 600  # of a refusal; what a check printed may be long


def call_tool(plan: Advancing, name: object, arguments: object) -> Outcome:
    """Run the tool that a model names, with the arguments as it gave them: an object or JSON."""
    tool = find_tool(name)
    try:
        return carry_out(plan, _known(name, tool), read_arguments(arguments))
    except OutlastError as error:
        return refused(error, lean=tool is None or tool.lean)


def carry_out(
    plan: Advancing,
    tool: Tool,
    params: Any,  # noqa: ANN401 - as a model gives it
    language: Language = "en",
) -> Outcome:
    """Run a tool of the plan's, without the secrets that were given to it."""
    try:
        said = tool.handler(plan, *tool.read((), named_only(redact_value(params))))
    except OutlastError as error:
        return refused(error, lean=tool.lean, language=language)
    if isinstance(said, Outcome):
        return replace(said, text=_shown(said.text))
    return Outcome(_shown(said) if tool.lean else _json({"success": True, "data": said}))


def refused(error: OutlastError, *, lean: bool, language: Language = "en") -> Outcome:
    """Say why something was not done, with its code."""
    if not lean:
        return Outcome(_json(refusal(error)), error.code)
    message = _shown(visible(explain(error, language)))
    cut = message if len(message) <= _CHARACTERS else f"{message[: _CHARACTERS - 1]}…"
    return Outcome(f"{error.code}: {cut}", error.code)


def read_arguments(given: object) -> object:
    """Return the arguments of a call; JSON is read, and nothing stands for no arguments."""
    if given is None or given == "":
        return {}
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        problem = str(error)[:_CHARACTERS]
        raise InvalidArgument("not_json", argument="arguments", problem=problem) from error


def _known(name: object, tool: Tool | None) -> Tool:
    if tool is not None:
        return tool
    if type(name) is not str:
        raise wrong_type("name", "string", name)
    from difflib import get_close_matches

    nearest = get_close_matches(name[:100], NAMES, 1, 0) or NAMES
    raise InvalidArgument("tool_unknown", argument="name", nearest=nearest[0])


def _json(answer: dict[str, Any]) -> str:
    return in_json(json.dumps(answer, ensure_ascii=False))


def _shown(said: str) -> str:
    """Return what a tool says: names of tasks and the like are in it, which anybody may choose."""
    return quoted(said, len(said))
