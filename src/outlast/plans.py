"""Facets of `Plan`, types of what its methods take and return, and the archive of plans."""

from outlast.application.plan.budget import PlanBudget
from outlast.application.plan.checks import PlanChecks
from outlast.application.plan.files import PlanFiles
from outlast.application.plan.history import PlanHistory
from outlast.application.plan.notes import PlanNotes
from outlast.application.plan.questions import PlanQuestions
from outlast.application.tools import Dialect, ToolSet
from outlast.domain.commands import TaskRef
from outlast.domain.model import (
    AgentSession,
    Category,
    CheckKind,
    ClaimedHow,
    Evidence,
    Footprint,
    GraphForm,
    How,
    Label,
    LastRun,
    Order,
    PhaseStatus,
    PlanStatus,
    Proof,
    QuestionKind,
    StatusFilter,
    TaskDecision,
    TaskReport,
    TaskStatus,
)
from outlast.domain.replan_position import PlannedAction, ReplanPosition
from outlast.ports.store import Layout
from outlast.texts import Language
from outlast.wiring.archive import (
    archive_plan,
    drop_plan,
    list_archived,
    open_archived,
    restore_plan,
)

__all__ = [
    "AgentSession",
    "Category",
    "CheckKind",
    "ClaimedHow",
    "Dialect",
    "Evidence",
    "Footprint",
    "GraphForm",
    "How",
    "Label",
    "Language",
    "LastRun",
    "Layout",
    "Order",
    "PhaseStatus",
    "PlanBudget",
    "PlanChecks",
    "PlanFiles",
    "PlanHistory",
    "PlanNotes",
    "PlanQuestions",
    "PlanStatus",
    "PlannedAction",
    "Proof",
    "QuestionKind",
    "ReplanPosition",
    "StatusFilter",
    "TaskDecision",
    "TaskRef",
    "TaskReport",
    "TaskStatus",
    "ToolSet",
    "archive_plan",
    "drop_plan",
    "list_archived",
    "open_archived",
    "restore_plan",
]
