"""Importers of installed packages, by the name of their form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.json import manager_parse
from outlast.errors import InvalidDocument, OutlastError, UnknownForm, WrongUsage
from outlast.language import visible
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG
from outlast.system.plugins import find_plugin, instance_of
from outlast.transfer.imports.recognize import FORMS
from outlast.transfer.plan_document import PlanDocument, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

    from outlast.transfer.imports.document import Importer, ImportSource

GROUP: Final = "outlast.importers"


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
    return _read(_load(_find(form)), source, form)


def _read_unknown(source: ImportSource, error: UnknownForm) -> PlanDocument:
    names = []
    for point in _entry_points():
        names.append(point.name)
        try:
            importer = _load(point)
            if not importer.recognizes(source):
                continue
        except Exception as problem:  # noqa: BLE001 - whatever a package raises, it does not read this
            LOG.warning("importer %s: %s", point.name, problem)
            continue
        return _read(importer, source, point.name)
    details = {**error.details, "expected": [*FORMS, *names]}
    raise UnknownForm(error.text, **details) from error


def _entry_points() -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points  # imported late: it is slow to load

    return iter(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def _find(form: str) -> EntryPoint:
    def missing(known: list[str]) -> WrongUsage:
        return WrongUsage("form_missing", form=visible(form)[:80], expected=[*FORMS, *known])

    return find_plugin(GROUP, form, missing)


def _load(point: EntryPoint) -> Importer:
    try:
        importer: Importer = instance_of(point.load())
    except Exception as error:  # whatever a package raises while it is imported
        raise _import_error(point.name, error) from error
    return importer


def _read(importer: Importer, source: ImportSource, form: str) -> PlanDocument:
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
