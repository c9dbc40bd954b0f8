"""The life of a plan: create, choose, pause, reset, abort, archive, and bring it back."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final, cast

from outlast.console.call import Answer, Call, Json, shell_word
from outlast.console.plan_context import live_lease, open_plan_for, switch_to
from outlast.console.render.json import plan_json
from outlast.console.render.output import write
from outlast.console.render.summary import answer_with_next, resume_lines, summarize_plan
from outlast.errors import InvalidArgument, StoreError, Unconfirmed
from outlast.language import status_words, visible
from outlast.model.commands import CreatePlan
from outlast.model.decide.claims import refuse_claimed
from outlast.model.model import PERSON, PLAN
from outlast.plan.core import holder_state
from outlast.plan.home.find import forget_gone_plans, gone_plans, require_workspace
from outlast.plan.plans import Plans
from outlast.system.clock import new_plan_id, now
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

_CONFIRMABLE: Final = ("task_plan_held_back", "task_plan_cut", "notes_cut")  # perhaps mistakes


def new(
    call: Call,
    *,
    goal: tuple[str, ...],
    key: str | None = None,
    layout: Layout | None = None,
    shared: bool = False,
) -> Answer:
    """Create a plan."""
    message = " ".join(goal)
    if not message.strip():
        raise InvalidArgument("name_blank", argument="goal")
    named = call.common.get("plan") if key is None else key
    with Plans.of_project(current_directory(), call.actor).create(
        CreatePlan(new_plan_id(), message),
        named,
        layout=layout,
        shared=shared,
        person=call.person,
        language=call.language,
    ) as plan:
        content, files = plan_json(plan), plan.files.paths()
        call.notices.extend(plan.notices)
    switch_to(call, content["key"])

    def as_text() -> str:
        facts = {name: visible(content[name]) for name in ("key", "title")}
        lines = [call.text("say_created", **facts), call.text("say_add_first")]
        lines += [
            call.text("say_edit_file", file=visible(_shortest_path(path)))
            for path in files[:1]
            if path.endswith(".md")  # nobody edits a plan.json: it is only read
        ]
        return "\n".join(lines)

    return Answer(lambda: {"plan": content, "files": files}, as_text)


def _shortest_path(path: str) -> str:
    """Return the relative path, unless it is longer than the absolute one."""
    return min(os.path.relpath(path), path, key=len)


def use(call: Call, *, key: str) -> Answer:
    """Make a plan the current one."""
    with open_plan_for(call, key) as plan:
        if call.asker != PERSON:
            raise Unconfirmed("use_by_agent", actor=call.asker, key=call.context.key)
        summary = summarize_plan(plan)
        next_steps = resume_lines(summary.condition, call) or [summary.next_line(call)]
    workspace, chosen = require_workspace(current_directory()), call.context.key
    workspace.make_current(chosen)
    if workspace.current_key() != chosen:
        raise StoreError("current_not_written", where=workspace.current_path, key=chosen)

    def as_text() -> str:
        facts = {**summary.facts, "key": visible(chosen), "title": visible(summary.title)}
        status = status_words(summary.condition, call.language)
        lines = [call.text("say_current_plan", **facts, status=status), *next_steps]
        variable = None if call.common.get("plan") else call.plan
        if variable is not None and chosen != variable:
            lines.append(call.text("say_variable_first", **facts, plan=visible(variable)))
        return "\n".join(lines)

    return Answer(summary.as_json, as_text, bare=True)


def pause(plan: Plan, call: Call, *, reason: tuple[str, ...] = ()) -> Answer:
    """Pause the plan; a run that is at work on it stops after its current call."""
    lease = live_lease(plan)
    plan.pause(" ".join(reason))
    summary, worker = summarize_plan(plan), lease.holder if lease else None

    def as_text() -> str:
        if worker:
            return call.text("say_pausing", **summary.facts, worker=visible(worker))
        return call.text("say_paused", **summary.facts)

    return Answer(lambda: {**summary.as_json(), "worker": worker}, as_text)


def reset(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then return every task to pending."""
    _require_yes(call, yes=yes)
    backup = _back_up(plan)
    count = plan.reset()
    head = call.text("say_reset", count=count, kept=visible(backup))
    return answer_with_next(plan, call, lambda: {"kept": backup}, lambda _: head)


