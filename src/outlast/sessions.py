"""`PlanningService`: the plan of a session as phases and steps, its errors, findings and hooks."""

from outlast.agent.planning.service import PlanningService
from outlast.agent.planning.session_plan import (
    CurrentTask,
    Metadata,
    SessionPlan,
    TaskPhase,
    TaskPlan,
    TaskStep,
)
from outlast.system.clock import Clock

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
