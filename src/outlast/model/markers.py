"""Markers in a model's reply: declared tasks, completion, progress, a question (R0.04-R0.07).

Text inside code fences is ignored.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.language.lazy_pattern import compile_lazily
from outlast.model.limits import NAME_CHARACTERS
from outlast.model.model import Progress, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORDS_EN: Final = ("next", "now", "then", "continue", "let me", "proceed")
WORDS_ZH: Final = ("现在", "接下来", "然后", "继续", "开始", "现在让我")

_FENCE: Final = compile_lazily(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)", re.DOTALL)
_INLINE: Final = compile_lazily(r"(`+)[^`]+\1")
_QUESTION_ENDS: Final = ("?", "？", "吗", "嗎")
_BRACKETS_OPEN: Final = "[【［"
_OPEN: Final = rf"[\{_BRACKETS_OPEN}]"
_CLOSE: Final = r"[\]】］]"
_BRACKET: Final = compile_lazily(_OPEN)
_NUMBER: Final = r"[0-9]{1,9}"
_LIST_MARK: Final = rf"(?:[-+•]\s*|\*\s+|\#{{1,6}}\s+|{_NUMBER}[.)、．）]\s*)"
_LIST_LINE: Final = compile_lazily(rf"\s*(?:{_LIST_MARK}|[A-Za-z][.)]\s+)")
_STEP: Final = compile_lazily(
    rf"\s*{_LIST_MARK}*(?:\[\s\]\s*)?(?P<bold>[*_]*)"
    rf"{_OPEN}\s*(?:step|步[骤驟])\s*(?:{_NUMBER}\s*)?{_CLOSE}(?:[*_]*\s*[:：])?[*_]*\s*(?P<name>.*)",
    re.IGNORECASE | re.DOTALL,
)
_WRAPPED: Final = compile_lazily(r"(\*\*|__)(.+)\1")
_MARK: Final = (
    rf"{_OPEN}\s*(?:(?:step\s*(?:{_NUMBER}\s*)?)?done"
    rf"|(?:步[骤驟]\s*(?:{_NUMBER}\s*)?已?)?完成)\s*{_CLOSE}"
)
_MARK_AND_PUNCTUATION: Final = compile_lazily(
    rf"[*_]*(?P<mark>{_MARK})[*_]*\s*[:：.。,，!！]*", re.IGNORECASE
)
_QUOTED_MARK: Final = compile_lazily(rf"[\"'“‘「『]{_MARK}[\"'”’」』]", re.IGNORECASE)
_MARKER: Final = compile_lazily(rf"^{_LIST_MARK}*+\W*{_MARK}(?!\()|{_MARK}\W*$", re.IGNORECASE)
_NO_MARKER: Final = compile_lazily(  # not [Done], [Done]? Not yet, I will write [Done]
    rf"(?:\bnot|n['’]t|\bnever|没有?|沒有?|未|不是|不算)"
    rf"(?:\s*\b(?:yet|quite|fully|at|be|all|marked|as|to)\b)*[\s*_:：]*{_MARK}"
    rf"|\b(?:say|write|reply(?:\s+with)?|answer(?:\s+with)?)[\s:]+{_MARK}|[说写說寫]\s*{_MARK}"
    rf"|{_MARK}[\s*_]*(?:[?？]|(?:is\s+|has\s+)?not\b|isn['’]t\b|[还還尚]?[没沒未])",
    re.IGNORECASE,
)
_ZH_DIGITS: Final[dict[str, int]] = dict(
    zip("零一二三四五六七八九两兩", (*range(10), 2, 2), strict=True)
)
_EN_NUMBERS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_ZH: Final = rf"[{''.join(_ZH_DIGITS)}十]{{1,3}}"
_COUNT: Final = rf"(?:[0-9]{{1,15}}|{_ZH}|(?<![a-z])(?:{'|'.join(_EN_NUMBERS)})(?![a-z]))"
_STEP_NUMBER: Final = compile_lazily(
    rf"(?:step|task|步[骤驟]|任[务務])\s*[#＃]?\s*({_COUNT})(?![0-9/／])"
    rf"|第\s*({_COUNT})\s*(?:步|[个個项項]?任[务務])"
)
_REFERENCE: Final = compile_lazily(
    rf"[#＃]\s*({_NUMBER})(?![0-9/／])|({_NUMBER})(?:[.、:：]\s|[.)、．）:：]?$)"
)
_AFTER_NAME: Final = compile_lazily(r"\s*[:：(（—–]|\s-+\s")
_DIGITS: Final = r"\s*([0-9]{1,15})\s*[/／]\s*([0-9]{1,15})"
_PROGRESS_TAG: Final = compile_lazily(
    rf"{_OPEN}(?:progress|[进進]度){_CLOSE}{_DIGITS}(?![0-9/／])", re.IGNORECASE
)
_BRACKETS: Final = compile_lazily(rf"[(（]{_DIGITS}\s*[)）]")
_PARTS: Final = compile_lazily(  # 2/5, 2 of 5, 第二份，共五份
    rf"(?<![0-9A-Za-z_/／.]){_DIGITS}(?![0-9A-Za-z_/／]|\.[0-9])"
    rf"|(?<![\w.])({_COUNT})\s*[(（]?\s*\b(?:out\s+)?of\s+(?:the\s+)?({_COUNT})(?![\w/])"
    rf"|第\s*({_COUNT})[^。；;!！?？]{{0,20}}?共\s*有?\s*({_COUNT})"
    rf"|([0-9]{{1,15}}|{_ZH}(?=[^\W一共总總]))\s*\w?\s*[,，、(（]?\s*[总總一]?共\s*有?\s*({_COUNT})"
)
_PARTS_OF_TOTAL: Final = compile_lazily(  # 共五份，现在下载第二份; 五份中的第二份
    rf"共\s*有?\s*({_COUNT})[^。；;!！?？]{{0,20}}?第\s*({_COUNT})"
    rf"|({_COUNT})\s*\w{{0,4}}?[中里裡]的?第\s*({_COUNT})"
)
_REMAINDER: Final = compile_lazily(  # 还剩3份, 3 left, 3 files to go
    rf"(?:[剩余餘][下余餘]?|[还還](?:有|差|需|要))\s*有?\s*({_COUNT})"
    rf"|(?<![\w.])({_COUNT})\s+(?:\w+\s+){{0,2}}(?:left|remain(?:ing|s)?|to\s+go|missing)\b"
    rf"|\b(?:left|remaining|missing)\s*[:=]\s*({_COUNT})"
)
_YEARS: Final = range(1900, 2101)
_POSITION: Final = compile_lazily(  # step 2 of 4, 第2步，共4步: where the work is in the plan
    rf"(?:step|task|phase|步[骤驟]|任[务務]|[阶階]段)\s*[#＃]?\s*{_COUNT}\s*(?:[/／]|(?:out\s+)?of)\s*{_COUNT}"
    rf"|第\s*{_COUNT}\s*步\s*[/／,，、(（]?\s*[总總一]?共?\s*{_COUNT}\s*步"
)
_PUNCTUATION: Final = " \t.。,，;；:：!！、…*_~\"'“”‘’「」()（）-–—"
_ICONS: Final = compile_lazily(  # around a name: a box, an icon, the border of a table
    r"^(?:\[[ xX✓✔]?\]|[|\s\u2190-\u2bff\ufe0f\U0001f300-\U0001faff])+"
    r"|[|\s\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]+$"
)
_AFTER_QUESTION: Final = compile_lazily(
    r"(?:(?<=[?？吗嗎])\s*[(（][^()（）\n]{1,80}[)）])?"
    r"[\s*_\"'”’」』)）\]:：\u2190-\u2bff\ufe0f\u200d\U0001f300-\U0001faff]*$"
)
_LONGEST_LINE: Final = 2_000  # characters of its end
_COURTESY: Final = compile_lazily(  # at the end: Let me know. Thanks!
    r"(?:^|(?<=[.!?。！？\s*_)）]))(?:please,?\s+)?(?:(?:just\s+)?(?:let\s+me\s+know|tell\s+me)"
    r"(?:\s+(?:what|which|how|if|whether|and|your|so|when|before)\b[^.!?\n]{0,80})?"
    r"|(?:please\s+)?(?:advise|confirm|choose|reply|respond|answer)"
    r"|(?:many\s+)?thanks?(?:\s+you)?(?:\s+(?:so\s+much|very\s+much|again|in\s+advance"
    r"|for\s+your\s+(?:time|help|patience)))?"
    r"|cheers|(?:i['’]m|i\s+am)\s+waiting|waiting\s+for\s+your\s+(?:answer|reply|decision|go-ahead)"
    r"|(?:do\s+you\s+have\s+)?any\s+(?:other\s+|more\s+|further\s+)?questions[?？]"
    r"|(?:(?<=done[.!]\s)|(?<=fixed[.!]\s)|(?<=finished[.!]\s)|(?<=complete[.!]\s))ok(?:ay)?[?？]"
    r"|(?:您|你)?还?有(?:任何|其他|什么|别的)?(?:问题|疑问)吗[?？]?"
    r"|looking\s+forward\s+to\s+your\s+(?:answer|reply)|take\s+your\s+time"
    r"|(?:请|烦请|麻烦)?(?:您|你)?(?:告诉我|告知我?|回复我?|确认一?下?|指示|选择|决定)"
    r"|等(?:待|候)?(?:您|你)的?(?:回复|答复|决定|确认|指示)|期待(?:您|你)的(?:回复|答复)"
    r"|多?谢谢?(?:您|你)?(?:的帮助|了)?|感谢(?:您|你)?|辛苦了?|麻烦(?:您|你)?了)"
    r"[\s.!。！~～*_\u2190-\u2bff\ufe0f\u200d\U0001f300-\U0001faff]*$",
    re.IGNORECASE,
)


class DoneMark(Struct, frozen=True):
    """A line that says a task is done.

    `text` is what the line says beside the marker: the name of the task, or what was done. With
    `must_name`, the line is about the task it names and about no other.
    """

    text: str
    must_name: bool = False


class NamedTask(Struct, frozen=True):
    """The task that a text names.

    None if it names none. It is not clear if it names one that does not exist, or only mentions
    one that is not in progress.
    """

    task: Task | None = None
    is_clear: bool = True


def declared_tasks(reply: str) -> tuple[str, ...]:
    """Return the task names that lines `[Step] name` declare, each once, in order.

    A line with a done marker reports on a task and declares none.
    """
    matches = (_STEP.fullmatch(line) for line in lines_outside_fences(reply))
    names = (_clean_name(match) for match in matches if match and not _has_marker(match["name"]))
    return tuple(dict.fromkeys(name for name in names if name))


def done_marks(reply: str) -> tuple[DoneMark, ...]:
    """Return the lines that begin or end with a marker that a task is done.

    A marker in quotes does not count. A line `[Step] name [Done]` is about the task of that name.
    """
    return tuple(mark for line in lines_outside_fences(reply) if (mark := _done_mark(line)))


def find_named_task(text: str, tasks: Iterable[Task]) -> NamedTask:
    """Return the task that a text names: by its name, or by its number.

    The name may stand before a colon, a dash or a bracket; that of a task in progress anywhere. Of
    several, the first counts, and of those the longest; of equal names, that of an unfinished task.
    """
    words = normalize_name(text)
    finished_first = sorted(tasks, key=lambda task: not task.finished)
    by_name = {name: task for task in finished_first if (name := normalize_name(task.name))}
    if words in by_name:
        return NamedTask(by_name[words])
    by_id = {task.id: task for task in finished_first}
    reference = _REFERENCE.match(words) or _STEP_NUMBER.match(words)
    if reference:
        task = by_id.get(_read_count(reference))
        return NamedTask(task, is_clear=task is not None)
    mentions = [
        *((place.span(), by_name[name]) for name in by_name for place in _find_name(words, name)),
        *((match.span(), by_id.get(_read_count(match))) for match in _STEP_NUMBER.finditer(words)),
    ]
    if not mentions:
        return NamedTask()
    (begin, end), task = min(mentions, key=lambda mention: (mention[0][0], -mention[0][1]))
    is_named = begin == 0 and _AFTER_NAME.match(words, end) is not None
    is_open = task is not None and (task.status == "in_progress" or task.is_assumed)
    return NamedTask(task, is_clear=is_named or is_open)


def find_progress(reply: str, task_name: str) -> Progress | None:
    """Return the progress of a task from the last line that reports it.

    That is `[Progress] i/n` or `(i/n)` beside the task's name, or the former alone on its line.
    """
    name = _normalize(task_name)
    reports = (_read_progress(_normalize(line), name) for line in lines_outside_fences(reply))
    return next((report for report in reversed([*reports]) if report), None)


def reports_open_parts(reply: str, other_names: Iterable[str] = ()) -> bool:
    """Return whether a line says that parts of the work are still open, such as `2/5`.

    A line that names one of the other tasks is about that task, `step 2 of 4` about the plan.
    """
    others = [name for other in other_names if (name := _normalize(other))]
    lines = (_normalize(line) for line in lines_outside_fences(reply))
    own = (_POSITION.sub("", line) for line in lines if not any(name in line for name in others))
    return any(map(_has_open_parts, own))


def has_word(reply: str, words: Iterable[str]) -> bool:
    """Return whether the remarks of a reply contain one of these words; code is ignored.

    Words in Latin letters match as whole words, others anywhere.
    """
    pattern = _words_pattern(tuple(words))
    return pattern is not None and any(
        pattern.search(_INLINE.sub("", line)) for line in remarks(reply)
    )


def closing_question(reply: str) -> str:
    """Return the last paragraph of a reply if it ends in a question, else nothing.

    Choices and courtesies may follow the question: `Let me know. Thanks!`
    """
    if not any(end in reply for end in _QUESTION_ENDS):
        return ""
    paragraph: list[str] = []
    for line in reversed([*lines_outside_fences(reply)]):
        if line.strip():
            if paragraph or _without_courtesies(line):
                paragraph.insert(0, line.strip())
        elif paragraph and not _LIST_LINE.match(paragraph[0]):
            break
    sentences = (line for line in reversed(paragraph) if not _LIST_LINE.match(line))
    last = _AFTER_QUESTION.sub("", _without_courtesies(next(sentences, "")))
    return "\n".join(paragraph) if last.endswith(_QUESTION_ENDS) else ""


def _without_courtesies(line: str) -> str:
    """Return a line without the courtesies at its end."""
    line = line[-_LONGEST_LINE:].strip()
    while match := _COURTESY.search(line):
        line = line[: match.start()].strip()
    return line


def remarks(reply: str) -> Iterator[str]:
    """Yield the lines of a reply that neither declare a task nor report progress.

    Done markers are removed from them.
    """
    for line in lines_outside_fences(reply):
        if not _STEP.fullmatch(line) and not _PROGRESS_TAG.search(line):
            yield _MARK_AND_PUNCTUATION.sub("", line) if _has_marker(line) else line


def without_markers(reply: str) -> str:
    """Return a reply as people read it: without the lines and marks that are for the plan."""
    if not _BRACKET.search(reply):
        return reply.strip()
    lines = []
    for line, is_fenced in _lines(reply):
        if is_fenced:
            lines.append(line)
        elif not _STEP.fullmatch(line) and not _PROGRESS_TAG.search(line):
            text = _MARK_AND_PUNCTUATION.sub("", line) if _has_marker(line) else line
            if text.strip() or not line.strip():
                lines.append(text)
    return "\n".join(lines).strip()


def lines_outside_fences(reply: str) -> list[str]:
    """Return the lines outside code fences; an unclosed fence runs to the end."""
    if "```" not in reply and "~~~" not in reply:
        return reply.splitlines()
    return [line for line, is_fenced in _lines(reply) if not is_fenced]


def _lines(reply: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a code fence."""
    closing = ""
    for line in reply.splitlines():
        match, is_fenced = _FENCE.fullmatch(line), bool(closing)
        if not closing and match:
            closing, is_fenced = match[1], True
        elif match and match[1].startswith(closing) and not match[2].strip():
            closing = ""
        yield line, is_fenced


