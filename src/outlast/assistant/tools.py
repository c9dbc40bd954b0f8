"""The assistant's tools, as the settings choose them: agenda and search.

Each takes one text, as a person would type it (R3.09).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from msgspec.structs import replace

from outlast.agent.loops.replan_loop.contracts import KEY_FORMAT
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.search.providers import FileSearch, SearxngSearch
from outlast.assistant.slash.answers import AgendaWriter, answer_request
from outlast.assistant.slash.forms import AgendaRequest, usage_lines
from outlast.assistant.slash.parse import parse_slash_command
from outlast.errors import InvalidSetting, OutlastError, ToolFailed
from outlast.language import Language, text, visible
from outlast.plan.home.find import database_at, is_url
from outlast.redact.secrets import redact
from outlast.system.clock import Clock, find_zone, now
from outlast.system.threads import call_in_thread, call_to_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from outlast.assistant.agenda.commands import Agenda
    from outlast.assistant.search.port import SearchHit, SearchProvider
    from outlast.config.settings import SearchSettings, Settings
    from outlast.context.tool import Level, PermissionRequest, Settlement, Tool

Json = dict[str, Any]
AgendaToolName = Literal["todo", "schedule"]
HITS: Final = 3
_HEADS: Final[dict[AgendaToolName, tuple[str, ...]]] = {
    "todo": ("/todo", "/view"),
    "schedule": ("/schedule",),
}
_DESCRIPTIONS: Final[dict[AgendaToolName, str]] = {"todo": "tool_todo", "schedule": "tool_schedule"}
_LONGEST: Final = {"title": 200, "summary": 1_000, "link": 500}  # characters of a hit
_INPUT: Final[Json] = {"input": {"type": "string"}}
_SEARCH_SCHEMA: Final[Json] = {"type": "object", "properties": _INPUT, "required": ["input"]}
_AGENDA_SCHEMA: Final[Json] = {
    **_SEARCH_SCHEMA,
    "properties": {**_INPUT, "key": {"type": "string", "format": KEY_FORMAT}},
}
_AGENDA: Final = "agenda.db"


class AgendaTool:
    """Runs the slash commands of one kind; `key` in its parameters makes a change happen once."""

    level: ClassVar[Level] = "write"
    parameters: ClassVar[Json] = _AGENDA_SCHEMA

    def __init__(
        self, name: AgendaToolName, agenda: Agenda, writer: Callable[[], AgendaWriter]
    ) -> None:
        """Serve the commands that go by this name; each run asks `writer` for one."""
        self.name, self._heads = name, _HEADS[name]
        self._agenda, self._writer = agenda, writer

    @property
    def description(self) -> str:
        """What the tool does, for the model."""
        usages = usage_lines(self._heads)
        return text(_DESCRIPTIONS[self.name], self._writer().language, usages=usages)

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Ask for nothing: these are the user's own notes."""
        del params
        return None

    async def run(self, params: Json) -> str:
        """Carry out a slash command."""
        return await call_to_end(lambda: self._run(params))

    def settle(self, params: Json) -> Settlement:
        """Look the key up: a change and its key are stored together."""
        return "done" if self._agenda.has_changed(str(params.get("key", ""))) else "not_done"

    def _run(self, params: Json) -> str:
        line = redact(str(params.get("input", "")))
        writer = replace(self._writer(), width=0)  # a model has no terminal
        is_ours = line.split()[:1] in ([head] for head in self._heads)
        try:
            request = parse_slash_command(line, writer.zone) if is_ours else None
            if isinstance(request, AgendaRequest):
                return answer_request(request, self._agenda, writer, str(params.get("key", "")))
        except OutlastError as error:
            raise ToolFailed("tool_refused", problem=error) from error
        raise ToolFailed("tool_needs_command", tool=self.name, known=list(self._heads))


class SearchTool:
    """Searches the internet, or what the provider has instead."""

    name = "internet_search"
    level: ClassVar[Level] = "read"
    parameters: ClassVar[Json] = _SEARCH_SCHEMA

    def __init__(self, provider: SearchProvider, language: Language) -> None:
        self._provider, self._language = provider, language

    @property
    def description(self) -> str:
        """What the tool does, for the model."""
        return text("tool_internet_search", self._language)

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Ask for nothing: the user has configured the provider."""
        del params
        return None

    async def run(self, params: Json) -> str:
        """Return the best hits: title, summary, link."""
        words = str(params.get("input", "")).strip()
        if not words:
            raise ToolFailed("search_blank")
        hits = await call_in_thread(lambda: self._provider.search(words, HITS))
        if not hits:
            return text("search_empty", self._language)
        shown = (f"{number}. {_show(hit)}" for number, hit in enumerate(hits[:HITS], 1))
        return "\n\n".join((text("search_found", self._language), *shown))

    def settle(self, params: Json) -> Settlement:
        """Say that it may be repeated: searching changes nothing."""
        del params
        return "not_done"


def _show(hit: SearchHit) -> str:
    """Return a hit line by line; what others wrote stays one line each, and short."""
    parts = ((name, " ".join(getattr(hit, name).split())) for name in _LONGEST)
    return "\n".join(visible(_cut(part, _LONGEST[name])) for name, part in parts if part)


def _cut(part: str, longest: int) -> str:
    return part if len(part) <= longest else f"{part[: longest - 1]}…"


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
    return assistant_tools(agenda, search, lambda: AgendaWriter(language, zone, now()), language)


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
