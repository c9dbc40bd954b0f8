"""The plan of a coding agent's session: attach it, open it for one event, tell the shell of it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import PlanNotFound
from outlast.hosts.sessions import ACTORS, SessionFiles, attach, session_files
from outlast.system.caller import choose_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.config.settings import Settings
    from outlast.hooks.port import Hook
    from outlast.hosts.session import HostSession
    from outlast.hosts.session_record import SessionRecord
    from outlast.hosts.wire.events import HostAnswer, HostName
    from outlast.language import Language
    from outlast.plan.plan import Plan

# Where a login shell finds programs too.
_LOGIN_PLACES: Final = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_OWN: Final = "~/.local/bin"
_JOURNAL: Final = "journal.jsonl"


def open_session_plan(record: SessionRecord, *, any_id: bool = False) -> Plan | None:
    """Open the plan of a session; None if it was dropped or is away, or another has its key now.

    With `any_id` the plan that has the key will do.
    """
    from outlast.plan.home.find import workspace_at
    from outlast.plan.plans import Plans

    if is_away(record):
        return None
    try:
        plan = Plans(workspace_at(record.root), ACTORS[record.host]).open(record.key)
    except PlanNotFound:
        return None
    if any_id or plan.id == record.plan_id:
        return plan
    plan.close()
    return None


def is_away(record: SessionRecord) -> bool:
    """Return whether a session's workspace or the plans in it are away, as while they are stashed.

    They may come back; of a plan that was dropped, the directory around it stays.
    """
    from outlast.plan.home.layouts import HOMES

    homes = (os.path.join(record.root, home) for home in HOMES)  # noqa: PTH118
    return not any(map(os.path.isdir, homes))


def host_session(plan: Plan, record: SessionRecord) -> HostSession:
    """Return the session with the settings of its workspace."""
    from outlast.hosts.session import HostSession

    settings = _settings_at(record.root)
    return HostSession(
        plan,
        record,
        settings=settings,
        language=choose_language(settings.language or None),
        program=program_name(record.host),
        hooks=_hooks(settings),
    )


def _hooks(settings: Settings) -> tuple[Hook, ...]:
    if not settings.hooks.python:
        return ()
    from outlast.hooks.custom import find_hooks

    return find_hooks(settings.hooks.python)


@contextmanager
def session_on(plan: Plan, record: SessionRecord, sessions: SessionFiles) -> Iterator[HostSession]:
    """Give a session; then close its plan, and leave texts that the shell shows by itself.

    Texts that were left before and not shown count as not told.
    """
    if sessions.withdraw_step(record):
        record = replace(record, shown_step="")
    with plan:
        session = host_session(plan, record)
        yield session
        leave_offers = _prepare_offers(sessions, session)
    leave_offers()


def _prepare_offers(sessions: SessionFiles, session: HostSession) -> Callable[[], None]:
    """Return a function that leaves texts for the shell, about the plan as it is now."""
    files = _watched_files(session.plan)
    seen = sessions.newest_ns(files[:1])
    offers = session.offers()

    def leave_offers() -> None:
        sessions.write(session.record)
        sessions.offer(session.record, offers, files, seen)

    return leave_offers


def _watched_files(plan: Plan) -> tuple[str, ...]:
    """Return the journal and the file that people edit."""
    views = plan.files.paths()[:1]
    return tuple(path for view in views for path in (f"{view.rpartition('/')[0]}/{_JOURNAL}", view))


def attach_and_describe(
    host: HostName, session: str, plan: Plan, *, guard: bool = False, process: str = ""
) -> HostAnswer:
    """Let a session work on a plan; return what its model must know, and a line for its user.

    The caller holds the session, and names the agent's process if that has started this one.
    """
    record = attach(host, session, plan, guard=guard, process=process)
    attached = host_session(plan, record)
    attached.start_next()
    described = attached.describe()
    _prepare_offers(session_files(), attached)()
    return described


def program_name(host: HostName) -> str:
    """Return how an agent's shell starts Outlast: by its name if it is found, else by its path.

    Codex runs a login shell, which forgets a path such as that of an active virtual environment.
    """
    import sys

    places = os.get_exec_path()
    if host == "codex":
        places = [place for place in places if place in (*_LOGIN_PLACES, os.path.expanduser(_OWN))]  # noqa: PTH111
    # A short-lived process cannot afford pathlib.
    if any(os.access(os.path.join(place, "outlast"), os.X_OK) for place in places):  # noqa: PTH118
        return "outlast"
    from shlex import quote

    beside = os.path.join(os.path.dirname(sys.executable), "outlast")  # noqa: PTH118, PTH120
    return quote(beside) if os.access(beside, os.X_OK) else f"{quote(sys.executable)} -P -m outlast"


def language_at(directory: str) -> Language:
    """Return the language of the settings of a workspace, else that of the environment."""
    return choose_language(_settings_at(directory).language or None)


def _settings_at(directory: str) -> Settings:
    """Return the settings of a workspace; to read what is not there costs more than the answer."""
    from outlast.config.files import may_be_configured
    from outlast.config.settings import Settings
    from outlast.plan.home.find import project_root

    if not may_be_configured(project_root(directory), os.environ):
        return Settings()
    from outlast.plan.home.find import load_settings

    return load_settings(directory).settings
