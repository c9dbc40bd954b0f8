"""`plan.questions`: questions to people, their answers, and messages to a running loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidStatus
from outlast.model import commands as c
from outlast.model.changes import Commit, Interjected, QuestionAnswered, QuestionAsked
from outlast.model.commands import TaskRef
from outlast.model.limits import LARGEST_ID, check_choice, check_number
from outlast.model.model import Interjection, Question, QuestionKind
from outlast.plan.core import Facet
from outlast.redact.structs import redact_commands

if TYPE_CHECKING:
    from outlast.model.state import PlanState

_PUBLIC_KINDS: Final[tuple[QuestionKind, ...]] = ("ask", "settle", "permit", "goal")


class PlanQuestions(Facet):
    """What people are asked, and what they say."""

    __slots__ = ()

    def ask(
        self, text: str, *, kind: QuestionKind = "ask", about: str = "", task: TaskRef | None = None
    ) -> Question:
        """Ask a person; an open question with the same text is returned, not asked twice.

        `about` is the attempt to settle, the call to permit, or the goal to propose. About edits,
        checks and replans only those ask who know what they are.
        """
        check_choice(kind, "kind", _PUBLIC_KINDS)
        (command,) = redact_commands((c.AskQuestion(text, kind, about, task),))
        return self._core.commit(
            (command,), lambda state, commit: _question_of(state, commit, command)
        )

    def answer(self, text: str, question: int | None = None) -> int:
        """Answer a question, or the oldest open one; return its number.

        An answer that settles an attempt also ends that attempt, and a person's yes to a proposed
        goal changes the goal.
        """
        from outlast.plan.answers import answer_question

        command = c.AnswerQuestion(text, self._core.actor, question)
        return answer_question(self._core, command, _question_id)

    def open(self) -> tuple[Question, ...]:
        """Return the open questions, the oldest first."""
        return self._core.read(lambda state: tuple(state.open_questions()))

    def all(self) -> tuple[Question, ...]:
        """Return the questions, the oldest first.

        Of those about permissions, attempts and edits, only the last five that were answered.
        """
        return self._core.read(lambda state: tuple(state.ledger.conversation.questions.values()))

    def get(self, question: int) -> Question:
        """Return a question that `all` has; `answer` is None while it is open."""
        from outlast.model.decide.conversation import find_question

        number = check_number(question, "question", 1, LARGEST_ID)
        return self._core.read(lambda state: find_question(state, number))

    def say(self, text: str) -> Interjection:
        """Send a message to the loop that works on the plan, which reads it next iteration."""
        return self._core.commit((c.Interject(text, self._core.actor),), _message_of)


def _question_of(state: PlanState, commit: Commit, command: c.AskQuestion) -> Question:
    for change in commit.changes:
        if isinstance(change, QuestionAsked):
            return change.question
    from outlast.model.decide.conversation import find_same_question

    question = find_same_question(state, command)
    if question is None:  # a repeated key: the question was open when it was first used
        raise InvalidStatus("no_open_question")
    return question


def _question_id(_state: PlanState, commit: Commit) -> int:
    changes = (change for change in commit.changes if isinstance(change, QuestionAnswered))
    return next(changes).id


def _message_of(_state: PlanState, commit: Commit) -> Interjection:
    changes = (change for change in commit.changes if isinstance(change, Interjected))
    return next(changes).interjection