def normalize_name(name: str) -> str:
    """Return a name in lower case, without icons and punctuation, and with single spaces."""
    return _ICONS.sub("", _normalize(name).strip(_PUNCTUATION)).strip(_PUNCTUATION)


def _done_mark(line: str) -> DoneMark | None:
    if not any(bracket in line for bracket in _BRACKETS_OPEN):
        return None
    step = _STEP.fullmatch(line)
    report = step["name"] if step else line
    if not _has_marker(report):
        return None
    mark = _MARK_AND_PUNCTUATION.search(report)
    number = "".join(filter(str.isdigit, mark["mark"])) if mark else ""
    text = re.sub(rf"^\s*{_LIST_MARK}+", "", _MARK_AND_PUNCTUATION.sub("", report)).strip()
    return DoneMark(f"#{number} {text}".rstrip() if number else text, step is not None)


def _has_marker(line: str) -> bool:
    text = _QUOTED_MARK.sub('""', _INLINE.sub("", line)).strip()
    if text.startswith(">") or _MARKER.search(text) is None:
        return False
    return _NO_MARKER.search(text) is None


def _clean_name(declaration: re.Match[str]) -> str:
    """Return a declared name as a task can have it; empty if nothing is left."""
    name = declaration["name"].strip()
    if declaration["bold"]:
        name = name.removesuffix(declaration["bold"]).strip()
    wrapped = _WRAPPED.fullmatch(name)
    name = (wrapped[2] if wrapped else name)[:NAME_CHARACTERS].strip()
    return name.encode(errors="ignore").decode().strip()


