"""Hooks: functions, plain or async, that are called at fixed points of an agent's work."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal, Protocol

from msgspec import Struct

from outlast.context.plan_view import PlanView

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
    """The result of a tool, as hooks receive it."""

    success: bool
    output: str = ""
    error: str = ""


class HookContext(Struct, frozen=True):
    """What a hook receives; only the fields that its point knows are filled in.

    `action_count` counts the view operations since the last reminder. `prompt` is the user's text
    at `user_prompt`, and the model's last text at `on_stop`. An event with a `key` may be reported
    again after a crash.
    """

    point: Point
    tool_name: str = ""
    tool_params: Json = {}
    tool_result: ToolResult | None = None
    error: BaseException | None = None
    action_count: int = 0
    prompt: str = ""
    key: str = ""


class HookResult(Struct, frozen=True):
    """What a hook wants: whether to continue, text for the model, a notification for people.

    Who called the hooks finds in `refused_by` the names of those that refused.
    """

    should_continue: bool = True
    inject_context: str = ""
    notification: str = ""
    refused_by: str = ""


HookReturn = HookResult | None | Awaitable[HookResult | None]


class HookFunction(Protocol):
    """A user's function that is called at every point."""

    def __call__(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtSessionStart(Protocol):
    """An object that is called when a run starts."""

    def session_start(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtUserPrompt(Protocol):
    """An object that is called when the user sent a message."""

    def user_prompt(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtPreToolUse(Protocol):
    """An object that is called before a tool runs."""

    def pre_tool_use(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtPostToolUse(Protocol):
    """An object that is called after a tool ran or failed."""

    def post_tool_use(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtError(Protocol):
    """An object that is called after a tool failed."""

    def on_error(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtCompaction(Protocol):
    """An object that is called before the conversation is compacted."""

    def pre_compact(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


class AtStop(Protocol):
    """An object that is called when the model wants to stop."""

    def on_stop(self, context: HookContext, plan: PlanView | None, /) -> HookReturn:
        """Return what to do, or None for nothing."""


# An object has a method for each point that it handles.
Hook = (
    HookFunction
    | AtSessionStart
    | AtUserPrompt
    | AtPreToolUse
    | AtPostToolUse
    | AtError
    | AtCompaction
    | AtStop
)
