"""Carry out `/outlast …`, typed by the user of a coding agent.

The host reports what was typed, and any process with a shell can claim to be the host. So the
command acts as the agent: what only a person may do, such as approving a check, is done in a
terminal. Which plan a session works on, and its guard, change only if the agent's own program has
started this process, as far as that can be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import OutlastError
from outlast.hosts.announce import outlast_command, resume_command, unfinished_plans
from outlast.hosts.session_plan import (
    attach_and_describe,
    detach_session,
    language_at,
    open_session_plan,
    program_name,
    session_on,
)
from outlast.hosts.sessions import ACTORS, session_files
from outlast.hosts.wire.events import HostAnswer, HostEvent, HostName
from outlast.language import explain, text, visible
from outlast.model.commands import CreatePlan
from outlast.model.plan_choice import PlanQuery
from outlast.plan.home.find import require_workspace
from outlast.plan.plans import Plans
from outlast.system.caller import is_run_by_model_of
from outlast.system.clock import new_plan_id
from outlast.system.process_identity import host_process

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.hosts.session_record import SessionRecord
    from outlast.hosts.wire.slash import SlashCommand
    from outlast.plan.plan import Plan


def run_slash(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    """Carry out a command. What needs no model is answered at once, and the turn ends."""
    try:
        if command.name in _OF_USER and is_run_by_model_of(ACTORS[host]):
            return _say(event, "host_not_typed")
        return _COMMANDS[command.name](host, event, command)
    except OutlastError as error:
        return HostAnswer(reason=explain(error, language_at(event.directory)))


def _begin(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    """Attach the session to the unfinished plan with a goal, else to a new one (U1)."""
    from outlast.plan.plan_list import choose_listed

    query = PlanQuery(goal=command.words)
    if key := choose_listed(query, unfinished_plans(event.directory)):
        return _attach(host, event, key)
    create = CreatePlan(new_plan_id(), command.words, order="sequential")
    with Plans.of_project(event.directory, ACTORS[host]).create(create) as plan:
        described = attach_and_describe(host, event.session, plan, process=host_process())
        _change_record(host, event, awaits_plan=True)
        add = f'{program_name(host)} add "…" "…"'
        created = text("host_created", language_at(event.directory), key=visible(plan.key), add=add)
    return HostAnswer(f"{created}\n\n{described.context}", described.notice)


def _resume(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    """Attach the session to the named plan, else to its own, else to the one used last."""
    key = command.words
    if not key:
        from outlast.plan.plan_list import choose_listed

        record = session_files().read(host, event.session)
        query = PlanQuery(attached=None if record is None else record.key)
        key = choose_listed(query, unfinished_plans(event.directory))
    return _attach(host, event, key) if key else _answer_no_plan(host, event)


def _attach(host: HostName, event: HostEvent, key: str) -> HostAnswer:
    plans = Plans(require_workspace(event.directory), ACTORS[host])
    with plans.find(PlanQuery(key=key)) as plan:
        if plan.status == "paused":
            plan.resume()
        return attach_and_describe(host, event.session, plan, process=host_process())


def _with_plan(host: HostName, event: HostEvent, use: Callable[[Plan], str]) -> HostAnswer:
    """Answer with what `use` returns about the plan of the session."""
    sessions = session_files()
    record = sessions.read(host, event.session)
    plan = open_session_plan(record) if record is not None else None
    if record is None or plan is None:
        return _answer_without_plan(host, event)
    with session_on(plan, record, sessions):
        return HostAnswer(reason=use(plan))


def _answer_without_plan(host: HostName, event: HostEvent) -> HostAnswer:
    if not unfinished_plans(event.directory):
        return _answer_no_plan(host, event)
    return _say(event, "host_not_attached", resume=resume_command(host))


def _answer_no_plan(host: HostName, event: HostEvent) -> HostAnswer:
    return _say(event, "host_no_plan", command=outlast_command(host))


def _show_status(host: HostName, event: HostEvent, _command: SlashCommand) -> HostAnswer:
    from outlast.documents.graph_text import FORMS

    def describe(plan: Plan) -> str:
        language = language_at(event.directory)
        head = plan.core.read(
            lambda state: text(
                "host_attached",
                language,
                key=visible(state.key),
                title=visible(state.title),
                done=state.finished_count,
                total=len(state.tasks),
            )
        )
        tree = plan.core.read(lambda state: FORMS["ascii"](state, language))
        return f"{head}\n{tree}".strip()

    return _with_plan(host, event, describe)


def _complete(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    def complete(plan: Plan) -> str:
        current = plan.current() or plan.next()
        task = command.task or (current.id if current else 0)
        try:
            done = plan.complete(task, command.words or None)
        except OutlastError as error:
            return explain(error, language_at(event.directory))
        progress, language = plan.progress, language_at(event.directory)
        facts = {"task": done.id, "name": visible(done.name)}
        counts = {"done": progress.current, "total": progress.total}
        return text("host_task_done", language, **facts, **counts)

    return _with_plan(host, event, complete)


def _detach(host: HostName, event: HostEvent, _command: SlashCommand) -> HostAnswer:
    record = detach_session(host, event.session)
    if record is None:
        return _answer_without_plan(host, event)
    return _say(event, "host_detached", key=visible(record.key))


def _set_guard(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    guard = command.words == "on"
    record = _change_record(host, event, guard=guard)
    if record is None:
        return _answer_without_plan(host, event)
    return _say(event, "host_guard_on" if guard else "host_guard_off", key=visible(record.key))


def _change_record(host: HostName, event: HostEvent, **changes: bool) -> SessionRecord | None:
    """Change what is remembered of a session; return it, None if it works on no plan."""
    sessions = session_files()
    record = sessions.read(host, event.session)
    if record is not None:
        sessions.write(replace(record, **changes))
    return record


def _explain_usage(host: HostName, event: HostEvent, command: SlashCommand) -> HostAnswer:
    word = visible(command.words)
    return _say(event, "host_slash_usage", word=word, command=outlast_command(host))


def _say(event: HostEvent, key: str, /, **facts: object) -> HostAnswer:
    """Answer in the language of the workspace."""
    return HostAnswer(reason=text(key, language_at(event.directory), **facts))


_COMMANDS = {
    "unknown": _explain_usage,
    "goal": _begin,
    "resume": _resume,
    "status": _show_status,
    "done": _complete,
    "off": _detach,
    "guard": _set_guard,
}
_OF_USER: Final = ("goal", "resume", "off", "guard")
