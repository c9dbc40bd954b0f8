"""Contracts: what a model answers when it plans, thinks and replans (R3.03).

A field is empty when it is absent, null, blank or `[]`. Unknown keys are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from outlast.agent.loops.replan_loop.tool_inputs import find_problem
from outlast.documents.contracts.problems import Problem
from outlast.model.limits import NAME_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from outlast.context.chat_model import ToolSpec

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
