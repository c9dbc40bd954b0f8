"""Intents: what a person's message means, the first match in a fixed order (M8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal
from unicodedata import category, normalize

from msgspec import Struct

from outlast.language.lazy_pattern import compile_lazily

if TYPE_CHECKING:
    from outlast.model.model import Outcome

Permission = Literal["", "once", "always"]
IntentKind = Literal["slash", "cancel", "answer", "continue", "not_done", "message"]


_SHORT: Final = 100  # characters of a message that can be a phrase
_SIMPLIFIED: Final = str.maketrans(
    "繼續執務請還沒別這個嗎麼謝進開對當無須絕暫現來後說會該為錯後給們實際點關係問題麻煩幫讓東結總允許認絕",
    "继续执务请还没别这个吗么谢进开对当无须绝暂现来后说会该为错后给们实际点关系问题麻烦帮让东结总允许认绝",
)
_POLITE: Final = (
    r"(?:(?:please|pls|plz|ok|okay|yes|yep|yeah|sure|fine|good|great|right|all right|alright|well"
    r"|so|just|now|then|do|kindly|thanks|thank you|of course|let's|let us|you can|you may"
    r"|you should|sounds good|looks good)(?![a-z'])"
    r"|请|好的|好|嗯|行|可以|那|就|麻烦|你|您|是的|是|对|没问题|没关系|谢谢|现在|马上|立刻|先|咱们|我们"
    r"|让我们|辛苦了)\s*"
)
_SUFFIX: Final = (
    r"\s*(?:(?:please|pls|plz|ok|okay|now|then|thanks|thank you|thx|sir)(?![a-z'])"
    r"|吧|啊|呀|哦|喔|啦|了|哈|呗|谢谢|即可|就好|就行|一下)"
)
_OBJECT: Final = (
    r"(?: (?:with )?(?:it|this|that|(?:the|this|your) (?:current )?(?:task|plan|work|job)))?"
    r"(?: (?:from )?where you left off)?"
)
_CONTINUE: Final = (
    rf"(?:continue|go on|go ahead|keep going|keep on|carry on|resume|proceed){_OBJECT}(?![a-z'])"
    r"|继续(?:工作|进行|做|干)?(?:下去)?"
)
_CANCEL: Final = (
    r"cancel(?: (?:it|this|(?:the|this) (?:current )?task|current task))?(?![a-z'])"
    r"|取消(?:当前)?(?:任务)?"
)
_PLAIN_YES: Final = r"(?:y|yes|yep|yeah)(?![a-z'])|是的|是|对的|对"
_YES: Final = (
    r"(?:sure|ok|okay|agreed|allow|once|do it|go ahead|go for it)(?![a-z'])"
    rf"|{_PLAIN_YES}|好的|好|行|可以|同意|允许|没问题|确认"
)
_ALWAYS: Final = r"(?:a|always|all)(?![a-z'])|总是|始终|一直|全部"
_BEGIN: Final = (
    rf"(?:begin|start|go)(?![a-z'])|{_YES}|{_CONTINUE}|开始(?:执行|任务|工作|做)?|继续(?:执行|任务)"
)
_DONE: Final = rf"(?:(?:it is |it's )?done|d)(?![a-z'])|已?完成|做完|{_PLAIN_YES}"
_NO: Final = (
    r"(?:not done(?: yet)?|not yet|no|nope|n|never|do not|don't)(?![a-z'])"
    r"|还?没有?(?:完成)?|未完成|否|不是|不要|不行|不用|不可以|不同意|不|拒绝|算了"
)
_REFUSAL: Final = compile_lazily(rf"(?:sorry )?(?:{_NO})(?:{_SUFFIX})*")
_CONTINUE_ORDER: Final = compile_lazily("继续(?:执行|任务)")
_CLAUSE: Final = re.compile(r"[^\n,.!?;:，。！？；：、…]+\W*")
_NEGATION: Final = compile_lazily(
    r"(?a:[不别勿莫没未甭]|停止|暂停|取消|禁止|拒绝|无[法需须]"
    r"|\b(?:not|no|never|stop|cannot|dont)\b|n't\b)"
)
_POINTLESS: Final = compile_lazily(".{0,2}(?:不了|不下去|不必|没必要|没有?意义|没有?用)")
_QUESTION: Final = compile_lazily(
    r"[?？]\W*$|[吗么]\W*$|是否|[要能会可该]不[要能会可该]|是不是|为什么|怎么|什么时候|何时|多久"
    r"|^\W*(?:should|shall|can|could|do|does|did|is|are|will|would|why|how|when|what|may|must)\b"
)
_UNDONE: Final = compile_lazily(
    r"\s*(?:(?:no|sorry|wait|hey|but|actually|hm+|well|oh|still)\s+)*"
    r"(?:(?:it|that|this|you|we|they|(?P<subject>(?:the|this|that|these|those|your)"
    r"(?: (?!(?:that|which|what|who|why|if|when|whether)\b)[\w-]+){1,4}?|(?:step|task) [\w-]+))"
    r"(?:(?: is| was| are| were|'s|'re)(?: still)? not| still not| not| ?(?:is|was|are|were)n'?t)"
    r"|(?:is|was|are)n'?t|not)"
    r"(?: (?:really|quite|fully|completely|all|yet))*(?: (?:done|finished|completed?))"
    r"(?: (?:yet|at all))*\s*"
    r"|\s*(?:不|不对|不是|等等|等一下|(?P<subject_zh>[^我他她说列看问查把如若假为哪什谁几多何等当除因吗呢]{0,10}?))"
    r"(?:还|仍然?|依然|并|其实|尚|根本|都)*(?:没有?|未)(?:全部|完全|真正|都|有)*"
    r"(?:完成|做完|做好|弄完|弄好|搞定|结束)(?:呢|啊|呀|哦|的|了|啦|吧)?\s*"
)
_ARTICLE: Final = compile_lazily(
    r"^(?:the|this|that|these|those|your) | (?:step|task|part|one)$|^[这個个一]+步?$"
)
_SLASH: Final = re.compile(r"[/／]([^\W\d_][\w-]*)(?:\s+(.*))?", re.DOTALL)


class Intent(Struct, frozen=True, gc=False):
    """The meaning of a message.

    A slash command has its name in `command`, the rest in `text`. `words` is a message that says
    more than a phrase does: people want it to be remembered.
    """

    kind: IntentKind
    text: str
    command: str = ""
    words: str = ""


def is_slash_command(message: str) -> bool:
    """Return whether a message is meant as a slash command: a slash and a word. A path is not."""
    return _SLASH.fullmatch(message.strip()) is not None


def classify_message(message: str, *, paused: bool, question: bool) -> Intent:
    """Classify a message, given whether the plan is paused and a question is open."""
    text = message.strip()
    slash = _SLASH.fullmatch(text)
    if slash:
        return Intent("slash", (slash[2] or "").strip(), slash[1].lower())
    if _is_phrase(text, _CANCEL) and not _ends_in_question(text):
        return Intent("cancel", text)
    if question and text:
        return Intent("answer", text)
    if paused and is_continue(text):
        return Intent("continue", text, words="" if _is_phrase(text, _CONTINUE) else text)
    if is_not_done(text):
        return Intent("not_done", text, words="" if _is_no(text) else text)
    return Intent("message", text, words=text)


def is_goal(message: str) -> bool:
    """Return whether a message is a goal, and no phrase such as "continue" or "not done" (U1).

    A goal may mention what is not done; a phrase begins with that.
    """
    intent = classify_message(message, paused=True, question=False)
    if intent.kind == "not_done" and intent.words:
        return not is_not_done(_clauses(message)[0])
    return intent.kind == "message"


def is_same_goal(goal: str, other: str) -> bool:
    """Return whether two goals are equal but for white space and composed characters (U1)."""
    return _fold_goal(goal) == _fold_goal(other)


def _fold_goal(goal: str) -> str:
    return " ".join(normalize("NFC", goal).split())


def is_continue(message: str) -> bool:
    """Return whether a message asks to continue (R0.09).

    That is a short message that says so and at most is polite, or one with an order to continue
    that is neither negated nor a question.
    """
    if _is_phrase(message, _CONTINUE):
        return True
    clauses = _clauses(message)
    orders = [
        not _QUESTION.search(clause)
        and not _NEGATION.search(clause[: order.start()])
        and not _POINTLESS.match(clause[order.end() :])
        for clause in clauses
        for order in _CONTINUE_ORDER.finditer(clause)
    ]
    return bool(orders) and all(orders) and not _QUESTION.search(clauses[-1])


def is_not_done(message: str) -> bool:
    """Return whether a message says that the work is not done yet, and asks nothing (R0.12).

    That stands alone, or is the main clause of a short message.
    """
    clauses = _clauses(message)
    if len(message) > _SHORT or not clauses or _QUESTION.search(clauses[-1]):
        return False
    return any(_UNDONE.fullmatch(_spell(clause)) for clause in clauses)


def not_done_subject(message: str) -> str:
    """Return what a message says is not done, as `step 2` or a name; empty if it does not say."""
    matches = (_UNDONE.fullmatch(_spell(clause)) for clause in _clauses(message))
    subjects = (match["subject"] or match["subject_zh"] for match in matches if match)
    return _ARTICLE.sub("", next(filter(None, subjects), "")).strip()


def is_yes(answer: str) -> bool:
    """Return whether an answer agrees to begin."""
    return _is_answer(answer, _BEGIN)


def parse_done_answer(answer: str) -> Outcome | None:
    """Return the outcome of an attempt from a person's answer; None if it is unclear."""
    if _is_answer(answer, _DONE):
        return "done"
    return "lost" if _is_no(answer) else None


