"""Results: what a completion without a result of its own records (R0.06).

The model's replies about a task and its tool calls are kept while it is in progress. A result is
made of them when the task is completed: what was said last comes first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from outlast.language import Language, clauses, listing, text
from outlast.language.lazy_pattern import compile_lazily
from outlast.model.ledger import DELEGATE, THINK
from outlast.model.limits import RESULT_CHARACTERS
from outlast.model.markers import done_marks, normalize_name, remarks
from outlast.model.replies.transitions import announces_next

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outlast.model.ledger import DoneAttempt

_SENTENCES: Final = compile_lazily(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_DIGEST: Final = "sha256:"  # in the place of a text that is not recorded
_OBJECT_CHARACTERS: Final = 60
_OBJECTS: Final = 3  # of a tool


def words_about(reply: str, current: str, others: Iterable[str]) -> str:
    """Return what a reply says about the current task, on one line.

    That is its remarks without markers and code, what stands beside a done marker first, and
    without sentences that only announce the next step. If that leaves nothing, what stands beside
    the marker remains.
    """
    names, own = tuple(others), normalize_name(current)
    marked = [mark.text for mark in done_marks(reply) if mark.text and not mark.must_name]
    lines = [line for line in remarks(reply) if line.strip() not in marked]
    said = {
        line: [" ".join(sentence.split()) for sentence in _SENTENCES.split(line)]
        for line in (*marked, *lines)
    }
    told = (
        sentence
        for line, sentences in said.items()
        for sentence in sentences
        if not announces_next(sentence, current, names)
    )
    found = dict.fromkeys(told) or dict.fromkeys(marked)
    return cut(" ".join(text for text in found if text and normalize_name(text) != own))


def made_result(said: Sequence[str], done: Sequence[DoneAttempt], language: Language) -> str | None:
    """Return the result of a task from what was said, newest first, and done; None without both."""
    tools = [*_tools(done)]
    used = (text("result_tools", language, tools=listing(tools, language)),) if tools else ()
    room = RESULT_CHARACTERS - sum(len(part) + 2 for part in used)
    words = clauses(dict.fromkeys(reversed(said)), language)
    return clauses(filter(None, (cut(words, room), *used)), language) or None


def cut(result: str, limit: int = RESULT_CHARACTERS) -> str:
    """Return a result of at most `limit` characters."""
    return result if len(result) <= limit else f"{result[: limit - 1]}…"


def _tools(done: Sequence[DoneAttempt]) -> Iterator[str]:
    """Yield each tool with the objects of its calls: `read_file a.txt, b.txt`."""
    objects = dict[str, list[str]]()
    for attempt in done:
        name, _, params = attempt.what.partition(" ")
        if attempt.kind not in (THINK, DELEGATE):
            objects.setdefault(name, []).extend(_object(params))
    for name, found in objects.items():
        shown = ", ".join(dict.fromkeys(found[-_OBJECTS:]))
        yield f"{name} {shown}".rstrip()


def _object(params: str) -> Iterator[str]:
    """Yield what a recorded call is about: its first parameter that is a short text."""
    try:
        values = [*dict(json.loads(params or "{}")).values()]
    except (ValueError, TypeError):
        return  # the line was too long and is cut
    for value in values:
        if isinstance(value, str) and value.strip() and not value.startswith(_DIGEST):
            yield cut(" ".join(value.split()), _OBJECT_CHARACTERS)
            return
