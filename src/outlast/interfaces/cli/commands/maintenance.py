"""`reset`, `accept`, `archive`, `restore`: maintenance of a whole plan, which loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import PERSON
from outlast.errors import Unconfirmed
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_json, next_line, summarize_plan
from outlast.system.workspace_root import current_directory
from outlast.texts import visible
from outlast.wiring.archive import archive_plan, swap_in
from outlast.wiring.plans import find_plan
from outlast.wiring.transfer import back_up

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call


def reset(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then return every task to pending."""
    _require_person(call, yes=yes)
    backup = back_up(current_directory(), plan)
    count = plan.reset()
    summary = summarize_plan(plan)

    def as_text() -> str:
        head = call.text("say_reset", count=count, kept=visible(backup))
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"kept": backup, **next_json(summary)}, as_text)


def accept(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then apply an edited view that waits for confirmation."""
    _require_person(call, yes=yes)
    before = plan.revision
    backup = (
        back_up(current_directory(), plan)
        if any(key == "task_plan_held_back" for key, _ in plan.notices)
        else None
    )
    if backup is not None:
        plan.files.sync(confirmed=True)
    summary, count = summarize_plan(plan), plan.revision - before

    def as_text() -> str:
        facts = {"count": count, "kept": visible(backup or "")}
        head = call.text("say_nothing_pending" if backup is None else "say_accepted", **facts)
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"kept": backup, "changes": count, **next_json(summary)}, as_text)


def archive(call: Call, *, key: str | None = None) -> Answer:
    """Move an ended plan to the archive."""
    named = call.plan if key is None else key
    if named is None:
        with find_plan(current_directory(), actor=call.actor, ended=True) as plan:
            named = plan.key
    name = archive_plan(current_directory(), named)

    def as_text() -> str:
        command = suggest_command(call, "restore", name)
        return call.text("say_archived", key=visible(named), name=visible(name), command=command)

    return Answer(lambda: {"key": named, "name": name}, as_text)


def restore(call: Call, *, name: str) -> Answer:
    """Bring an archived plan back under its key."""
    key, replaced = swap_in(current_directory(), name)

    def as_text() -> str:
        named = () if call.plan else ("--plan", key)
        command = suggest_command(call, "show", *named, key=key)
        restored = call.text("say_restored", key=visible(key), command=command)
        if not replaced:
            return restored
        command = suggest_command(call, "restore", replaced)
        kept = call.text("say_replaced", name=visible(replaced), command=command)
        return f"{kept}\n{restored}"

    return Answer(lambda: {"key": key, "archived": replaced or None}, as_text)


def _require_person(call: Call, *, yes: bool) -> None:
    """Raise `Unconfirmed` unless a person gave `--yes`."""
    if call.actor != PERSON:
        raise Unconfirmed("only_people", command=call.command, actor=visible(call.actor))
    if not yes:
        raise Unconfirmed("yes_needed", command=call.command)
