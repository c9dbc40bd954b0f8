"""A plan in a file as the goal of a run: `outlast run plan.md --agent shell`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.cli.run.job import require_commands
from outlast.cli.run.options import plan_layout
from outlast.console.plan_context import set_context
from outlast.console.render.output import print_notice
from outlast.console.render.unread import unread_notice
from outlast.errors import InvalidDocument, PlanExists, WrongUsage
from outlast.language import visible
from outlast.model.commands import EditPlan, RequireApproval
from outlast.model.execute import return_commit
from outlast.model.limits import check_name
from outlast.model.plan_choice import PlanQuery
from outlast.orchestrator.known_agents import SHELL
from outlast.plan.home.find import workspace_at
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plans import Plans
from outlast.transfer.plan_import import import_document, read_plan

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.model.commands import Command
    from outlast.plan.home.workspace import Workspace

_ENDINGS: Final = (".md", ".markdown")


def find_plan_file(words: tuple[str, ...]) -> str:
    """Return the file that is given instead of a goal; empty if it is a goal."""
    if len(words) != 1 or not words[0].lower().endswith(_ENDINGS) or "\n" in words[0]:
        return ""
    path = words[0]
    if not os.path.lexists(path):
        if " " in path:
            return ""
        raise InvalidDocument("plan_file_missing", where=visible(path), file=visible(path))
    return path


def refuse_plan_file(words: tuple[str, ...]) -> None:
    """Refuse a file as the goal of a run without an agent: its name is no goal."""
    if len(words) == 1 and words[0].lower().endswith(_ENDINGS) and Path(words[0]).is_file():
        raise WrongUsage("plan_file_needs_agent", file=visible(words[0]))


def adopt_plan_file(call: Call, home: str, path: str, key: str | None) -> str:
    """Make the plan of a file the one of the call, and return its goal.

    An unfinished plan with the same goal goes on; otherwise the file is imported. Of two runs at
    the same moment one imports it, and the other goes on with that plan. A file may come from a
    stranger: nothing of it runs before a person has approved it.
    """
    workspace, written = workspace_at(home), read_plan(path)
    if key is not None and workspace.has_plan(check_name(key, "key")):
        where = workspace.plan_directory(key)
        raise PlanExists("plan_exists_already", where=where, key=key)
    can_continue = key is None and bool(written.goal)
    query, looking = PlanQuery(message=written.goal), Plans(workspace)
    if can_continue and (known := looking.choose(query)):
        call.notices.extend(looking.notices)
        _continue_plan(call, workspace, known, path)
        return written.goal
    if call.values.get("agent") == SHELL:
        require_commands(written.tasks)
    create_memory_plan(written)  # a refused plan leaves nothing
    with workspace.lock():
        plans = Plans(workspace, notices=call.notices)
        if can_continue and (known := plans.choose(query)):
            _continue_plan(call, workspace, known, path)
            return written.goal
        return _import_plan(call, workspace, path, key)


def _continue_plan(call: Call, workspace: Workspace, key: str, path: str) -> None:
    """Make an unfinished plan the one of the call."""
    set_context(call, workspace, key)
    _tell_at_once(call, "plan_file_continued", key=key, file=visible(path))


def _tell_at_once(call: Call, notice: str, **facts: object) -> None:
    """Print a notice before the run, which may take hours; in JSON it is part of the answer."""
    if call.wants_json:
        call.notices.append((notice, facts))
    else:
        print_notice(call, (notice, facts))


def _import_plan(call: Call, workspace: Workspace, path: str, key: str | None) -> str:
    """Create the plan of a file, which needs approval, and return its goal."""
    plan, document = import_document(
        workspace.root,
        path,
        None,
        key,
        actor=call.asker,
        person=call.person,
        layout=plan_layout(call.values),
    )
    with plan:
        commands: list[Command] = [RequireApproval()]
        is_in_order = call.values.get("parallel", 1) > 1 and plan.order == "sequential"
        if is_in_order and any(task.needs for task in plan.tasks()):  # who writes needs means them
            commands.append(EditPlan(order="graph"))
            is_in_order = False
        plan.core.commit(tuple(commands), return_commit)
        set_context(call, workspace, plan.key)
        Plans(workspace).make_current(plan.key, is_new=True)
        if is_in_order and plan.progress.total > 1:
            _tell_at_once(call, "plan_file_sequential", file=visible(path))
        for line in document.unread:
            call.notices.append(unread_notice(line))
        return plan.goal
