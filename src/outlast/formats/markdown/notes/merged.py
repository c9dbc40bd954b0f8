"""What a person's edit of a file asks for, and what could not be taken from it.

Neither file has ids. An entry is the known one that it is most alike; one that nobody knows is new,
and a known one that is nowhere in the file is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from msgspec import Struct

from outlast.domain.commands import Command
from outlast.formats.markdown.merge.edits import Merge, Report, Wish

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.formats.markdown.notes.entry import Entry

S = TypeVar("S")
K = TypeVar("K", int, str)
Commands = tuple[Command, ...]

_MOST_GONE: Final = 2  # entries that one edit may take out: more look like a file that was cut


class Kind(Struct, Generic[K, S], frozen=True):
    """What tells the entries of one file from those of another.

    `likenesses` are what two versions of an entry may have in common, the surest first. `title` is
    what an entry is called, nothing for one that cannot be taken in. The others are the commands
    that bring an entry in, change some fields of it, keep a person's version beside one that
    changed meanwhile, and take it out.
    """

    name: str
    likenesses: tuple[Callable[[S], object], ...]
    fields: Callable[[S], Sequence[str]]
    title: Callable[[S], str]
    noted: Callable[[S], Commands]
    edited: Callable[[K, S, Sequence[str], S], Commands]
    beside: Callable[[S], Commands]
    forgotten: Callable[[K], Commands]


def merged(
    kind: Kind[K, S], entries: Sequence[Entry[S]], base: Mapping[K, S] | None, now: Mapping[K, S]
) -> Merge:
    """Compare the entries of an edited file with those it had, and with those of the plan now.

    Without a base nothing counts as gone.
    """
    before = now if base is None else base
    which = _paired(kind, entries, before)
    found: list[Wish | Report] = []
    for number, entry in enumerate(entries):
        if not kind.title(entry.said):
            found.append(odd_line(kind.name, entry.line))
        elif number in which:
            found += _kept(kind, entry, which[number], before, now)
        elif entry.said not in (one for key, one in now.items() if key not in before):
            found.append(wish(entry.line, kind.title(entry.said), kind.noted(entry.said)))
    if base is not None:
        found += _gone(kind, [key for key in before if key not in which.values()], before, now)
    wishes = tuple(one for one in found if isinstance(one, Wish))
    return Merge(wishes, tuple(one for one in found if isinstance(one, Report)))


def wish(line: int, title: str, commands: Commands) -> Wish:
    """Return what an entry at a line asks for; nothing of it is kept in another place."""
    return Wish("note", line, commands, "", (title,))


def emptied(name: str, text: str, now: Mapping[K, S]) -> Merge | None:
    """Return what is told of a blank file, which is more likely an accident; else None."""
    if text.strip("\ufeff \t\r\n") or not now:
        return None
    return Merge(reports=(Report("notes_blank", {"name": name, "line": 1, "count": len(now)}),))


def odd_line(name: str, line: int) -> Report:
    """Say that a line cannot be understood."""
    return Report("note_line_unknown", {"name": name, "line": line})


def _paired(kind: Kind[K, S], entries: Sequence[Entry[S]], known: Mapping[K, S]) -> dict[int, K]:
    """Return which known entry each one is, by its position; an empty likeness is none."""
    found: dict[int, K] = {}
    for likeness in kind.likenesses:
        taken = set(found.values())
        alike: dict[object, list[K]] = {}
        for key in reversed([key for key in known if key not in taken]):
            alike.setdefault(likeness(known[key]), []).append(key)
        for number, entry in enumerate(entries):
            mark = likeness(entry.said)
            if mark and number not in found and alike.get(mark):
                found[number] = alike[mark].pop()
    return found


def _kept(
    kind: Kind[K, S], entry: Entry[S], key: K, before: Mapping[K, S], now: Mapping[K, S]
) -> Iterator[Wish | Report]:
    mine, base = entry.said, before[key]
    fields = _changed(kind.fields(mine), mine, base)
    if not fields:
        return
    if key not in now:
        yield wish(entry.line, kind.title(mine), kind.noted(mine))
    elif set(_changed(fields, now[key], base)) & set(_changed(fields, now[key], mine)):
        if beside := kind.beside(mine):
            yield wish(entry.line, kind.title(mine), beside)
        details = {"name": kind.name, "line": entry.line, "title": kind.title(mine)}
        yield Report("note_clash", details)
    elif new := _changed(fields, mine, now[key]):
        yield wish(entry.line, kind.title(mine), kind.edited(key, mine, new, now[key]))


def _changed(fields: Sequence[str], one: Any, other: Any) -> list[str]:  # noqa: ANN401 - any entry
    return [name for name in fields if getattr(one, name) != getattr(other, name)]


def _gone(
    kind: Kind[K, S], gone: Sequence[K], before: Mapping[K, S], now: Mapping[K, S]
) -> Iterator[Wish | Report]:
    still = [key for key in gone if key in now]
    if len(still) > _MOST_GONE:
        details = {"name": kind.name, "line": 1, "count": len(still), "limit": _MOST_GONE}
        yield Report("notes_gone", details)
        return
    for key in still:
        title = kind.title(now[key])
        if now[key] == before[key]:
            place = str(list(before).index(key))  # tells it from others that are gone
            yield Wish("gone", 1, kind.forgotten(key), place, (title,))
        else:
            yield Report("note_kept", {"name": kind.name, "line": 1, "title": title})
