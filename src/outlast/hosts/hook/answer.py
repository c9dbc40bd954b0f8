"""Answer a hook of a coding agent: find the session's plan, and let the session decide.

A failure never holds an agent up.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Final

from outlast.errors import LockTimeout, OutlastError, StoreError
from outlast.hosts.session_plan import (
    is_away,
    language_at,
    open_session_plan,
    session_on,
    take_in_spooled,
)
from outlast.hosts.sessions import check_host, log_file, refresh_process, session_files
from outlast.hosts.wire.events import (
    MOMENTS,
    NO_ANSWER,
    HostAnswer,
    HostEvent,
    HostName,
    Moment,
    merge_answers,
)
from outlast.hosts.wire.payload import parse_event
from outlast.hosts.wire.reply import write_answer
from outlast.language import explain, load_topics, text, visible
from outlast.model.limits import check_choice
from outlast.plan.home.find import DISK
from outlast.system.caller import choose_language
from outlast.system.disk import describe_error
from outlast.system.logs import LOG, log_to
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from logging import Handler

    from outlast.hosts.session_record import SessionRecord
    from outlast.hosts.sessions import SessionFiles
    from outlast.hosts.wire.slash import SlashCommand

LARGEST_PAYLOAD: Final = 16 << 20
_OFF: Final = "OUTLAST_OFF"
_TOPICS: Final = ("hosts", "loop", "context")  # of texts
_COMMAND: Final = "outlast"
_NEVER_LEFT_OUT: Final = ("session-start", "prompt", "stop")
_LOCK_SECONDS: Final = 5.0  # an agent waits for its hooks
_STATUS_LINE: Final = "status-line"


def is_off() -> bool:
    """Return whether the user has silenced every hook."""
    return os.environ.get(_OFF, "") not in ("", "0")


def answer_hook(host: HostName, moment: Moment, payload: bytes) -> str:
    """Return what a hook prints. A failure is logged, reported once, and blocks nothing."""
    if is_off():
        return ""
    try:
        event = parse_event(host, moment, payload)
    except OutlastError as error:
        LOG.warning("the hook %s of %s got no event: %s", moment, host, error)
        return ""
    try:
        answer = _answer(host, event, payload)
    except Exception as error:  # noqa: BLE001 - a hook never fails: the agent would be blocked
        answer = _report_failure(event, error)
    return write_answer(host, moment, answer)


def check_moment(name: str) -> Moment:
    """Return the moment of a hook; raise `InvalidArgument` for another word."""
    return check_choice(name, "EVENT", MOMENTS)


def render_status_line(host: str, payload: bytes) -> str:
    """Return the status line of a session; nothing if it works on no plan."""
    if is_off():
        return ""
    event = parse_event(check_host(host), "session-end", payload)
    sessions = session_files()
    with ExitStack() as stack:
        try:
            record = stack.enter_context(sessions.hold(check_host(host), event.session)).record
        except LockTimeout:  # another hook still answers, and writes a new one
            return ""
        plan = open_session_plan(record) if record is not None else None
        if record is None or plan is None:
            return ""
        with session_on(plan, record, sessions) as session:
            return f"{session.status_line()}\n"


def _answer(host: HostName, event: HostEvent, payload: bytes) -> HostAnswer:
    """Answer an event. What it brings is in the session's spool before anything is waited for."""
    if event.moment == "subagent-stop" or (event.is_inner and event.moment != "tool-failure"):
        return NO_ANSWER  # the plan is the main agent's
    command = _slash_command(host, event)
    sessions = session_files()
    is_kept = command is None and _spool(host, event, payload, sessions)
    try:
        with sessions.hold(host, event.session) as held:
            if command is not None:
                from outlast.hosts.slash_command import run_slash

                return run_slash(host, event, command)
            return _answer_held(host, event, held.record, sessions, is_kept=is_kept)
    except LockTimeout as error:
        if is_kept:
            LOG.warning("what the hook %s brings waits for the next one: %s", event.moment, error)
            return _tell_kept(event)
        if event.moment in _NEVER_LEFT_OUT or event.approved_plan:
            raise
        LOG.warning("the hook %s is left out: %s", event.moment, error)
        return NO_ANSWER


def _slash_command(host: HostName, event: HostEvent) -> SlashCommand | None:
    """Return the command that a prompt is; None for other prompts."""
    if event.moment != "prompt" or _COMMAND not in event.prompt:
        return None
    from outlast.hosts.wire.slash import parse_slash

    return parse_slash(event.prompt, is_raw=host != "gemini")


