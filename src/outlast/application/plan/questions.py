"""Questions to people, their answers, and what they say to a loop at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle
from outlast.domain import loop_commands as c
from outlast.domain.enact import receipt
from outlast.domain.loop_changes import Interjected, QuestionAnswered, QuestionAsked
from outlast.errors import InvalidStatus
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from outlast.domain.changes import Commit
    from outlast.domain.loop_commands import TaskRef
    from outlast.domain.model import Interjection, Question, QuestionKind
    from outlast.domain.state import PlanState


class Talking(Handle):
    """The part of `outlast.Plan` with which people and loops talk; secrets are left out."""

    __slots__ = ()

    def ask(
        self,
        text: str,
        *,
        kind: QuestionKind = "ask",
        about: str = "",
        task: TaskRef | None = None,
    ) -> Question:
        """Ask a person; the same question is not asked again while it is open.

        `about` is the attempt that is to be settled, or the call that is to be allowed.
        """
        command = c.AskQuestion(without_secrets(text), kind, about, task)
        return self._do(command, lambda state, commit: _asked(state, commit, command))

    def answer(self, text: str, question: int | None = None) -> int:
        """Answer a question, or the oldest open one; what settles an attempt ends it.

        Return the number of the question.
        """
        command = c.AnswerQuestion(without_secrets(text), self.actor, question)
        return self._do(command, _answered)

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions, the oldest first."""
        from outlast.domain.decide.talk import open_questions

        return self.read(lambda state: tuple(open_questions(state)))

    def say(self, text: str) -> Interjection:
        """Say something to the loop that works on the plan; it hears it at its next iteration."""
        return self._do(c.Interject(without_secrets(text), self.actor), _said)

    def clear_strikes(self, tool: str | None = None) -> None:
        """Allow again what was refused after too many errors, of one tool or of all."""
        self._do(c.ClearStrikes(tool), receipt)


def _asked(state: PlanState, commit: Commit, command: c.AskQuestion) -> Question:
    for change in commit.changes:
        if isinstance(change, QuestionAsked):
            return change.question
    from outlast.domain.decide.talk import same_question

    found = same_question(state, command)
    if found is None:  # the key stands for an earlier time, when it was open
        raise InvalidStatus("no_open_question")
    return found


def _answered(_state: PlanState, commit: Commit) -> int:
    changes = (change for change in commit.changes if isinstance(change, QuestionAnswered))
    return next(changes).id


def _said(_state: PlanState, commit: Commit) -> Interjection:
    changes = (change for change in commit.changes if isinstance(change, Interjected))
    return next(changes).said
