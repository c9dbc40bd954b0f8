"""Facets of `Plan`, types of what its methods take and return, and the archive of plans."""

from outlast.language import Language
from outlast.model.commands import TaskRef
from outlast.model.model import (
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
from outlast.model.replan_position import PlannedAction, ReplanPosition
from outlast.plan.archive import archive_plan, drop_plan, list_archived, open_archived, restore_plan
from outlast.plan.budget import PlanBudget
from outlast.plan.checks import PlanChecks
from outlast.plan.files import PlanFiles
from outlast.plan.history import PlanHistory
from outlast.plan.notes import PlanNotes
from outlast.plan.questions import PlanQuestions
from outlast.plan.tools import Dialect, ToolSet
from outlast.store.port import Layout

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