def _spool(host: HostName, event: HostEvent, payload: bytes, sessions: SessionFiles) -> bool:
    """Keep what an event brings to the plan of its session; return whether it is kept."""
    brings_news = event.moment == "prompt" or event.todos or not event.succeeded
    record = sessions.read(host, event.session) if brings_news else None
    if record is None:
        return False
    try:
        sessions.spool(record, event.moment, payload)
    except (OSError, StoreError) as error:  # the plan may still be told at once
        LOG.warning("the hook %s cannot be kept: %s", event.moment, error)
        return False
    return True


def _tell_kept(event: HostEvent) -> HostAnswer:
    """Tell the user, once in a session, that their words wait for the plan's lock."""
    if event.moment != "prompt" or not _is_first(event, "kept"):
        return NO_ANSWER
    return HostAnswer(notice=text("host_words_kept", choose_language(None)))


def _answer_held(
    host: HostName,
    event: HostEvent,
    record: SessionRecord | None,
    sessions: SessionFiles,
    *,
    is_kept: bool,
) -> HostAnswer:
    """Answer an event while no other hook of the session does, but for the time of checks."""
    if event.approved_plan:
        from outlast.hosts.adoption import adopt

        return adopt(host, event)
    if record is not None:
        return _answer_attached(record, event, sessions, is_kept=is_kept)
    if event.moment != "session-start" or event.source == "compact":
        return NO_ANSWER
    from outlast.hosts.announce import announce

    return announce(host, event.directory)


def _answer_attached(
    record: SessionRecord, event: HostEvent, sessions: SessionFiles, *, is_kept: bool
) -> HostAnswer:
    load_topics(*_TOPICS)
    plan = open_session_plan(record)
    if plan is None and is_away(record):
        return NO_ANSWER
    if plan is None:
        sessions.remove(record.host, record.session)
        detached = text("host_detached", language_at(record.root), key=visible(record.key))
        return HostAnswer(notice=detached)
    if event.moment == "session-end":
        sessions.remove_unused()
    with session_on(plan, refresh_process(record, event.moment), sessions) as session:
        session.count_views(sessions.take_views(record))
        news = take_in_spooled(session, sessions)
        if not is_kept:
            news = merge_answers((news, session.take_in(event)))
        return merge_answers((news, session.respond(event)))


def _report_failure(event: HostEvent, error: Exception) -> HostAnswer:
    """Log a failure; tell the user of it if it is the first of its kind in this session."""
    language = choose_language(None)
    trace: Exception | None = None
    match error:
        case OutlastError():
            kind, problem = error.code, explain(error, language)
        case OSError():
            kind, problem = type(error).__name__, describe_error(error)
        case _:
            kind, trace = type(error).__name__, error
            problem = kind
    LOG.error("the hook %s failed: %s", event.moment, problem, exc_info=trace)
    if not _is_first(event, kind):
        return NO_ANSWER
    return HostAnswer(notice=text("host_failed", language, problem=visible(problem)))


def _is_first(event: HostEvent, kind: str) -> bool:
    try:
        return StateHome(state_home(), DISK).add_mark("hook-failures", f"{event.session}-{kind}")
    except StoreError:  # the state directory itself is the problem: words may be lost each time
        return event.moment in ("session-start", "prompt")


def main(arguments: list[str]) -> int:
    """Answer the hook that `hook.sh` was called for; the exit code is always 0."""
    if is_off():
        return 0
    with suppress(BaseException):
        DISK.longest_wait = _LOCK_SECONDS
        log_to(_open_log)
        try:
            moment, host = arguments
            with os.fdopen(_take_stdout(), "wb") as out:
                payload = sys.stdin.buffer.read(LARGEST_PAYLOAD)
                if moment == _STATUS_LINE:
                    reply = render_status_line(host, payload)
                else:
                    reply = answer_hook(check_host(host), check_moment(moment), payload)
                out.write(reply.encode(errors="replace"))
        except BaseException:
            LOG.exception("the hook %s failed", " ".join(arguments))
    return 0


def _take_stdout() -> int:
    """Return a descriptor for the answer; what hooks and checks print is no part of it."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def _open_log() -> Handler:
    from outlast.hosts.hook.log_file import LogFile

    return LogFile(log_file())
