"""`new`, `use`, `pause`, `reset` and `accept`: the plan as a whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, cast

from outlast.console.plan_context import live_lease, open_plan_for, switch_to
from outlast.console.render.json import plan_json
from outlast.console.render.output import Answer
from outlast.console.render.summary import next_json, next_line, resume_lines, summarize_plan
from outlast.errors import InvalidArgument, StoreError, Unconfirmed
from outlast.language import status_words, visible
from outlast.model.commands import CreatePlan
from outlast.model.model import PERSON
from outlast.plan.home.find import require_workspace
from outlast.plan.plans import Plans
from outlast.system.clock import new_plan_id, now
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

_CONFIRMABLE: Final = ("task_plan_held_back", "task_plan_cut")  # edits that look like a mistake


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
        next_steps = resume_lines(summary.condition, call) or [next_line(summary, call)]
    workspace, chosen = require_workspace(current_directory()), call.context.key
    workspace.make_current(chosen)
    if workspace.current_key() != chosen:
        raise StoreError("current_not_written", where=workspace.current_path, key=chosen)

    def as_text() -> str:
        progress = {"done": summary.done, "total": summary.total}
        names = {"key": visible(chosen), "title": visible(summary.title)}
        status = status_words(summary.condition, call.language)
        lines = [call.text("say_current_plan", **progress, **names, status=status), *next_steps]
        variable = None if call.common.get("plan") else call.plan
        if variable is not None and chosen != variable:
            facts = {"plan": visible(variable), "key": visible(chosen)}
            lines.append(call.text("say_variable_first", **facts))
        return "\n".join(lines)

    return Answer(lambda: next_json(summary), as_text, bare=True)


def pause(plan: Plan, call: Call, *, reason: tuple[str, ...] = ()) -> Answer:
    """Pause the plan; a run that is at work on it stops after its current call."""
    lease = live_lease(plan)
    plan.pause(" ".join(reason))
    summary, worker = summarize_plan(plan), lease.holder if lease else None

    def as_text() -> str:
        facts = {"key": visible(summary.key), "done": summary.done, "total": summary.total}
        if worker:
            return call.text("say_pausing", **facts, worker=visible(worker))
        return call.text("say_paused", **facts)

    return Answer(lambda: {**next_json(summary), "worker": worker}, as_text)


def reset(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then return every task to pending."""
    _require_yes(call, yes=yes)
    backup = _back_up(plan)
    count = plan.reset()
    summary = summarize_plan(plan)

    def as_text() -> str:
        head = call.text("say_reset", count=count, kept=visible(backup))
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"kept": backup, **next_json(summary)}, as_text)


def accept(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Back up the plan, then apply an edited view that waits for confirmation."""
    _require_yes(call, yes=yes)
    backup, count = None, 0
    if any(key in _CONFIRMABLE for key, _ in plan.notices):
        backup = _back_up(plan)
        notices = plan.files.sync(confirmed=True)
        applied = (cast("Any", details) for key, details in notices if key == "edit_applied")
        count = sum(len(details["changes"]) for details in applied)
    summary = summarize_plan(plan)

    def as_text() -> str:
        facts = {"count": count, "kept": visible(backup or "")}
        head = call.text("say_nothing_pending" if backup is None else "say_accepted", **facts)
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"kept": backup, "changes": count, **next_json(summary)}, as_text)


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
