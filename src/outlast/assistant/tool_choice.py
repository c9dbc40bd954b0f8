"""The agenda, the search and the tools of the assistant, as the settings choose them."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.search.file import FileSearch
from outlast.assistant.search.searxng import SearxngSearch
from outlast.assistant.slash.answers import AgendaWriter
from outlast.assistant.tools import AgendaTool, SearchTool
from outlast.errors import InvalidSetting
from outlast.plan.home.find import database_at, is_url
from outlast.system.clock import find_zone, now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from outlast.assistant.agenda.port import Agenda
    from outlast.assistant.search.port import SearchProvider
    from outlast.config.settings import SearchSettings, Settings
    from outlast.context.tool import Tool
    from outlast.language import Language
    from outlast.system.clock_port import Clock

_AGENDA: Final = "agenda.db"


def open_agenda(store: str, clock: Clock, zone: tzinfo) -> Agenda:
    """Return the agenda beside the tasks in a directory or a database."""
    directory = database_at(store).root if is_url(store) else store
    return AgendaDatabase(str(Path(directory, _AGENDA)), clock, zone)


def assistant_tools(
    agenda: Agenda,
    search: SearchProvider | None,
    writer: Callable[[], AgendaWriter],
    language: Language,
) -> tuple[Tool, ...]:
    """Return the tools of a task; without a search provider there is no `internet_search`."""
    tools: tuple[Tool, ...] = (
        AgendaTool("todo", agenda, writer),
        AgendaTool("schedule", agenda, writer),
    )
    return tools if search is None else (*tools, SearchTool(search, language))


def tools_beside(store: str, settings: Settings, language: Language) -> tuple[Tool, ...]:
    """Return the tools of a task that is worked on outside of the assistant."""
    zone = find_zone(settings.assistant.time_zone)
    agenda, search = open_agenda(store, now, zone), search_provider(settings.search)
    return assistant_tools(agenda, search, partial(_write_now, zone, language), language)


def _write_now(zone: tzinfo, language: Language) -> AgendaWriter:
    return AgendaWriter(language, zone, now())


def search_provider(settings: SearchSettings) -> SearchProvider | None:
    """Return what `internet_search` searches with; None if the settings choose nothing.

    Raises `InvalidSetting` if an address or a file is missing or wrong.
    """
    provider = settings.provider
    if not provider:
        return None
    setting = "url" if provider == "searxng" else "file"
    value = getattr(settings, setting)
    if not value:
        raise InvalidSetting(
            "search_setting_missing", provider=provider, setting=f"search.{setting}"
        )
    if provider == "searxng":
        return SearxngSearch(value, settings.timeout)
    return FileSearch(os.path.expanduser(value))  # noqa: PTH111 - this one never fails
