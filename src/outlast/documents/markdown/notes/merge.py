"""Merge edits of `findings.md`, `errors.md` and `deliverable.md`.

Entries have no ids. An entry matches the known entry that it has most in common with. An entry
without a match is new, and a known entry that no line matches was deleted. The plan has no place
for lines outside of entries, unknown categories and entries without a title: these are reported,
and the caller has to keep the edited file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.document import find_conflict
from outlast.documents.markdown.merge.edits import Edit, MergeResult, Report
from outlast.documents.markdown.notes import deliverable, errors, findings
from outlast.documents.markdown.notes.entries import split_lines
from outlast.documents.markdown.notes.errors import ErrorFields, error_fields
from outlast.documents.markdown.notes.findings import FindingFields, finding_fields
from outlast.language import times
from outlast.model import commands as c
from outlast.model.model import CATEGORIES, PERSON, Category

if TYPE_CHECKING:
    from outlast.documents.markdown.notes.entries import Entry
    from outlast.model.state import PlanState

F = TypeVar("F")
K = TypeVar("K", int, str)
Commands = tuple[c.Command, ...]

_MOST_DELETIONS: Final = 2  # of one edit: more deletions look like a file that was cut off


class NoteKind(Struct, Generic[K, F], frozen=True):
    """What differs between the files: how entries match, and the commands for each edit.

    `match_keys` are what two versions of an entry may have in common, the surest first. `title`
    is empty for an entry that cannot be applied. `keep_beside` keeps a person's version of an
    entry that changed in the plan too.
    """

    name: str
    match_keys: tuple[Callable[[F], object], ...]
    fields: Callable[[F], Sequence[str]]
    title: Callable[[F], str]
    create: Callable[[F], Commands]
    update: Callable[[K, F, Sequence[str], F], Commands]
    keep_both: Callable[[F], Commands]
    delete: Callable[[K], Commands]


def merge_findings(base: PlanState | None, current: PlanState, text: str) -> MergeResult:
    """Compare an edited `findings.md` with the plan it shows; without a base nothing is deleted."""
    before, now = None if base is None else _all_findings(base), _all_findings(current)
    if _is_blank(text) and now:
        return _report_blank(findings.NAME, len(now))
    conflict = _report_conflict(findings.NAME, text, findings.render(current))
    if conflict is not None:
        return conflict
    document = findings.parse(text)
    result = _merge_entries(_FINDINGS, document.entries, before, now)
    choices = [category.capitalize() for category in CATEGORIES]
    problems = [_unknown_line(findings.NAME, line) for line in document.strays]
    for line in document.unknown:
        details: dict[str, object] = {"name": findings.NAME, "line": line, "choices": choices}
        problems.append(Report("note_category_unknown", details))
    return MergeResult(result.edits, (*problems, *result.reports))


def merge_errors(base: PlanState | None, current: PlanState, text: str) -> MergeResult:
    """Compare an edited `errors.md` with the plan it shows; without a base nothing is deleted.

    The time of a known error is a fact: an edit of it is ignored. A new error has the time that
    the file gives it.
    """
    before, now = None if base is None else _all_errors(base), _all_errors(current)
    if _is_blank(text) and now:
        return _report_blank(errors.NAME, len(now))
    conflict = _report_conflict(errors.NAME, text, errors.render(current))
    if conflict is not None:
        return conflict
    document = errors.parse(text)
    result = _merge_entries(_ERRORS, document.entries, before, now)
    strays = (_unknown_line(errors.NAME, line) for line in document.strays)
    # The newest error stands first in the file and has to be recorded last.
    return MergeResult(result.edits[::-1], (*strays, *result.reports))


def merge_deliverable(base: PlanState | None, current: PlanState, text: str) -> MergeResult:
    """Apply an edited `deliverable.md`; an empty file restores the summary."""
    name = deliverable.NAME
    edited, now = _normalize(text), _normalize(deliverable.render(current))
    before = now if base is None else _normalize(deliverable.render(base))
    if edited in (before, now):
        return MergeResult()
    conflict = _report_conflict(name, edited, now)
    if conflict is not None:
        return conflict
    if now != before:
        details: dict[str, object] = {"name": name, "line": 1, "title": name}
        return MergeResult(reports=(Report("note_conflict", details),))
    return MergeResult((_note_edit(1, name, (c.Deliver(edited),)),))


def _normalize(text: str) -> str:
    """Return a text without a byte order mark, carriage returns and the final line end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _report_blank(name: str, count: int) -> MergeResult:
    """Apply nothing of a blank file: more likely an accident than a deletion of everything."""
    details: dict[str, object] = {"name": name, "line": 1, "count": count}
    return MergeResult(reports=(Report("notes_blank", details),))


