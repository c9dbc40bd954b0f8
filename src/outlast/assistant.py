"""The assistant: todos and appointments by slash commands, and tasks for a model that replans."""

from outlast.adapters.agenda.database import AgendaDatabase
from outlast.adapters.search.file import FileSearch
from outlast.adapters.search.searxng import SearxngSearch
from outlast.application.assistant.pending_task import PendingPlanTask
from outlast.domain.agenda.commands import (
    AddAppointment,
    AddTodo,
    AppointmentDetails,
    CompleteTodo,
    DeleteAppointment,
    DeleteTodo,
    SetRepeat,
    TodoDetails,
    UpdateAppointment,
    UpdateTodo,
)
from outlast.domain.agenda.items import (
    Appointment,
    Occurrence,
    Recurrence,
    Reminder,
    TodoItem,
)
from outlast.domain.replan_position import Observation
from outlast.ports.assistant import Agenda, SearchHit, SearchProvider
from outlast.ports.events import AssistantReply, ReplyKind
from outlast.ports.outcomes import Clarification

__all__ = [
    "AddAppointment",
    "AddTodo",
    "Agenda",
    "AgendaDatabase",
    "Appointment",
    "AppointmentDetails",
    "AssistantReply",
    "Clarification",
    "CompleteTodo",
    "DeleteAppointment",
    "DeleteTodo",
    "FileSearch",
    "Observation",
    "Occurrence",
    "PendingPlanTask",
    "Recurrence",
    "Reminder",
    "ReplyKind",
    "SearchHit",
    "SearchProvider",
    "SearxngSearch",
    "SetRepeat",
    "TodoDetails",
    "TodoItem",
    "UpdateAppointment",
    "UpdateTodo",
]
