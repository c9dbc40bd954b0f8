"""Hooks: what a function that is called during an agent's work receives and returns."""

from outlast.context.plan_view import PlanView
from outlast.hooks.port import (
    AtCompaction,
    AtError,
    AtPostToolUse,
    AtPreToolUse,
    AtSessionStart,
    AtStop,
    AtUserPrompt,
    Hook,
    HookContext,
    HookFunction,
    HookResult,
    HookReturn,
    Point,
    ToolResult,
)
from outlast.model.ledger import DoneAttempt
from outlast.model.model import Attempt

__all__ = [
    "AtCompaction",
    "AtError",
    "AtPostToolUse",
    "AtPreToolUse",
    "AtSessionStart",
    "AtStop",
    "AtUserPrompt",
    "Attempt",
    "DoneAttempt",
    "Hook",
    "HookContext",
    "HookFunction",
    "HookResult",
    "HookReturn",
    "PlanView",
    "Point",
    "ToolResult",
]
