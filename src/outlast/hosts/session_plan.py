"""The plan of a coding agent's session: attach it, open it for one event, tell the shell of it."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import OutlastError, PlanNotFound, StoreError
from outlast.hosts.session_record import merge_changes
from outlast.hosts.sessions import ACTORS, SessionFiles, attach, session_files
from outlast.hosts.wire.events import MOMENTS, NO_ANSWER, merge_answers
from outlast.hosts.wire.payload import parse_event
from outlast.plan.home.find import DISK
from outlast.system.caller import choose_language
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from outlast.config.settings import Settings
    from outlast.hooks.port import Hook
    from outlast.hosts.session import HostSession
    from outlast.hosts.session_record import SessionRecord
    from outlast.hosts.sessions import SpooledPayload
    from outlast.hosts.wire.events import HostAnswer, HostEvent, HostName, Moment
    from outlast.language import Language
    from outlast.plan.plan import Plan

# Where a login shell finds programs too.
_LOGIN_PLACES: Final = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_OWN: Final = "~/.local/bin"
_JOURNAL: Final = "journal.jsonl"
_WITHOUT_CHECKS: Final = ("prompt", "tool-failure")
_MOST_TRIES: Final = 2  # to tell a plan what is not a person's words


def open_session_plan(record: SessionRecord, *, any_id: bool = False) -> Plan | None:
    """Open the plan of a session; None if it was dropped or is away, or another has its key now.

    With `any_id` the plan that has the key will do.
    """
    from outlast.plan.home.find import workspace_at
    from outlast.plan.plans import Plans

    if not _has_home(record):
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
    """Return whether a session's workspace, its plans or its plan are away.

    They may come back, as when git has stashed them or another branch is checked out. A plan that
    was dropped is in the archive.
    """
    if not _has_home(record):
        return True
    from outlast.plan.home.find import gone_plans

    gone = gone_plans(record.root)
    return any((plan.root, plan.key) == (record.root, record.key) for plan in gone)


def _has_home(record: SessionRecord) -> bool:
    from outlast.plan.home.layouts import HOMES

    homes = (os.path.join(record.root, home) for home in HOMES)  # noqa: PTH118
    return any(map(os.path.isdir, homes))


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
    before = sessions.read(record.host, record.session) or record
    if sessions.withdraw_step(record):
        record = replace(record, shown_step="")
    with plan:
        session = host_session(plan, record)
        yield session
        leave_offers = _prepare_offers(sessions, session, before)
    leave_offers()


def take_in_spooled(
    session: HostSession, sessions: SessionFiles, moments: Collection[Moment] = MOMENTS
) -> HostAnswer:
    """Tell the plan what the session's spool holds of these moments, and remove what it has.

    A payload stays in the spool until the commit that holds it; meanwhile checks may run, and other
    hooks leave it alone. Raises `StoreError` where the plan cannot be written, as while its lock is
    held for too long. Any other failure would come again with every hook, so it costs that payload.
    So does a third kill, as of a hook whose checks never end; words of the user are never given up.
    Of several failures of tools only the last is answered: to hear of each helps nobody.
    """
    answers: list[HostAnswer] = []
    failure = NO_ANSWER
    for payload in sessions.spooled_payloads(session.record):
        if payload.moment not in moments:
            continue
        with sessions.take_spooled(payload) as data:
            if data is None:
                continue
            is_told = payload.moment == "prompt" or sessions.begin_spooled(payload) < _MOST_TRIES
            if not is_told:
                LOG.warning("what a hook has left was given up: it never comes to an end")
            try:
                event = _read_event(session, payload, data) if is_told else None
                answer = NO_ANSWER if event is None else session.take_in(event, payload.key)
            except (OSError, StoreError):
                sessions.keep_spooled(payload)
                raise
            except Exception:
                sessions.remove_spooled(payload)
                raise
            sessions.remove_spooled(payload)
            if event is not None and not event.succeeded:
                failure = failure if answer == NO_ANSWER else answer
            else:
                answers.append(answer)
    return merge_answers((*answers, failure))


def _read_event(session: HostSession, payload: SpooledPayload, data: bytes) -> HostEvent | None:
    try:
        return parse_event(session.record.host, payload.moment, data)
    except OutlastError as error:
        LOG.warning("what a hook has left is no event: %s", error)
        return None


def take_in(
    record: SessionRecord, sessions: SessionFiles, moments: Collection[Moment] = MOMENTS
) -> None:
    """Tell the plan of a session what its spool holds, when no hook does. The caller holds it."""
    plan = open_session_plan(record) if sessions.spooled_payloads(record) else None
    if plan is None:
        return
    with plan:
        session = host_session(plan, record)
        take_in_spooled(session, sessions, moments)
        _write_record(sessions, session, record)


def take_in_for(plan_id: str) -> None:
    """Tell a plan what the spools of its sessions hold, unless somebody is just using them.

    A list of the agent waits for its next hook: it may start checks.
    """
    sessions = session_files()
    try:
        waiting = [record for record in sessions.with_spooled() if record.plan_id == plan_id]
        with DISK.waiting_at_most(0):
            for each in waiting:
                with sessions.hold(each.host, each.session) as held:
                    record = held.record
                    if record is not None and record.plan_id == plan_id:
                        take_in(record, sessions, _WITHOUT_CHECKS)
    except (OutlastError, OSError) as error:
        LOG.info("what hooks have left waits for the next one: %s", error)


def _prepare_offers(
    sessions: SessionFiles, session: HostSession, before: SessionRecord
) -> Callable[[], None]:
    """Return a function that leaves texts for the shell, about the plan as it is now.

    It also writes the record, which was as `before`. While checks ran, another hook may have
    written it too, and the user may have chosen another plan: then nothing is left.
    """
    files = _watched_files(session.plan)
    seen = sessions.newest_ns(files[:1])
    offers = session.offers()

    def leave_offers() -> None:
        if _write_record(sessions, session, before):
            sessions.offer(session.record, offers, files, seen)

    return leave_offers


def _write_record(sessions: SessionFiles, session: HostSession, before: SessionRecord) -> bool:
    """Write what has changed in the record; return whether the session still works on the plan."""
    now = sessions.read(before.host, before.session)
    if now is None or now.plan_id != before.plan_id:
        return False
    sessions.write(merge_changes(before, session.record, now))
    return True


def _watched_files(plan: Plan) -> tuple[str, ...]:
    """Return the journal and the file that people edit."""
    views = plan.files.paths()[:1]
    return tuple(path for view in views for path in (f"{view.rpartition('/')[0]}/{_JOURNAL}", view))


def attach_and_describe(
    host: HostName, session: str, plan: Plan, *, guard: bool = False, process: str = ""
) -> HostAnswer:
    """Let a session work on a plan; return what its model must know, and a line for its user.

    The caller holds the session, and names the agent's process if that has started this one. A
    session that was not attached is not if this fails.
    """
    sessions = session_files()
    before = sessions.read(host, session)
    if before is not None and before.plan_id != plan.id:
        take_in(before, sessions)
    try:
        record = attach(host, session, plan, guard=guard, process=process)
        attached = host_session(plan, record)
        attached.start_next()
        described = attached.describe()
        _prepare_offers(sessions, attached, record)()
    except BaseException:
        if before is None:
            with suppress(OSError):
                sessions.remove(host, session)
        raise
    return described


def detach_session(host: HostName, session: str) -> SessionRecord | None:
    """Let a session work on no plan; return its record if it had one. The caller holds it."""
    sessions = session_files()
    record = sessions.read(host, session)
    if record is not None:
        take_in(record, sessions)
        sessions.remove(host, session)
    return record


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
