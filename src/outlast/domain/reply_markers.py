"""What a model's reply says about the plan: declared tasks, a completion, progress (R0.04-R0.07).

What stands in code fences is somebody's code or output, and says nothing.
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
_SPELLED: Final = re.compile(rf"[*_]*{_MARK}[*_]*\s*[:：.。,，!！]*", re.IGNORECASE)  # noqa: RUF001
_QUOTED: Final = re.compile(rf"[\"'“‘「『]{_MARK}[\"'”’」』]", re.IGNORECASE)  # noqa: RUF001
_MARKER: Final = re.compile(rf"^\W*{_MARK}(?!\()|{_MARK}\W*$", re.IGNORECASE)
_DIGITS: Final = r"\s*([0-9]{1,15})\s*[/／]\s*([0-9]{1,15})"  # noqa: RUF001
_TAGGED: Final = re.compile(rf"{_OPEN}progress{_CLOSE}{_DIGITS}(?![0-9/／])", re.IGNORECASE)  # noqa: RUF001
_BRACKETS: Final = re.compile(rf"[(（]{_DIGITS}\s*[)）]")  # noqa: RUF001


def declarations(reply: str) -> tuple[str, ...]:
    """Return the names of the tasks that lines `[Step] name` declare, each once, in order.

    One with a mark behind its name tells of a task, and declares none.
    """
    found = (_STEP.fullmatch(line) for line in prose(reply))
    names = (_name(match[1]) for match in found if match and not _marks(match[1]))
    return tuple(dict.fromkeys(name for name in names if name))


def marker(reply: str, task_name: str) -> bool:
    """Tell whether a line begins or ends with a mark that says that the current task is done.

    One in quotation marks is only spoken of; one in a line `[Step] name` is about that task.
    """
    name = _folded(task_name)
    return any(_says_done(line, name) for line in prose(reply))


def progress(reply: str, task_name: str) -> Progress | None:
    """Return how far a task has come by the last line that says it.

    `[Progress] i/n` or `(i/n)` beside the task's name, or the first alone on its line.
    """
    name = _folded(task_name)
    found = (_progress(_folded(line), name) for line in prose(reply))
    return next((one for one in reversed([*found]) if one), None)


def transition(reply: str, words: Iterable[str]) -> bool:
    """Tell whether a reply turns to something else, by one of these words in its remarks.

    Words in Latin letters count as whole words, others wherever they stand; in code none does.
    """
    known = _pattern(tuple(words))
    return known is not None and any(known.search(_INLINE.sub("", one)) for one in remarks(reply))


def remarks(reply: str) -> Iterator[str]:
    """Yield the lines of a reply that neither declare a task nor say how far one is.

    The marks that say that one is done are left out.
    """
    for line in prose(reply):
        if not _STEP.fullmatch(line) and not _TAGGED.search(line):
            yield _SPELLED.sub("", line) if _marks(line) else line


def prose(reply: str) -> Iterator[str]:
    """Yield the lines outside of code fences; one that is not closed goes on to the end."""
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


def _says_done(line: str, name: str) -> bool:
    step = _STEP.fullmatch(line)
    if step is None:
        return _marks(line)
    return _marks(step[1]) and _folded(_SPELLED.sub("", step[1])) == name


def _marks(line: str) -> bool:
    said = _QUOTED.sub('""', _INLINE.sub("", line)).strip()
    return not said.startswith(">") and _MARKER.search(said) is not None


def _name(text: str) -> str:
    """Return a text as a task can be called; nothing if it cannot."""
    name = text.strip()[:NAME_CHARACTERS].strip()
    return name.encode(errors="ignore").decode().strip()


def _progress(line: str, name: str) -> Progress | None:
    named = name in line
    rest = line.replace(name, "") if named else line
    match = _TAGGED.search(rest)
    if match is None and named:
        match = _BRACKETS.search(rest)
    elif match and not named and _TAGGED.fullmatch(rest.strip()) is None:
        return None
    if match is None:
        return None
    current, total = int(match[1]), int(match[2])
    return Progress(current, total) if 0 <= current <= total and total else None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


@lru_cache(maxsize=16)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = [_part(word.split()) for word in words if word.strip()]
    return re.compile("|".join(parts), re.IGNORECASE | re.ASCII) if parts else None


def _part(words: list[str]) -> str:
    spelled = r"\s+".join(map(re.escape, words))
    if not all(word.isascii() for word in words):
        return spelled
    return rf"(?<!\w)(?<!\w['’-]){spelled}(?!\w)(?!['’.-]\w)"  # noqa: RUF001 - as people type it
