"""What an edited `findings.md` or `errors.md` was made from, which say nothing about it themselves.

An entry that is not in the file may have been taken out, or have come after the file was opened. It
was taken out only if the file has something that came no earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.domain.apply import fold
from outlast.domain.state import PlanState
from outlast.formats.markdown.notes import errors, findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.ports.edits import Edit
    from outlast.ports.store import Store


class _Kind(Struct, frozen=True):
    """How the entries of a file are read, and by which of their fields one is known again."""

    parse: Callable[[str], Any]
    said: Callable[[Any], Any]
    noted: Callable[[PlanState], Mapping[Any, Any]]
    signs: tuple[str, ...]
    title: Callable[[Any], str]

    def signs_of(self, said: object) -> set[Hashable]:
        """Return what tells an entry from others, be it edited."""
        return {(name, value) for name in self.signs if (value := getattr(said, name))}


_KINDS: Final = {
    "findings.md": _Kind(
        findings.parse,
        findings.said,
        lambda state: state.notes.findings,
        ("title", "content"),
        lambda finding: finding.title,
    ),
    "errors.md": _Kind(
        errors.parse,
        errors.said,
        lambda state: state.notes.errors,
        ("message", "at"),
        lambda error: error.tool,
    ),
}


class FirstShown(Struct, frozen=True):
    """The earliest revision that a file is most like and whose entries it still has.

    `newer` are the titles of entries that came later and are not in it.
    """

    revision: int
    newer: list[str] = []


def first_shown(store: Store, edit: Edit) -> FirstShown:
    """Return what a file was made from, as far as it tells."""
    kind = _KINDS.get(edit.name)
    if kind is None or not edit.revision:
        return FirstShown(edit.revision)
    entries = {entry.said for entry in kind.parse(edit.text).entries}
    if not entries:
        return FirstShown(edit.revision)
    signs = set[Hashable]().union(*map(kind.signs_of, entries))
    shown = kind.noted(store.before(edit.revision + 1))
    still = {key for key, one in shown.items() if kind.signs_of(kind.said(one)) & signs}
    best, found, then = -1, edit.revision, {*shown}
    for state in _past(store, edit.revision):
        noted = kind.noted(state)
        alike = sum(kind.said(one) in entries for one in noted.values())
        if noted and alike > best and still <= noted.keys():  # without any there is no file
            best, found, then = alike, state.revision, {*noted}
    newer = [kind.title(one) for key, one in shown.items() if key not in then | still]
    return FirstShown(found, newer)


def _past(store: Store, last: int) -> Iterator[PlanState]:
    """Yield the plan as it was at each revision up to the last one."""
    state = store.before(2)
    yield state
    for commit in store.since(1):
        if commit.revision <= last:
            fold(state, commit.changes, commit.revision, commit.at)
            yield state
