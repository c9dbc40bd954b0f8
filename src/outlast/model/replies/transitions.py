"""Transitions: whether a reply without markers moves on from the current task (R0.05).

A transition word alone says little: "Now I download the second file" goes on with the same task. So
a clause counts only if it is not about the current task, in a reply that reports no trouble. "No
errors" is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.language.lazy_pattern import compile_lazily
from outlast.model.markers import WORDS_EN, WORDS_ZH, has_word, remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CLAUSES: Final = compile_lazily(r"[,.!?;:，。！？；：、…](?!\d)|\s[-–—]\s")
_TROUBLE: Final = compile_lazily(
    r"\b(?:fail(?:s|ed|ing|ure)?|errors?|again|retry(?:ing)?|still|remain(?:s|ing)?|unfinished"
    r"|not|cannot)\b|n['’]t\b|(?<![0-9])[0-9]{1,2}\s*[%％]"
    r"|失败|出错|报错|重试|再试|重新|还没|没有|尚未|未完成|仍|还在|还剩|剩下",
    re.IGNORECASE | re.ASCII,
)
_FAILURES: Final = r"(?:errors?|fail(?:ed|ure)?s?|problems?|issues?)"
_NO_TROUBLE: Final = compile_lazily(  # without any errors or failures; 没有出现任何错误
    rf"\b(?:without|no|zero|(?<![0-9.,])0)\s+(?:(?:any|more|further)\s+)?{_FAILURES}\b"
    rf"(?:\s+(?:or|and)\s+{_FAILURES}\b)*|\berror-?free\b"
    r"|\b(?:nothing|none)\s+(?:has\s+|have\s+)?failed\b|\bdid(?:\s+not|n['’]t)\s+fail\b"
    r"|(?:没有?|[未无])(?:任何|出现|发生|发现|遇到|产生|过)*(?:错误?|失败|出错|报错|异常|问题)",
    re.IGNORECASE | re.ASCII,
)
_WORD: Final = compile_lazily(r"[^\W\d_]{3,}", re.ASCII)
_STEM: Final = 5  # letters: download, downloads and downloading are one word
_CJK: Final = compile_lazily(r"[\u3400-\u9fff]+")
_FIGURES: Final = compile_lazily(r"[0-9][\w.,/-]*")
_BEGINNING: Final = compile_lazily(  # several words may follow each other: 接下来开始
    rf"\s*(?:(?:{'|'.join(sorted(WORDS_ZH, key=len, reverse=True))}"
    rf"|(?:{'|'.join(WORDS_EN)})\b)[\s,，:：]*)+",
    re.IGNORECASE,
)
_TELLING: Final = compile_lazily(r"now|then|现在|然后", re.IGNORECASE)
_AROUND: Final = " ,，:："
_SMALL_WORDS: Final = frozenset(("the", "and", "for", "all", "with", "into", "from", "then", "now"))


def moves_on(reply: str, words: Iterable[str], current: str, others: Iterable[str]) -> bool:
    """Return whether a reply turns from the current task to something else.

    `words` are the transition words, `current` is the name of the current task, `others` are the
    names of other tasks.
    """
    known, names = tuple(words), [_content(name) for name in others]
    lines = [*remarks(reply)]
    if any(_TROUBLE.search(_NO_TROUBLE.sub(" ", line)) for line in lines):
        return False
    return any(
        has_word(clause, known) and not _is_about(_content(clause), _content(current), names)
        for line in lines
        for clause in _CLAUSES.split(line)
        if clause
    )


def announces_next(sentence: str, current: str, others: Iterable[str]) -> bool:
    """Return whether a sentence only says that another task follows: `Next, write the report`.

    It begins with a transition word, and is not about the current task. After `now` or `then`,
    which tell as well what was found, it names another task. One with figures of its own says more.
    """
    begun = _BEGINNING.match(sentence)
    if begun is None:
        return False
    rest, names = sentence[begun.end() :], tuple(others)
    content = _content(rest)
    shared = len(content & _content(current))
    about = [name for name in names if len(content & _content(name)) > shared]
    if any(all(figure not in name for name in about) for figure in _FIGURES.findall(rest)):
        return False
    is_plain = not shared and _TELLING.fullmatch(begun[0].strip(_AROUND)) is None
    return is_plain or bool(about) or not content


def _is_about(clause: set[str], current: set[str], others: list[set[str]]) -> bool:
    """Return whether a clause shares content with the current task, and not more with another."""
    shared = len(clause & current)
    return shared > 0 and all(len(clause & other) <= shared for other in others)


def _content(text: str) -> set[str]:
    return {*_stems(text), *_pairs(text)}


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if word not in _SMALL_WORDS:
            yield word[:_STEM]


def _pairs(text: str) -> Iterator[str]:
    """Yield the pairs of neighbouring Chinese characters."""
    for run in _CJK.findall(text):
        yield from (run[index : index + 2] for index in range(len(run) - 1))
