"""What people have done to `findings.md`.

Lines outside of any entry, categories that there are not and entries without a title are reported
and not taken in: the plan has no place for them, so the edited file has to be kept as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from outlast.domain.model import CATEGORIES, PERSON
from outlast.domain.note_commands import EditFinding, ForgetFinding, NoteFinding
from outlast.formats.markdown.merge.edits import Merge, Report
from outlast.formats.markdown.notes.findings import NAME, Said, parse, said
from outlast.formats.markdown.notes.merged import Kind, emptied, merged, odd_line
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.domain.model import Category
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.notes.findings import Document
    from outlast.formats.markdown.notes.merged import Commands


def merge(base: PlanState | None, current: PlanState, text: str) -> Merge:
    """Compare an edited file with the plan it was made from; without one nothing counts as gone."""
    before, now = None if base is None else _all_said(base), _all_said(current)
    blank = emptied(NAME, text, now)
    if blank is not None:
        return blank
    document = parse(text)
    found = merged(_KIND, document.entries, before, now)
    return Merge(found.wishes, (*_odd(document), *found.reports))


def _all_said(state: PlanState) -> dict[int, Said]:
    return {key: said(finding) for key, finding in state.notes.findings.items()}


def _odd(document: Document) -> Iterator[Report]:
    for line in document.strays:
        yield odd_line(NAME, line)
    choices = [category.capitalize() for category in CATEGORIES]
    for line in document.unknown:
        details: dict[str, object] = {"name": NAME, "line": line, "choices": choices}
        yield Report("note_category_unknown", details)


def _title(finding: Said) -> str:
    return finding.title if finding.category else ""


def _noted(finding: Said) -> Commands:
    return (
        NoteFinding(
            category=cast("Category", finding.category),
            title=without_secrets(finding.title),
            content=without_secrets(finding.content),
            source=without_secrets(finding.source),
            actor=PERSON,
        ),
    )


def _edited(key: int, finding: Said, fields: Sequence[str], _now: Said) -> Commands:
    return (EditFinding(key, **{name: without_secrets(getattr(finding, name)) for name in fields}),)


_KIND: Final = Kind[int, Said](
    name=NAME,
    likenesses=(
        lambda one: one,
        lambda one: one.title and (one.category, one.title),
        lambda one: one.title,
        lambda one: one.content and (one.category, one.content),
        lambda one: one.content,
    ),
    fields=lambda _: ("category", "title", "content", "source"),
    title=_title,
    noted=_noted,
    edited=_edited,
    beside=_noted,
    forgotten=lambda key: (ForgetFinding(key),),
)
