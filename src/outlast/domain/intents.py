"""Intents: what a person's message means, the first match in a fixed order (M8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal
from unicodedata import category, normalize

from msgspec import Struct

if TYPE_CHECKING:
    from outlast.domain.model import Outcome

Permission = Literal["", "once", "always"]
IntentKind = Literal["slash", "cancel", "answer", "continue", "not_done", "message"]

DONE: Final = "done"
NOT_DONE: Final = "not done"
_CANCEL: Final = frozenset(
    (
        "cancel",
        "cancel the task",
        "cancel current task",
        "cancel the current task",
        "取消",
        "取消任务",
        "取消当前任务",
    )
)
_CONTINUE: Final = frozenset(("continue", "go on", "resume", "proceed", "继续"))
_CONTINUE_ORDERS: Final = re.compile("继续执行|继续任务")
_CLAUSES: Final = re.compile(r"[\n,.!?;:，。！？；：、…]")  # noqa: RUF001 - as Chinese is typed
_NEGATIONS: Final = re.compile(
    r"[不别別勿莫没沒未甭]|停止|暂停|取消|禁止|拒绝|无[法需须]|\b(?:not|no|never|stop|cannot|dont)\b|n['’]t\b",  # noqa: RUF001
    re.IGNORECASE | re.ASCII,
)
_UNDONE: Final = frozenset(("not done yet", "还没完成"))
_YES: Final = frozenset(
    ("done", "yes", "y", "it is done", "完成", "完成了", "已完成", "做完了", "是", "是的")
)
_NO: Final = _UNDONE | frozenset(
    ("not done", "no", "n", "没有", "没有完成", "没完成", "未完成", "还没有", "否", "不是", "没")
)
_ONCE: Final = frozenset(("y", "yes", "ok", "allow", "once", "是", "好", "可以", "允许", "同意"))
_ALWAYS: Final = frozenset(("a", "always", "all", "总是", "始终", "一直", "全部"))
_END_MARKS: Final = ".!\u3002\uff01"  # that may end a permission
_SLASH: Final = re.compile(r"[/／]([^\W\d][\w-]*)(?:\s+(.*))?", re.DOTALL)  # noqa: RUF001


class Intent(Struct, frozen=True, gc=False):
    """The meaning of a message. A slash command has its name in `command`, the rest in `text`."""

    kind: IntentKind
    text: str
    command: str = ""


def classify_message(message: str, *, paused: bool, question: bool) -> Intent:
    """Classify a message, given whether the plan is paused and a question is open."""
    text = message.strip()
    slash = _SLASH.fullmatch(text)
    if slash:
        return Intent("slash", (slash[2] or "").strip(), slash[1].lower())
    words = _normalize(text)
    if words in _CANCEL:
        return Intent("cancel", text)
    if question and text:
        return Intent("answer", text)
    if paused and is_continue(text):
        return Intent("continue", text)
    return Intent("not_done" if words in _UNDONE else "message", text)


def is_continue(message: str) -> bool:
    """Return whether a message asks to continue (R0.09): explicitly, and without a negation."""
    if _normalize(message) in _CONTINUE:
        return True
    orders = [
        _NEGATIONS.search(clause[: order.start()]) is None
        for clause in _CLAUSES.split(normalize("NFKC", message))
        for order in _CONTINUE_ORDERS.finditer(clause)
    ]
    return bool(orders) and all(orders)


def parse_done_answer(answer: str) -> Outcome | None:
    """Return the outcome of an attempt from a person's answer; None if it is unclear."""
    words = _normalize(answer)
    if words in _YES:
        return "done"
    return "lost" if words in _NO else None


def parse_permission(answer: str | None) -> Permission:
    """Return what an answer permits; whatever is not clearly a yes permits nothing."""
    words = (answer or "").strip().strip(_END_MARKS).casefold()
    if words in _ALWAYS:
        return "always"
    return "once" if words in _ONCE else ""


def _normalize(message: str) -> str:
    """Return a message in lower case, without surrounding space and punctuation."""
    text = normalize("NFKC", message).casefold()
    begin, end = 0, len(text)
    while begin < end and not _is_letter(text[begin]):
        begin += 1
    while end > begin and not _is_letter(text[end - 1]):
        end -= 1
    return " ".join(text[begin:end].split())


def _is_letter(character: str) -> bool:
    return category(character)[0] in "LNM"
