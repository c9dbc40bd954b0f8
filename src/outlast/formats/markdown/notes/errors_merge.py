"""What people have done to `errors.md`.

When an error took place is a fact: a time that was changed is put right again. One that nobody
knew yet took place when the file says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.note_commands import ForgetErrors, NoteError
from outlast.formats import times
from outlast.formats.markdown.merge.edits import Merge
from outlast.formats.markdown.notes.errors import NAME, Said, parse, said
from outlast.formats.markdown.notes.merged import Kind, emptied, merged, odd_line
from outlast.formats.markdown.notes.params import without_secrets_in
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.state import PlanState
    from outlast.formats.markdown.notes.merged import Commands


def merge(base: PlanState | None, current: PlanState, text: str) -> Merge:
    """Compare an edited file with the plan it was made from; without one nothing counts as gone."""
    before, now = None if base is None else _all_said(base), _all_said(current)
    blank = emptied(NAME, text, now)
    if blank is not None:
        return blank
    document = parse(text)
    found = merged(_KIND, document.entries, before, now)
    strays = (odd_line(NAME, line) for line in document.strays)
    # the newest stands first and has to come last
    return Merge(found.wishes[::-1], (*strays, *found.reports))


def _all_said(state: PlanState) -> dict[str, Said]:
    return {key: said(error) for key, error in state.notes.errors.items()}


def _fields(error: Said) -> Sequence[str]:
    return ("tool", "message", "params", "count") if error.count else ("tool", "message", "params")


def _noted(error: Said) -> Commands:
    tool, message = without_secrets(error.tool), without_secrets(error.message)
    params = without_secrets_in(error.params)
    at = times.read(error.at)
    return (NoteError(tool, message, params, count=max(1, error.count), at=at),)


def _edited(key: str, error: Said, fields: Sequence[str], now: Said) -> Commands:
    """Put the error as it is meant in the place of the one there is."""
    meant = replace(now, **{name: getattr(error, name) for name in fields})
    return (*_forgotten(key), *_noted(meant))


def _forgotten(key: str) -> Commands:
    return (ForgetErrors((key,)),)


_KIND: Final = Kind[str, Said](
    name=NAME,
    likenesses=(
        lambda one: one,
        lambda one: one.tool and (one.tool, one.message),
        lambda one: one.at and (one.tool, one.at),
        lambda one: one.at,
    ),
    fields=_fields,
    title=lambda one: one.tool,
    noted=_noted,
    edited=_edited,
    beside=lambda _: (),  # the same error twice would only be counted twice
    forgotten=_forgotten,
)
