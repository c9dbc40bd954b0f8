"""Hooks: functions that are asked at certain points of an agent's work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView

Json = dict[str, Any]
Point = Literal[
    "session_start",
    "user_prompt",
    "pre_tool_use",
    "post_tool_use",
    "on_error",
    "pre_compact",
    "on_stop",
]


class ToolResult(Struct, frozen=True):
    """What came of a tool, as hooks are told."""

    success: bool
    output: str = ""
    error: str = ""


class HookContext(Struct, frozen=True):
    """What a hook is told; only what its point knows is filled in.

    `action_count` counts the view operations since the last reminder. `prompt` is the user's text,
    or what the model said as it wanted to stop.
    """

    point: Point
    tool_name: str = ""
    tool_params: Json = {}
    tool_result: ToolResult | None = None
    error: BaseException | None = None
    action_count: int = 0
    prompt: str = ""


class HookResult(Struct, frozen=True):
    """What a hook wants: go on or not, text for the model, a notification for people."""

    should_continue: bool = True
    inject_context: str = ""
    notification: str = ""


class AskedAlways(Protocol):
    """A function of a user's that is asked at every point."""

    def __call__(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Look at what is going on and say what to do; None for nothing."""


class AtSessionStart(Protocol):
    """An object that is asked when a run begins."""

    def session_start(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtUserPrompt(Protocol):
    """An object that is asked when the user has said something."""

    def user_prompt(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtPreToolUse(Protocol):
    """An object that is asked before a tool runs."""

    def pre_tool_use(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtPostToolUse(Protocol):
    """An object that is asked when a tool has run, or failed."""

    def post_tool_use(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtError(Protocol):
    """An object that is asked when a tool has failed."""

    def on_error(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtCompaction(Protocol):
    """An object that is asked before the conversation is cut."""

    def pre_compact(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


class AtStop(Protocol):
    """An object that is asked when the model wants to stop."""

    def on_stop(self, context: HookContext, plan: PlanView | None, /) -> HookResult | None:
        """Say what to do."""


# An object has a method for each point that it cares about.
Hook = (
    AskedAlways
    | AtSessionStart
    | AtUserPrompt
    | AtPreToolUse
    | AtPostToolUse
    | AtError
    | AtCompaction
    | AtStop
)