def accept(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then apply an edited view that waits for confirmation."""
    _require_yes(call, yes=yes)
    backup, count = None, 0
    if any(key in _CONFIRMABLE for key, _ in plan.notices):
        backup = _back_up(plan)
        notices = plan.files.sync(confirmed=True)
        applied = (cast("Any", details) for key, details in notices if key == "edit_applied")
        count = sum(len(details["changes"]) for details in applied)
    key = "say_nothing_pending" if backup is None else "say_accepted"
    head = call.text(key, count=count, kept=visible(backup or ""))
    content: Json = {"kept": backup, "changes": count}
    return answer_with_next(plan, call, lambda: content, lambda _: head)


def _back_up(plan: Plan) -> str:
    """Write the current plan as JSON beside its journal; return the path."""
    from outlast.console.document_file import write_document
    from outlast.transfer.plan_document import PLAN_JSON, write

    directory = require_workspace(current_directory()).plan_directory(plan.key)
    path = f"{directory}{os.sep}backup-r{plan.revision}-{now():%Y%m%dT%H%M%S.%f}.json"
    write_document(path, plan.core.read(lambda state: write(state, PLAN_JSON)))
    return path


def _require_yes(call: Call, *, yes: bool) -> None:
    if not yes:
        raise Unconfirmed("yes_needed", command=call.command)


def abort(plan: Plan, call: Call, *, reason: tuple[str, ...] = (), stop: bool = False) -> Answer:
    """End the plan; it stays where it is. With `stop` also under a run, which then stops."""
    from outlast.plan.archive import refuse_foreign_plan

    refuse_foreign_plan(plan, "abort")
    if not stop:
        now = plan.core.now()
        plan.core.read(lambda state: refuse_claimed(state, PLAN, now, state_of=holder_state))
    plan.abort(" ".join(reason))
    summary = summarize_plan(plan)

    def as_text() -> str:
        return call.text("say_aborted", **summary.facts, command=call.suggest("undo"))

    return Answer(summary.as_json, as_text, bare=True)


def drop(
    call: Call,
    *,
    key: str | None = None,
    stop: bool = False,
    forget: bool = False,
    yes: bool = False,
) -> Answer:
    """Move a plan to the archive as it is. With `stop` also under a run, which then stops.

    `forget` also removes the second name of its journal, also of a plan that is gone.
    """
    from outlast.plan.archive import drop_plan

    if forget:
        if not yes:
            words = ("drop", *(() if key is None else (shell_word(key),)), "--forget")
            raise Unconfirmed("yes_needed", command=" ".join(words))
        if key is not None and any(plan.key == key for plan in gone_plans(current_directory())):
            return _forget(call, key)
    with open_plan_for(call, key) as plan:
        dropped, lease = plan.key, live_lease(plan)
    if stop and lease and not call.wants_json:
        write(call.text("say_stop_wait", holder=visible(lease.holder)), sys.stderr)
    name = drop_plan(current_directory(), dropped, actor=call.actor, person=call.person, stop=stop)
    if forget:
        forget_gone_plans(current_directory(), dropped)
    return _archived_answer(call, "say_dropped", dropped, name)


def _forget(call: Call, key: str) -> Answer:
    """Remove what is left of a plan that is gone."""
    count = forget_gone_plans(current_directory(), key)
    words = call.text("say_forgotten", key=visible(key))
    return Answer(lambda: {"key": key, "forgotten": count}, lambda: words, bare=True)


def archive(call: Call, *, key: str | None = None) -> Answer:
    """Move an ended plan to the archive."""
    from outlast.plan.archive import archive_plan

    with open_plan_for(call, key) as plan:
        ended = plan.key
    name = archive_plan(current_directory(), ended)
    return _archived_answer(call, "say_archived", ended, name)


def _archived_answer(call: Call, text: str, key: str, name: str) -> Answer:
    command = call.suggest("restore", name)

    def as_text() -> str:
        return call.text(text, key=visible(key), name=visible(name), command=command)

    return Answer(lambda: {"key": key, "name": name}, as_text, bare=True)


def restore(call: Call, *, name: str) -> Answer:
    """Bring an archived plan back under its key, as the current plan."""
    from outlast.plan.archive import restore_and_archive

    key, replaced = restore_and_archive(current_directory(), name)
    switch_to(call, key)

    def as_text() -> str:
        named = () if call.plan else ("--plan", key)
        command = call.suggest("show", *named, key=key)
        restored = call.text("say_restored", key=visible(key), command=command)
        if not replaced:
            return restored
        command = call.suggest("restore", replaced)
        kept = call.text("say_replaced", name=visible(replaced), command=command)
        return f"{kept}\n{restored}"

    return Answer(lambda: {"key": key, "archived": replaced or None}, as_text, bare=True)
