"""Hooks: what a function that is called during an agent's work receives and returns."""

from outlast.domain.ledger import DoneAttempt
from outlast.domain.model import Attempt
from outlast.ports.hook import (
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
from outlast.ports.plan_view import PlanView

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
