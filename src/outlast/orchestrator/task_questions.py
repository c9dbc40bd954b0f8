"""Questions about tasks: what agents cannot finish, or only a person can do or tell (R1.06)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.agent import effects as e
from outlast.agent.loops.questions import ask, parse_first_word
from outlast.documents.proposals import QUESTION_CHARACTERS
from outlast.language import Language, text, visible, with_details
from outlast.model.commands import AskQuestion
from outlast.model.ledger import DELEGATE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.work import WorkOrder
    from outlast.model.model import Attempt, Task

Choice = Literal["done", "retry", "skip", "edit", "abort"]
_WORDS: Final[dict[str, Choice]] = {
    "done": "done",
    "完成": "done",
    "已完成": "done",
    "retry": "retry",
    "again": "retry",
    "重试": "retry",
    "skip": "skip",
    "跳过": "skip",
    "edit": "edit",
    "修改": "edit",
    "abort": "abort",
    "中止": "abort",
}
_CALL_CHARACTERS: Final = 300


class PersonsChoice(Struct, frozen=True):
    """What a person wants done with a task; `words` are advice, or the new description.

    Words that are no choice are advice for another try.
    """

    choice: Choice
    words: str = ""


def ask_what_to_do(
    task: Task, attempt: str, problem: str, language: Language
) -> e.Loop[str | None]:
    """Ask what to do with a task after an attempt; None if nobody answers now."""
    name = visible(task.name)
    key = "ask_about_command" if task.run else "ask_what_to_do"
    wording = text(key, language, task=task.id, name=name, problem="{problem}")
    room = QUESTION_CHARACTERS - len(wording)
    wording = wording.replace("{problem}", _shorten(problem.strip(), room))
    return (yield from ask(AskQuestion(wording, "ask", attempt, task.id)))


def ask_to_work(order: WorkOrder, attempt: str, language: Language) -> e.Loop[str | None]:
    """Ask a person to carry out an order; None if nobody answers now."""
    told = text("ask_to_work", language, task=order.task, name=visible(order.name))
    answers, about = text("ask_to_work_answers", language), _describe(order, language)
    about = _shorten(about, QUESTION_CHARACTERS - len(told) - len(answers))
    wording = "\n".join(filter(None, (told, about, answers)))
    return (yield from ask(AskQuestion(wording, "ask", attempt, order.task)))


def _describe(order: WorkOrder, language: Language) -> str:
    """Return what a person has to know about an order; they can look at the plan itself."""
    shown = {key: body for key, body in order.sections().items() if key != "order_context"}
    labelled = (f"{text(key, language)}\n{body}" for key, body in shown.items())
    return "\n".join(filter(None, (order.description, *labelled)))


def ask_to_confirm(
    task: Task, attempt: str, rules: Iterable[str], language: Language
) -> e.Loop[str | None]:
    """Ask a person whether what only they can tell is so; None if nobody answers now."""
    listed = "\n".join(f"  {visible(rule)}" for rule in rules)
    name = visible(task.name)
    wording = text("ask_to_confirm", language, task=task.id, name=name, rules=listed)
    about = AskQuestion(wording[:QUESTION_CHARACTERS], "confirm", attempt, task.id)
    return (yield from ask(about))


def settle_attempt(attempt: Attempt, language: Language, name: str = "") -> e.Loop[bool]:
    """Find out how an attempt ended that a crash left open; return whether that is known now.

    `name` is that of its task, for the question to a person.
    """
    settled = (yield from e.Settle(attempt)).outcome
    if settled.settlement != "unknown" or not settled.needed:
        return True
    wording = _settle_question(attempt, language, name)
    about = AskQuestion(wording, "settle", attempt.id, attempt.task or None)
    return (yield from ask(about)) is not None


def _settle_question(attempt: Attempt, language: Language, name: str) -> str:
    """Return the question about an attempt: the work of an agent, or one call of a tool."""
    what = visible(attempt.what)[:_CALL_CHARACTERS]
    if attempt.kind == DELEGATE:
        agent, task = what.partition(" ")[0], f"{attempt.task} {visible(name)}".strip()
        return text("settle_order", language, task=task, agent=agent)
    task = text("undo_task", language, what=attempt.task) if attempt.task else ""
    return text("settle_killed", language, call=with_details(f"`{what}`", task, language))


def parse_choice(answer: str) -> PersonsChoice:
    """Return the choice of an answer: its first word, else advice for another try."""
    choice, words = parse_first_word(answer, _WORDS)
    return PersonsChoice(choice or "retry", words)


def _shorten(problem: str, room: int) -> str:
    """Return the beginning and the end of a text that is too long for a question."""
    if len(problem) <= room:
        return problem
    half = room // 2 - 2
    return f"{problem[:half]}\n…\n{problem[-half:]}"
