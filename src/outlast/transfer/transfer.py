"""Import plans from documents, and write plans to documents."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.console.document_file import STANDARD, write_document
from outlast.model.commands import KeepProse
from outlast.model.execute import return_commit
from outlast.plan.home.find import require_workspace
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plans import Plans
from outlast.system.clock import new_plan_id, now
from outlast.transfer import plan_document
from outlast.transfer.imports.recognize import refuse
from outlast.transfer.plan_document import MANAGER, PLAN_JSON
from outlast.transfer.plugins import read_form
from outlast.transfer.source import read_document, read_import_input

if TYPE_CHECKING:
    from outlast.model.commands import CreatePlan
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout
    from outlast.transfer.plan_document import PlanDocument

__all__ = ["back_up", "import_document", "import_plan", "read_document", "read_plan"]

# Files and directories of Claude Code are named after a session.
_SESSION: Final = re.compile(r"([0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")


def import_plan(  # noqa: PLR0913 - one keyword for each choice
    start: str,
    command: CreatePlan,
    key: str | None = None,
    *,
    layout: Layout | None = None,
    actor: str = "agent",
    person: str = "",
) -> Plan:
    """Create an imported plan in the workspace of a directory.

    Its key is the given one, else its own, else one made from its goal. Its id is always new:
    permissions and approvals belong to an id, and a document may come from anybody.
    """
    command = replace(command, id=new_plan_id())
    named = command.key or None if key is None else key
    return Plans.of_project(start, actor).create(command, named, layout=layout, person=person)


def import_document(  # noqa: PLR0913 - one keyword for each choice
    start: str,
    path: str,
    form: str | None,
    key: str | None = None,
    *,
    layout: Layout | None = None,
    actor: str = "agent",
    person: str = "",
) -> tuple[Plan, PlanDocument]:
    """Create a plan from a file, a directory, or standard input (`-`).

    A refused one leaves nothing.
    """
    document = _read_plan(path, form)
    command = _plan_with_goal(document, path)
    prose = (KeepProse(document.prose),) if document.prose else ()
    additions = (*prose, *document.notes)
    trial = create_memory_plan(command)
    if additions:
        trial.core.commit(additions, return_commit)
    plan = import_plan(start, command, key, layout=layout, actor=actor, person=person)
    if additions:
        plan.core.commit(additions, return_commit)
    return plan, document


def read_plan(path: str) -> CreatePlan:
    """Return the plan in a file, without importing it."""
    return _plan_with_goal(_read_plan(path, None), path)


def _read_plan(path: str, form: str | None) -> PlanDocument:
    source, form, unread = read_import_input(path, form)
    document = read_form(source, form)
    if not document.plan.tasks and not document.plan.goal.strip():
        raise refuse(source, near=document.form)
    return replace(document, unread=(*document.unread, *unread))


def _plan_with_goal(document: PlanDocument, path: str) -> CreatePlan:
    """Return the plan of a document; a list without a heading is named after its file."""
    plan = document.plan
    if document.form in (PLAN_JSON, MANAGER) or plan.goal.strip():
        return plan
    name = "" if path == STANDARD else Path(path).absolute().name.partition(".")[0]
    session = _SESSION.match(name)
    if session:
        name = f"{document.form}-{session[1]}"
    return replace(plan, goal=name or "plan")


def back_up(start: str, plan: Plan) -> str:
    """Write the current plan as JSON beside its journal; return the path."""
    directory = require_workspace(start).plan_directory(plan.key)
    path = f"{directory}{os.sep}backup-r{plan.revision}-{_stamp()}.json"
    write_document(path, plan.core.read(lambda state: plan_document.write(state, PLAN_JSON)))
    return path


def _stamp() -> str:
    return f"{now():%Y%m%dT%H%M%S.%f}"