def _report_conflict(name: str, text: str, shown: str) -> MergeResult | None:
    """Apply nothing of a file in which version control left a merge conflict.

    The plan itself may have content that looks like one: what it `shown` does not count.
    """
    known = {*shown.splitlines()}
    line = find_conflict("" if line in known else line for line in split_lines(text))
    details: dict[str, object] = {"name": name, "line": line}
    return MergeResult(reports=(Report("notes_unmerged", details),)) if line else None


def _unknown_line(name: str, line: int) -> Report:
    return Report("note_line_unknown", {"name": name, "line": line})


def _note_edit(line: int, title: str, commands: Commands) -> Edit:
    """Return the edit of an entry; it has no anchor, so a refusal leaves no comment."""
    return Edit("note", line, commands, "", (title,))


# Any kind of entry


def _merge_entries(
    kind: NoteKind[K, F],
    entries: Sequence[Entry[F]],
    base: Mapping[K, F] | None,
    now: Mapping[K, F],
) -> MergeResult:
    """Compare the entries of an edited file with those it had, and with those of the plan now."""
    before = now if base is None else base
    known = _match_entries(kind, entries, before)
    results: list[Edit | Report] = []
    for number, entry in enumerate(entries):
        title = kind.title(entry.fields)
        if not title:
            results.append(_unknown_line(kind.name, entry.line))
        elif number in known:
            results += _merge_entry(kind, entry, known[number], before, now)
        elif entry.fields not in (fields for key, fields in now.items() if key not in before):
            results.append(_note_edit(entry.line, title, kind.create(entry.fields)))
    if base is not None:
        deleted = [key for key in before if key not in known.values()]
        results += _merge_deletions(kind, deleted, before, now)
    edits = tuple(result for result in results if isinstance(result, Edit))
    return MergeResult(edits, tuple(result for result in results if isinstance(result, Report)))


def _match_entries(
    kind: NoteKind[K, F], entries: Sequence[Entry[F]], known: Mapping[K, F]
) -> dict[int, K]:
    """Return the known entry for each entry by its position; an empty key matches nothing."""
    matches: dict[int, K] = {}
    for match_key in kind.match_keys:
        taken = set(matches.values())
        free: dict[object, list[K]] = {}
        for key in reversed([key for key in known if key not in taken]):
            free.setdefault(match_key(known[key]), []).append(key)
        for number, entry in enumerate(entries):
            value = match_key(entry.fields)
            if value and number not in matches and free.get(value):
                matches[number] = free[value].pop()
    return matches


def _merge_entry(
    kind: NoteKind[K, F], entry: Entry[F], key: K, before: Mapping[K, F], now: Mapping[K, F]
) -> Iterator[Edit | Report]:
    edited, base = entry.fields, before[key]
    fields = _changed_fields(kind.fields(edited), edited, base)
    if not fields:
        return
    title = kind.title(edited)
    if key not in now:
        yield _note_edit(entry.line, title, kind.create(edited))
    elif _is_conflict(fields, now[key], base, edited):
        if commands := kind.keep_both(edited):
            yield _note_edit(entry.line, title, commands)
        yield Report("note_conflict", {"name": kind.name, "line": entry.line, "title": title})
    elif new := _changed_fields(fields, edited, now[key]):
        yield _note_edit(entry.line, title, kind.update(key, edited, new, now[key]))


