"""Contracts: what a model answers when it plans, thinks and replans (R3.03).

The one `input` of an action becomes the parameters of its tool. A field is empty when it is absent,
null, blank or `[]`. Unknown keys are ignored.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from outlast.documents.contracts.problems import Problem
from outlast.model.limits import NAME_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from outlast.context.chat_model import ToolSpec

Json = dict[str, Any]
KEY_FORMAT: Final = "idempotency-key"  # of a parameter that the loop fills in, never the model
_PATH: Final = "next_action.input"
MOST_ITEMS: Final = 100
Words = Annotated[str, Meta(min_length=1)]
Item = Annotated[str, Meta(min_length=1, max_length=NAME_CHARACTERS)]


class Planned(Struct, frozen=True):
    """The first plan: its items in order. A goal that needs no steps has none."""

    status: Literal["planned"]
    plan: Annotated[tuple[Item, ...], Meta(max_length=MOST_ITEMS)]


class Action(Struct, frozen=True):
    """A tool to run, with the one text that it takes, or with its parameters."""

    tool: Words
    input: Words | dict[str, Any]


class Continue(Struct, frozen=True, tag="continue", tag_field="status"):
    """The item needs an action."""

    current_step: Words
    next_action: Action
    question: None = None
    response: None = None


class AskUser(Struct, frozen=True, tag="ask_user", tag_field="status"):
    """The item needs an answer of the user."""

    current_step: Words
    question: Words
    next_action: None = None
    response: None = None


class ItemDone(Struct, frozen=True, tag="done", tag_field="status"):
    """The item is done, perhaps with a conclusion for the replan that follows."""

    current_step: str | None = None
    next_action: None = None
    question: None = None
    response: str | None = None


Thought = Continue | AskUser | ItemDone


class Replanned(Struct, frozen=True, tag="replanned", tag_field="status"):
    """What remains to be done."""

    plan: Annotated[tuple[Item, ...], Meta(min_length=1, max_length=MOST_ITEMS)]


class AllDone(Struct, frozen=True, tag="done", tag_field="status"):
    """Nothing remains: the final answer to the user."""

    response: Words


Replan = Replanned | AllDone


def check_thought(
    tools: Mapping[str, ToolSpec], *, has_item: bool
) -> Callable[[Thought], Iterator[Problem]]:
    """Return the check of a thought: its tool takes its input, and there is an item (R3.13).

    Without an item only `done` and `ask_user` are left.
    """

    def check(thought: Thought) -> Iterator[Problem]:
        if not isinstance(thought, Continue):
            return
        if not has_item:
            yield Problem("thought_has_no_item", "status")
        name = thought.next_action.tool
        if name not in tools:
            details: dict[str, object] = {"tool": name, "known": sorted(tools)}
            yield Problem("thought_tool_unknown", "next_action.tool", details)
        elif problem := find_problem(tools[name], thought.next_action.input):
            yield problem

    return check


def task_name(item: str) -> str:
    """Return an item as the name of a task: one line."""
    return " ".join(item.split())


# Tool inputs (R3.09): a tool with exactly one required parameter that is a text takes the input as
# that text, and so does one whose only parameter is a text. Any other tool takes a JSON object. So
# the loop works with every tool.


def hide_keys(tool: ToolSpec) -> ToolSpec:
    """Return a tool as a model may know it: without what the loop fills in."""
    properties = {name: each for name, each in _properties(tool).items() if not _is_key(each)}
    return replace(tool, parameters={**tool.parameters, "properties": properties})


def text_parameter(tool: ToolSpec) -> str | None:
    """Return the parameter that takes the input as it is; None if the tool takes an object."""
    known = _properties(hide_keys(tool))
    names = required_names(tool) or list(known)
    is_text = len(names) == 1 and known.get(names[0], {}).get("type") == "string"
    return names[0] if is_text else None


def required_names(tool: ToolSpec) -> list[str]:
    """Return the required parameters of a tool; one that states them wrongly has none."""
    required = tool.parameters.get("required")
    return (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )


def find_problem(tool: ToolSpec, given: str | Json) -> Problem | None:
    """Return why an input cannot be that of a tool; None if it can."""
    params = _read(tool, given)
    missing = (
        [] if params is None else [name for name in required_names(tool) if name not in params]
    )
    if params is not None and not missing:
        return None
    takes, needs = list(_properties(hide_keys(tool))), required_names(tool)
    details: dict[str, object] = {"tool": tool.name, "takes": takes, "needs": needs}
    key = "action_takes_object" if text_parameter(tool) is None else "action_takes_text"
    return Problem(key, _PATH, details)


def write_input(given: str | Json) -> str:
    """Return an input as a text, to be recorded and shown."""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def read_params(tool: ToolSpec, given: str, key: str) -> Json:
    """Return the parameters of a tool for an input that has no problem.

    `key` goes into the parameter that makes a change happen once, if the tool has one.
    """
    keys = {name: key for name, each in _properties(tool).items() if _is_key(each)}
    return {**(_read(tool, given) or {}), **keys}


def _read(tool: ToolSpec, given: str | Json) -> Json | None:
    """Return the parameters that an input states; None if it cannot be read."""
    text, known = text_parameter(tool), _properties(hide_keys(tool))
    stated = given if isinstance(given, dict) else _parse_object(given)
    if text is None:
        return stated
    is_whole = stated is not None and text in stated and stated.keys() <= known.keys()
    if isinstance(given, str):
        return stated if is_whole else {text: given}
    return stated if is_whole and len(known) > 1 else None


def _parse_object(given: str) -> Json | None:
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _properties(tool: ToolSpec) -> Json:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _is_key(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("format") == KEY_FORMAT
