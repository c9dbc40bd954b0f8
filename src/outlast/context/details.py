"""The whole texts of a plan, in pages: what the brief had to shorten can be read here (R0.14)."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from outlast.context.summary import ICONS
from outlast.errors import InvalidArgument
from outlast.language import Language, text, visible
from outlast.model.model import PERSON, Task, write_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outlast.model.state import PlanState

Topic = Literal["goal", "tasks", "findings", "errors", "messages"]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
# What models also call a topic.
_OTHER_WORDS: Final = {
    "results": "tasks",
    "descriptions": "tasks",
    "steps": "tasks",
    "notes": "findings",
    "questions": "messages",
    "answers": "messages",
}
PAGE_CHARACTERS: Final = 4_000
_INDENT: Final = "  "


class Page(Struct, frozen=True):
    """One page: its text, and the numbers of the first and the last entry on it."""

    text: str
    first: int
    last: int


class Statement(Struct, frozen=True):
    """What a person said: a message, or the answer to a question or to a proposed goal.

    `is_unread` marks a message that the loop has still to read.
    """

    text: str
    by: str
    at: datetime
    question: str = ""
    proposal: str = ""
    is_unread: bool = False


class Entry(Struct, frozen=True):
    """One task, finding, error or message, with its number."""

    number: int
    text: str


def detail_page(
    state: PlanState, about: str | int, page: int = 1, language: Language = "en"
) -> str:
    """Return a page of whole texts under a heading that says how many pages there are.

    `about` is a topic or the number of a task. Raises `InvalidArgument` or `TaskNotFound`.
    """
    name, entries = _entries_about(state, about, language)
    pages = list(paginate(entries))
    if not pages:
        return text("details_none", language, about=name)
    if not 1 <= page <= len(pages):
        raise InvalidArgument("details_page_wrong", argument="page", about=name, pages=len(pages))
    head = text("details_head", language, about=name, page=page, pages=len(pages))
    return f"{head}\n\n{pages[page - 1].text}"


def topic_pages(state: PlanState, topic: Topic, language: Language = "en") -> list[Page]:
    """Return all pages of a topic."""
    return list(paginate(_ENTRIES[topic](state, language)))


def statements(state: PlanState) -> list[Statement]:
    """Return everything that people have said about the plan since it began, oldest first.

    Messages stay in the order of their numbers, whatever the clock did.
    """
    conversation = state.ledger.conversation
    messages, unread = conversation.messages, set(conversation.interjections)
    times = accumulate((message.at for message in messages), max)
    said = [
        Statement(message.text, message.by, at, is_unread=message in unread)
        for message, at in zip(messages, times, strict=True)
    ]
    for asked in conversation.questions.values():
        if asked.answer is not None and asked.kind in ("ask", "goal"):
            proposal, question = (asked.about, "") if asked.kind == "goal" else ("", asked.text)
            at = asked.answered_at or asked.at
            said.append(Statement(asked.answer, asked.by or PERSON, at, question, proposal))
    return sorted(said, key=attrgetter("at"))


def paginate(entries: Iterable[Entry]) -> Iterator[Page]:
    """Put entries on pages; an entry that is too long for one goes on over several."""
    lines, size, first, last = list[str](), 0, 0, 0
    for entry in entries:
        for part in _split(entry.text):
            if lines and size + len(part) > PAGE_CHARACTERS:
                yield Page("\n".join(lines), first, last)
                lines, size = [], 0
            first = first if lines else entry.number
            lines.append(part)
            size, last = size + len(part) + 1, entry.number
    if lines:
        yield Page("\n".join(lines), first, last)


def _split(shown: str) -> Iterator[str]:
    """Yield a text in parts that fit on a page, cut between lines where there are some."""
    while len(shown) > PAGE_CHARACTERS:
        end = shown.rfind("\n", PAGE_CHARACTERS // 2, PAGE_CHARACTERS)
        end = PAGE_CHARACTERS if end < 0 else end
        yield shown[:end]
        shown = _INDENT + shown[end:].lstrip("\n")
    yield shown


def _entries_about(
    state: PlanState, about: str | int, language: Language
) -> tuple[str, Iterable[Entry]]:
    """Return the heading and the entries of a topic or of one task."""
    word = str(about).strip().lower()
    topic = _OTHER_WORDS.get(word, word)
    if topic in TOPICS:
        name = text(f"details_about_{topic}", language)
        return name, _ENTRIES[topic](state, language)
    number = word.removeprefix("task").removeprefix("step").strip(" _#.")
    if number.isascii() and number.isdigit():
        task = state.task(number)
    elif (by_alias := state.find(str(about))) is not None:
        task = by_alias
    else:
        raise InvalidArgument("details_wrong", argument="about", choices=list(TOPICS))
    name = text("details_about_task", language, number=task.id)
    return name, (_task_entry(state, task, language),)


# Entries. Text from outside stands after a label or indented, never at the start of a line.


def _goal_entries(state: PlanState, _language: Language) -> Iterator[Entry]:
    if state.goal:
        yield Entry(1, indent_lines(state.goal))


def _task_entries(state: PlanState, language: Language) -> Iterator[Entry]:
    return (_task_entry(state, task, language) for task in state.tasks_in_order())


def _task_entry(state: PlanState, task: Task, language: Language) -> Entry:
    head = f"{task.id}. {ICONS[task.status]} {visible(task.name)}"
    return Entry(task.id, "\n".join((head, *_field_lines(_task_fields(state, task), language))))


def _task_fields(  # noqa: C901 - one for each field
    state: PlanState, task: Task
) -> Iterator[tuple[str, str]]:
    """Yield what a task has beside its name; most have little, and a brief looks at all."""
    if task.description:
        yield "description", task.description
    if task.reasoning:
        yield "reasoning", task.reasoning
    if task.needs:
        yield "needs", ", ".join(map(str, task.needs))
    if task.checks:
        yield "check", "\n".join(map(write_rule, task.checks))
    if task.run:
        yield "run", task.run
    if task.files:
        yield "files", ", ".join(task.files)
    if task.progress:
        yield "progress", f"{task.progress.current}/{task.progress.total}"
    if task.result:
        yield ("assumed" if task.is_assumed else "result"), task.result
    if task.error:
        yield "error", task.error
    if task.retry_count:
        yield "failed", str(task.retry_count)
    if task.status == "in_progress":
        yield "actor", task.actor
    if task.id in state.ledger.done:
        yield "done", "\n".join(work.what for work in state.ledger.done[task.id])


def _finding_entries(state: PlanState, language: Language) -> Iterator[Entry]:
    for finding in state.notes.findings.values():
        head = f"{finding.id}. [{finding.category}] {visible(finding.title)}"
        body = (
            () if finding.content == finding.title else (_INDENT + indent_lines(finding.content),)
        )
        source = _field_lines((("source", finding.source),), language)
        yield Entry(finding.id, "\n".join((head, *body, *source)))


def _error_entries(state: PlanState, language: Language) -> Iterator[Entry]:
    for error in state.notes.errors.values():
        head = f"{error.id}. {visible(error.tool)}: {indent_lines(error.message)}"
        fields = (("times", str(error.count)), ("params", error.params))
        yield Entry(error.id, "\n".join((head, *_field_lines(fields, language))))


def _message_entries(state: PlanState, language: Language) -> Iterator[Entry]:
    """Yield what was said, then the open questions under their own numbers."""
    for number, statement in enumerate(statements(state), 1):
        fields = (("question", statement.question), ("proposal", statement.proposal))
        head = f"{number}. {visible(statement.by)}: {indent_lines(statement.text)}"
        yield Entry(number, "\n".join((head, *_field_lines(fields, language))))
    for asked in state.open_questions():
        head = text("details_open", language, number=asked.id)
        yield Entry(asked.id, f"{head}: {indent_lines(asked.text)}")


_ENTRIES: Final[dict[str, Callable[[PlanState, Language], Iterator[Entry]]]] = {
    "goal": _goal_entries,
    "tasks": _task_entries,
    "findings": _finding_entries,
    "errors": _error_entries,
    "messages": _message_entries,
}


def _field_lines(fields: Iterable[tuple[str, str]], language: Language) -> Iterator[str]:
    for key, value in fields:
        if value.strip():
            yield f"{_label(key, language)}{indent_lines(value)}"


@cache
def _label(key: str, language: Language) -> str:
    return f"{_INDENT}{text(f'details_{key}', language)}: "


def indent_lines(value: str) -> str:
    """Return a text whose lines, all but the first, are indented; blank ones are left out."""
    if value.isprintable():  # one line
        return value.rstrip()
    lines = (visible(line.rstrip()) for line in value.splitlines() if line.strip())
    return f"\n{_INDENT * 2}".join(lines)
