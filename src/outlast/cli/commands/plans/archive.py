"""`abort`, `drop`, `archive` and `restore`: end a plan, put it away, bring it back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from outlast.console.plan_context import live_lease, open_plan_for, switch_to
from outlast.console.render.next_command import suggest_command
from outlast.console.render.output import Answer, write
from outlast.console.render.summary import next_json, summarize_plan
from outlast.language import visible
from outlast.model.decide.claims import refuse_claimed
from outlast.model.model import PLAN
from outlast.plan.archive import archive_plan, drop_plan, refuse_foreign_plan, restore_and_archive
from outlast.plan.core import has_ended
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.plan.plan import Plan


def abort(plan: Plan, call: Call, *, reason: tuple[str, ...] = (), stop: bool = False) -> Answer:
    """End the plan; it stays where it is. With `stop` also under a run, which then stops."""
    refuse_foreign_plan(plan, "abort")
    if not stop:
        now = plan.core.now()
        plan.core.read(lambda state: refuse_claimed(state, PLAN, now, has_ended=has_ended))
    plan.abort(" ".join(reason))
    summary = summarize_plan(plan)

    def as_text() -> str:
        command = suggest_command(call, "undo")
        facts = {"key": visible(summary.key), "done": summary.done, "total": summary.total}
        return call.text("say_aborted", **facts, command=command)

    return Answer(lambda: next_json(summary), as_text, bare=True)


def drop(call: Call, *, key: str | None = None, stop: bool = False) -> Answer:
    """Move a plan to the archive as it is. With `stop` also under a run, which then stops."""
    with open_plan_for(call, key) as plan:
        dropped, lease = plan.key, live_lease(plan)
    if stop and lease and not call.wants_json:
        write(call.text("say_stop_wait", holder=visible(lease.holder)), sys.stderr)
    name = drop_plan(current_directory(), dropped, actor=call.actor, person=call.person, stop=stop)
    return _archived_answer(call, "say_dropped", dropped, name)


def archive(call: Call, *, key: str | None = None) -> Answer:
    """Move an ended plan to the archive."""
    with open_plan_for(call, key) as plan:
        ended = plan.key
    name = archive_plan(current_directory(), ended)
    return _archived_answer(call, "say_archived", ended, name)


def _archived_answer(call: Call, text: str, key: str, name: str) -> Answer:
    command = suggest_command(call, "restore", name)

    def as_text() -> str:
        return call.text(text, key=visible(key), name=visible(name), command=command)

    return Answer(lambda: {"key": key, "name": name}, as_text, bare=True)


def restore(call: Call, *, name: str) -> Answer:
    """Bring an archived plan back under its key, as the current plan."""
    key, replaced = restore_and_archive(current_directory(), name)
    switch_to(call, key)

    def as_text() -> str:
        named = () if call.plan else ("--plan", key)
        command = suggest_command(call, "show", *named, key=key)
        restored = call.text("say_restored", key=visible(key), command=command)
        if not replaced:
            return restored
        command = suggest_command(call, "restore", replaced)
        kept = call.text("say_replaced", name=visible(replaced), command=command)
        return f"{kept}\n{restored}"

    return Answer(lambda: {"key": key, "archived": replaced or None}, as_text, bare=True)
