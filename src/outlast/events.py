"""Events that `AgentLoop(on_event=…)` sends to its listener."""

from outlast.ports.events import (
    Asked,
    CallEnded,
    CallRefused,
    CallStarted,
    Event,
    Notified,
    PlanMoved,
    Said,
    Spent,
    Stopped,
    StopReason,
    Streamed,
    Todo,
    TodoUpdated,
    to_json,
)

__all__ = [
    "Asked",
    "CallEnded",
    "CallRefused",
    "CallStarted",
    "Event",
    "Notified",
    "PlanMoved",
    "Said",
    "Spent",
    "StopReason",
    "Stopped",
    "Streamed",
    "Todo",
    "TodoUpdated",
    "to_json",
]
