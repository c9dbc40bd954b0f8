"""The assistant: todos and appointments by slash commands, and tasks for a model that replans."""

from outlast.agent.effects import Clarification
from outlast.agent.events import AssistantReply, ReplyKind
from outlast.assistant.agenda.commands import (
    AddAppointment,
    AddTodo,
    Agenda,
    AppointmentDetails,
    CompleteTodo,
    DeleteAppointment,
    DeleteTodo,
    SetRepeat,
    TodoDetails,
    UpdateAppointment,
    UpdateTodo,
)
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.agenda.items import Appointment, Occurrence, Recurrence, Reminder, TodoItem
from outlast.assistant.search.port import SearchHit, SearchProvider
from outlast.assistant.search.providers import FileSearch, SearxngSearch
from outlast.assistant.tasks import PendingPlanTask
from outlast.model.replan_position import Observation

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
