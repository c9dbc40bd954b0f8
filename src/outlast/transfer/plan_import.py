"""Import plans from documents, in a form of ours or in that of an installed package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.console.document_file import STANDARD
from outlast.documents.json import manager_parse
from outlast.errors import InvalidDocument, OutlastError, UnknownForm, WrongUsage
from outlast.language import visible
from outlast.model.commands import CreatePlan, KeepProse
from outlast.model.execute import return_commit
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plans import Plans
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG
from outlast.system.plugins import find_plugin, instance_of
from outlast.transfer.imports.document import Importer, ImportSource, PlanDocument
from outlast.transfer.plan_document import FORMS, MANAGER, PLAN_JSON, read_source, refuse
from outlast.transfer.source import read_import_input

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

# Files and directories of Claude Code are named after a session.
_SESSION: Final = re.compile(r"([0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
GROUP: Final = "outlast.importers"


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
    needs_approval: bool = False,
) -> tuple[Plan, PlanDocument]:
    """Create a plan from a file, a directory, or standard input (`-`).

    A refused one leaves nothing. One that `needs_approval` does so from its first commit on.
    """
    document = _read_plan(path, form)
    command = _plan_with_goal(document, path)
    command = replace(command, needs_approval=needs_approval or command.needs_approval)
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


def read_form(source: ImportSource, form: str | None) -> PlanDocument:
    """Read a plan in one of our forms or in that of a package; without a name, in any of them.

    A package is loaded only if it is named, or if the form is none of ours.
    """
    if form is None:
        try:
            return read_source(source, None, new_plan_id(), now())
        except UnknownForm as error:
            return _read_unknown(source, error)
    if form in FORMS:
        return read_source(source, form, new_plan_id(), now())
    return _read_with(_load(_find_importer(form)), source, form)


def _read_unknown(source: ImportSource, error: UnknownForm) -> PlanDocument:
    from importlib.metadata import entry_points  # imported late: it is slow to load

    names = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        names.append(point.name)
        try:
            importer = _load(point)
            if not importer.recognizes(source):
                continue
        except Exception as problem:  # noqa: BLE001 - whatever a package raises, it does not read this
            LOG.warning("importer %s: %s", point.name, problem)
            continue
        return _read_with(importer, source, point.name)
    details = {**error.details, "expected": [*FORMS, *names]}
    raise UnknownForm(error.text, **details) from error


def _find_importer(form: str) -> EntryPoint:
    def missing(known: list[str]) -> WrongUsage:
        return WrongUsage("form_missing", form=visible(form)[:80], expected=[*FORMS, *known])

    return find_plugin(GROUP, form, missing)


def _load(point: EntryPoint) -> Importer:
    try:
        importer: Importer = instance_of(point.load())
    except Exception as error:  # whatever a package raises while it is imported
        raise _import_error(point.name, error) from error
    return importer


def _read_with(importer: Importer, source: ImportSource, form: str) -> PlanDocument:
    try:
        document = importer.read(source)
    except OutlastError:
        raise
    except Exception as error:  # whatever a package raises, it did not read the plan
        raise _import_error(form, error) from error
    return PlanDocument(form, manager_parse.parse(document, new_plan_id(), now()))


def _import_error(form: str, error: Exception) -> InvalidDocument:
    problem = visible(f"{type(error).__name__}: {error}")
    return InvalidDocument("importer_broken", form=form, problem=problem)
