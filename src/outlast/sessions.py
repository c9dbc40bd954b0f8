"""`PlanningService`: the plan of a session as phases and steps, its errors, findings and hooks."""

from outlast.application.facades.session_plan import (
    CurrentTask,
    Metadata,
    SessionPlan,
    TaskPhase,
    TaskPlan,
    TaskStep,
)
from outlast.ports.clock import Clock
from outlast.wiring.planning_service import PlanningService

__all__ = [
    "Clock",
    "CurrentTask",
    "Metadata",
    "PlanningService",
    "SessionPlan",
    "TaskPhase",
    "TaskPlan",
    "TaskStep",
]
