"""Settings of an agent or a service: build them by hand, or load them with their sources."""

from outlast.config.load import Loaded, load
from outlast.config.settings import (
    AssistantSettings,
    Cleanup,
    Hooks,
    Limits,
    LoopSettings,
    MailboxSettings,
    Notify,
    OrchestratorSettings,
    Permissions,
    Rules,
    SearchSettings,
    Settings,
    Tools,
)

__all__ = [
    "AssistantSettings",
    "Cleanup",
    "Hooks",
    "Limits",
    "Loaded",
    "LoopSettings",
    "MailboxSettings",
    "Notify",
    "OrchestratorSettings",
    "Permissions",
    "Rules",
    "SearchSettings",
    "Settings",
    "Tools",
    "load",
]
