"""Dispatch: run the tool that a call names and return the answer as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.context.escape import escape_json, quote
from outlast.errors import InvalidArgument, OutlastError
from outlast.language import Language, explain
from outlast.model.limits import json_words, wrong_type_error
from outlast.plan.tools.calls import Outcome, parse_call
from outlast.plan.tools.manager_tools import refusal
from outlast.plan.tools.plan_tool import PlanTool, check_arguments
from outlast.plan.tools.tool_sets import NAMES, find_tool

if TYPE_CHECKING:
    from outlast.plan.plan import Plan

_CHARACTERS: Final = 600  # of a refusal; the output of a check may be long


def call_tool(plan: Plan, name: object, arguments: object, prefix: str = "") -> Outcome:
    """Run the tool that a model names; the arguments are an object or its JSON."""
    tool = find_tool(name, prefix)
    try:
        return run_tool(plan, _require_tool(name, tool, prefix), read_arguments(arguments))
    except OutlastError as error:
        return refusal_outcome(error, lean=tool is None or tool.lean)


def answer_call(plan: Plan, call: object, prefix: str = "") -> dict[str, Any] | str:
    """Run a tool call of any SDK and return the answer in the dialect of the call."""
    parsed = parse_call(call)
    if parsed.is_known:
        return parsed.answer(call_tool(plan, parsed.name, parsed.arguments, prefix))
    return parsed.answer(refusal_outcome(InvalidArgument("call_form", argument="call"), lean=True))


def run_tool(
    plan: Plan,
    tool: PlanTool,
    params: Any,  # noqa: ANN401 - as a model gives it
    language: Language = "en",
) -> Outcome:
    """Run a tool."""
    try:
        answer = tool.handler(plan, *tool.read_call(check_arguments(params)))
    except OutlastError as error:
        return refusal_outcome(error, lean=tool.lean, language=language)
    if isinstance(answer, Outcome):
        return replace(answer, text=_quote(answer.text))
    return Outcome(_quote(answer) if tool.lean else _json({"success": True, "data": answer}))


def text_outcome(answer: str) -> Outcome:
    """Return a text as the answer of a call."""
    return Outcome(_quote(answer))


def refusal_outcome(error: OutlastError, *, lean: bool, language: Language = "en") -> Outcome:
    """Return an error as the answer of a call: its code and its message."""
    if not lean:
        return Outcome(_json(refusal(error)), error.code)
    message = _quote(explain(json_words(error), language))
    cut = message if len(message) <= _CHARACTERS else f"{message[: _CHARACTERS - 1]}…"
    return Outcome(f"{error.code}: {cut}", error.code)


def read_arguments(arguments: object) -> object:
    """Return the arguments of a call; a text is read as JSON, an empty one as no arguments."""
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments
    from outlast.documents.contracts.lenient_json import read_object
    from outlast.documents.contracts.problems import BrokenText

    try:
        return read_object(arguments)
    except BrokenText as error:
        problem = error.problem.explain()
        raise InvalidArgument("not_json", argument="arguments", problem=problem) from error


def _require_tool(name: object, tool: PlanTool | None, prefix: str) -> PlanTool:
    if tool is not None:
        return tool
    if type(name) is not str:
        raise wrong_type_error("name", "str", name)
    from difflib import get_close_matches

    nearest = get_close_matches(name[:100], NAMES, 1, 0) or NAMES
    raise InvalidArgument("tool_unknown", argument="name", nearest=f"{prefix}{nearest[0]}")


def _json(answer: dict[str, Any]) -> str:
    return escape_json(json.dumps(answer, ensure_ascii=False))


def _quote(answer: str) -> str:
    """Escape an answer: task names in it come from outside."""
    return quote(answer, len(answer))