def _find_name(words: str, name: str) -> Iterator[re.Match[str]]:
    """Yield the first place where a name stands as whole words; a single letter is no name."""
    if len(name) > 1 and name in words:
        match = re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", words)
        if match:
            yield match


def _has_open_parts(line: str) -> bool:
    parts = (_counts(match) for match in _PARTS.finditer(line))
    of_total = (reversed(_counts(match)) for match in _PARTS_OF_TOTAL.finditer(line))
    pairs = itertools.chain(parts, of_total)
    is_below = any(
        current < total and not (current in _YEARS and total in _YEARS) for current, total in pairs
    )
    return is_below or any(_read_count(match) for match in _REMAINDER.finditer(line))


def _read_count(match: re.Match[str]) -> int:
    return _counts(match)[0]


def _counts(match: re.Match[str]) -> list[int]:
    return [_parse_count(word) for word in match.groups() if word]


def _parse_count(word: str) -> int:
    """Return the value of digits, of an English word to twenty, or of Chinese numerals."""
    if word in _EN_NUMBERS:
        return _EN_NUMBERS.index(word)
    tens, ten, ones = word.rpartition("十")
    if ten:
        return 10 * _ZH_DIGITS.get(tens, 1) + _ZH_DIGITS.get(ones, 0)
    return int("".join(str(_ZH_DIGITS.get(digit, digit)) for digit in word))


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
    return compile_lazily("|".join(parts), re.IGNORECASE | re.ASCII) if parts else None


def _word_pattern(words: list[str]) -> str:
    spelled = r"\s+".join(map(re.escape, words))
    if not all(word.isascii() for word in words):
        return spelled
    return rf"(?<!\w)(?<!\w['’-]){spelled}(?!\w)(?!['’.-]\w)"
