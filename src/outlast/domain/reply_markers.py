"""Markers in a model's reply: declared tasks, completion, progress (R0.04-R0.07).

Text inside code fences is ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from outlast.domain.limits import NAME_CHARACTERS
from outlast.domain.model import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORDS_EN: Final = ("next", "now", "then", "continue", "let me", "proceed")
WORDS_ZH: Final = ("现在", "接下来", "然后", "继续", "开始", "现在让我")
_FENCE: Final = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)", re.DOTALL)
_INLINE: Final = re.compile(r"(`+)[^`]+\1")
_OPEN: Final = r"[\[【［]"  # noqa: RUF001 - as Chinese is typed
_CLOSE: Final = r"[\]】］]"  # noqa: RUF001
_STEP: Final = re.compile(rf"\s*{_OPEN}step{_CLOSE}\s*[:：]?\s*(.*)", re.IGNORECASE | re.DOTALL)  # noqa: RUF001
_MARK: Final = rf"{_OPEN}(?:done|step\s+done|完成|步骤完成){_CLOSE}"
_MARK_AND_PUNCTUATION: Final = re.compile(rf"[*_]*{_MARK}[*_]*\s*[:：.。,，!！]*", re.IGNORECASE)  # noqa: RUF001
_QUOTED_MARK: Final = re.compile(rf"[\"'“‘「『]{_MARK}[\"'”’」』]", re.IGNORECASE)  # noqa: RUF001
_MARKER: Final = re.compile(rf"^\W*{_MARK}(?!\()|{_MARK}\W*$", re.IGNORECASE)
_DIGITS: Final = r"\s*([0-9]{1,15})\s*[/／]\s*([0-9]{1,15})"  # noqa: RUF001
_PROGRESS_TAG: Final = re.compile(rf"{_OPEN}progress{_CLOSE}{_DIGITS}(?![0-9/／])", re.IGNORECASE)  # noqa: RUF001
_BRACKETS: Final = re.compile(rf"[(（]{_DIGITS}\s*[)）]")  # noqa: RUF001


def declared_tasks(reply: str) -> tuple[str, ...]:
    """Return the task names that lines `[Step] name` declare, each once, in order.

    A line with a done marker reports on a task and declares none.
    """
    matches = (_STEP.fullmatch(line) for line in lines_outside_fences(reply))
    names = (_clean_name(match[1]) for match in matches if match and not _has_marker(match[1]))
    return tuple(dict.fromkeys(name for name in names if name))


def has_done_marker(reply: str, task_name: str) -> bool:
    """Return whether a line begins or ends with a marker that the current task is done.

    A marker in quotes does not count. One in a line `[Step] name` is about that task.
    """
    name = _normalize(task_name)
    return any(_is_done_line(line, name) for line in lines_outside_fences(reply))


def find_progress(reply: str, task_name: str) -> Progress | None:
    """Return the progress of a task from the last line that reports it.

    That is `[Progress] i/n` or `(i/n)` beside the task's name, or the former alone on its line.
    """
    name = _normalize(task_name)
    reports = (_read_progress(_normalize(line), name) for line in lines_outside_fences(reply))
    return next((report for report in reversed([*reports]) if report), None)


def has_transition(reply: str, words: Iterable[str]) -> bool:
    """Return whether the remarks of a reply contain one of these transition words.

    Words in Latin letters match as whole words, others anywhere. Inline code is ignored.
    """
    known = _words_pattern(tuple(words))
    return known is not None and any(known.search(_INLINE.sub("", line)) for line in remarks(reply))


def remarks(reply: str) -> Iterator[str]:
    """Yield the lines of a reply that neither declare a task nor report progress.

    Done markers are removed from them.
    """
    for line in lines_outside_fences(reply):
        if not _STEP.fullmatch(line) and not _PROGRESS_TAG.search(line):
            yield _MARK_AND_PUNCTUATION.sub("", line) if _has_marker(line) else line


def lines_outside_fences(reply: str) -> Iterator[str]:
    """Yield the lines outside code fences; an unclosed fence runs to the end."""
    closing = ""
    for line in reply.splitlines():
        match = _FENCE.fullmatch(line)
        if not closing:
            if match is None:
                yield line
            else:
                closing = match[1]
        elif match and match[1].startswith(closing) and not match[2].strip():
            closing = ""


def _is_done_line(line: str, name: str) -> bool:
    step = _STEP.fullmatch(line)
    if step is None:
        return _has_marker(line)
    return _has_marker(step[1]) and _normalize(_MARK_AND_PUNCTUATION.sub("", step[1])) == name


def _has_marker(line: str) -> bool:
    text = _QUOTED_MARK.sub('""', _INLINE.sub("", line)).strip()
    return not text.startswith(">") and _MARKER.search(text) is not None


def _clean_name(text: str) -> str:
    """Return a text as a valid task name; empty if nothing is left."""
    name = text.strip()[:NAME_CHARACTERS].strip()
    return name.encode(errors="ignore").decode().strip()


def _read_progress(line: str, name: str) -> Progress | None:
    named = name in line
    rest = line.replace(name, "") if named else line
    match = _PROGRESS_TAG.search(rest)
    if match is None and named:
        match = _BRACKETS.search(rest)
    elif match and not named and _PROGRESS_TAG.fullmatch(rest.strip()) is None:
        return None
    if match is None:
        return None
    current, total = int(match[1]), int(match[2])
    return Progress(current, total) if 0 <= current <= total and total else None


def _normalize(text: str) -> str:
    return " ".join(text.split()).casefold()


@lru_cache(maxsize=16)
def _words_pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = [_word_pattern(word.split()) for word in words if word.strip()]
    return re.compile("|".join(parts), re.IGNORECASE | re.ASCII) if parts else None


def _word_pattern(words: list[str]) -> str:
    spelled = r"\s+".join(map(re.escape, words))
    if not all(word.isascii() for word in words):
        return spelled
    return rf"(?<!\w)(?<!\w['’-]){spelled}(?!\w)(?!['’.-]\w)"  # noqa: RUF001 - as people type it
