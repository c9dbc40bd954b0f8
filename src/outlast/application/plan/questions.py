"""Question verbs: questions to people, their answers, and messages to a running loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import PlanHandle
from outlast.domain import commands as c
from outlast.domain.changes import Interjected, QuestionAnswered, QuestionAsked
from outlast.domain.execute import return_commit
from outlast.errors import InvalidStatus
from outlast.formats.redact.fast import redact_text

if TYPE_CHECKING:
    from outlast.domain.changes import Commit
    from outlast.domain.commands import TaskRef
    from outlast.domain.model import Interjection, Question, QuestionKind
    from outlast.domain.state import PlanState


class QuestionVerbs(PlanHandle):
    """Questions, answers and messages, redacted. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def ask(
        self,
        text: str,
        *,
        kind: QuestionKind = "ask",
        about: str = "",
        task: TaskRef | None = None,
    ) -> Question:
        """Ask a person; an open question with the same text is returned, not asked twice.

        `about` is the attempt to settle, or the call to permit.
        """
        command = c.AskQuestion(redact_text(text), kind, about, task)
        return self.commit((command,), lambda state, commit: _question_of(state, commit, command))

    def answer(self, text: str, question: int | None = None) -> int:
        """Answer a question, or the oldest open one; return its number.

        An answer that settles an attempt also ends that attempt.
        """
        command = c.AnswerQuestion(redact_text(text), self.actor, question)
        return self.commit((command,), _question_id)

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions, the oldest first."""
        from outlast.domain.decide.conversation import open_questions

        return self.read(lambda state: tuple(open_questions(state)))

    def say(self, text: str) -> Interjection:
        """Send a message to the loop that works on the plan, which reads it next iteration."""
        return self.commit((c.Interject(redact_text(text), self.actor),), _message_of)

    def clear_strikes(self, tool: str | None = None) -> None:
        """Clear the strikes of one tool or of all, so that refused calls are allowed again."""
        self.commit((c.ClearStrikes(tool),), return_commit)


def _question_of(state: PlanState, commit: Commit, command: c.AskQuestion) -> Question:
    for change in commit.changes:
        if isinstance(change, QuestionAsked):
            return change.question
    from outlast.domain.decide.conversation import find_same_question

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