def parse_yes_or_no(answer: str) -> bool | None:
    """Return whether an answer is a yes or a no, which may give a reason; None if it is unclear."""
    if parse_permission(answer):
        return True
    is_no = _is_no(next(iter(_clauses(answer)), "")) and not _ends_in_question(answer)
    return False if is_no else None


def parse_permission(answer: str | None) -> Permission:
    """Return what an answer permits; whatever is not clearly a yes permits nothing."""
    if _is_answer(answer or "", _ALWAYS):
        return "always"
    return "once" if _is_answer(answer or "", _YES) else ""


def _is_answer(answer: str, core: str) -> bool:
    return _is_phrase(answer, core) and not _ends_in_question(answer)


def _is_no(answer: str) -> bool:
    """Return whether an answer is a no; after a yes, as in `yes, no`, it is none."""
    is_short = len(answer) <= _SHORT and not _ends_in_question(answer)
    return is_short and _REFUSAL.fullmatch(_spell(answer)) is not None


def _is_phrase(message: str, core: str) -> bool:
    """Return whether a message is a phrase, with at most politeness around it."""
    if len(message) > _SHORT:
        return False
    phrase = rf"(?:{_POLITE})*(?:{core})(?:{_SUFFIX})*"
    return re.fullmatch(phrase, _spell(message)) is not None


def _clauses(message: str) -> list[str]:
    return [clause for clause in _CLAUSE.findall(_fold(message)) if any(map(_is_letter, clause))]


def _ends_in_question(message: str) -> bool:
    return message.rstrip().endswith(("?", "？"))


def _spell(message: str) -> str:
    """Return the words of a message: in lower case, simplified, with single spaces between them."""
    text = "".join(c if _is_letter(c) or c in "'-" else " " for c in _fold(message))
    return " ".join(filter(None, (word.strip("'-") for word in text.split())))


def _fold(message: str) -> str:
    return normalize("NFKC", message).casefold().replace("’", "'").translate(_SIMPLIFIED)


def _is_letter(character: str) -> bool:
    return category(character)[0] in "LNM"