def _is_conflict(fields: Sequence[str], now: object, base: object, edited: object) -> bool:
    """Return whether the plan and the person changed a field in different ways since the base."""
    since = _changed_fields(fields, now, base)
    return bool(_changed_fields(since, now, edited))


def _changed_fields(fields: Sequence[str], left: Any, right: Any) -> list[str]:  # noqa: ANN401 - any entry
    return [name for name in fields if getattr(left, name) != getattr(right, name)]


def _merge_deletions(
    kind: NoteKind[K, F], deleted: Sequence[K], before: Mapping[K, F], now: Mapping[K, F]
) -> Iterator[Edit | Report]:
    present = [key for key in deleted if key in now]
    if len(present) > _MOST_DELETIONS:
        details = {"name": kind.name, "line": 1, "count": len(present), "limit": _MOST_DELETIONS}
        yield Report("notes_missing", details)
        return
    for key in present:
        title = kind.title(now[key])
        if now[key] == before[key]:
            place = str(list(before).index(key))  # makes the edit's key unique among deletions
            yield Edit("gone", 1, kind.delete(key), place, (title,))
        else:
            yield Report("note_kept", {"name": kind.name, "line": 1, "title": title})


# Findings


def _all_findings(state: PlanState) -> dict[int, FindingFields]:
    return {key: finding_fields(finding) for key, finding in state.notes.findings.items()}


def _create_finding(finding: FindingFields) -> Commands:
    return (
        c.NoteFinding(
            category=cast("Category", finding.category),
            title=finding.title,
            content=finding.content,
            source=finding.source,
            actor=PERSON,
            count=finding.count,
        ),
    )


def _update_finding(
    key: int, finding: FindingFields, fields: Sequence[str], _now: FindingFields
) -> Commands:
    return (c.EditFinding(key, **{name: getattr(finding, name) for name in fields}),)


_FINDINGS: Final = NoteKind[int, FindingFields](
    name=findings.NAME,
    match_keys=(
        lambda finding: finding,
        lambda finding: finding.title and (finding.category, finding.title),
        lambda finding: finding.title,
        lambda finding: finding.content and (finding.category, finding.content),
        lambda finding: finding.content,
    ),
    fields=lambda _: ("category", "title", "content", "source"),
    title=lambda finding: finding.title if finding.category else "",
    create=_create_finding,
    update=_update_finding,
    keep_both=_create_finding,
    delete=lambda key: (c.ForgetFinding(key),),
)


# Errors


def _all_errors(state: PlanState) -> dict[str, ErrorFields]:
    return {key: error_fields(error) for key, error in state.notes.errors.items()}


def _error_field_names(error: ErrorFields) -> Sequence[str]:
    return ("tool", "message", "params", "count") if error.count else ("tool", "message", "params")


def _create_error(error: ErrorFields) -> Commands:
    at = times.read(error.at)
    return (c.NoteError(error.tool, error.message, error.params, count=max(1, error.count), at=at),)


def _update_error(
    key: str, error: ErrorFields, fields: Sequence[str], now: ErrorFields
) -> Commands:
    """Replace the error: its key follows from its tool and message."""
    updated = replace(now, **{name: getattr(error, name) for name in fields})
    return (*_delete_error(key), *_create_error(updated))


def _delete_error(key: str) -> Commands:
    return (c.ForgetErrors((key,)),)


_ERRORS: Final = NoteKind[str, ErrorFields](
    name=errors.NAME,
    match_keys=(
        lambda error: error,
        lambda error: error.tool and (error.tool, error.message),
        lambda error: error.at and (error.tool, error.at),
        lambda error: error.at,
    ),
    fields=_error_field_names,
    title=lambda error: error.tool,
    create=_create_error,
    update=_update_error,
    keep_both=lambda _: (),  # the same error twice would only count twice
    delete=_delete_error,
)
