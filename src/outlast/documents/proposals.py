"""What a question proposes, as JSON: tasks to replace those not started, or checks to approve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from outlast.language import Language, text, visible
from outlast.model.commands import AskQuestion, NewTask
from outlast.model.model import Check, Question, write_rule

if TYPE_CHECKING:
    from collections.abc import Iterable


QUESTION_CHARACTERS: Final = 1_900


class ReplanProposal(Struct, frozen=True, omit_defaults=True):
    """The tasks that would replace those not started, after an attempt of a task.

    With an `answer` there are none: the goal would end with it. `listed` are the only tasks that
    would be replaced: those that the model was told of. None is all.
    """

    attempt: str
    tasks: tuple[NewTask, ...] = ()
    answer: str = ""
    listed: tuple[int, ...] | None = None


def write_replan(proposal: ReplanProposal) -> str:
    """Write a proposed replan: the answer may come in a later run."""
    return msgspec.json.encode(proposal).decode()


def read_replan(about: str) -> ReplanProposal:
    """Read the replan that a question proposes; one that is no replan is about no attempt."""
    try:
        return msgspec.json.decode(about, type=ReplanProposal)
    except msgspec.MsgspecError:
        return ReplanProposal("")


def write_checks(checks: Iterable[Check]) -> str:
    """Write the checks that a question asks to approve."""
    return msgspec.json.encode(tuple(checks)).decode()


def shown_checks(question: Question) -> tuple[Check, ...]:
    """Return the checks that a question asks to approve and shows, each on a line of its own.

    The question may be a stranger's: what it does not show is not approved.
    """
    lines = question.text.splitlines()
    try:
        checks = msgspec.json.decode(question.about, type=tuple[Check, ...])
    except msgspec.MsgspecError:
        return ()
    return tuple(check for check in checks if rule_line(check) in lines)


def rule_line(check: Check) -> str:
    """Return the line that shows a check in full."""
    return f"  {visible(write_rule(check))}"


def approval_question(checks: Iterable[Check], language: Language) -> AskQuestion | None:
    """Return the question whether checks may run, as many as it can show; None if it can none."""
    frame = text("ask_to_approve", language, rules="{rules}")
    shown, left = list[Check](), QUESTION_CHARACTERS - len(frame)
    for check in checks:
        left -= len(rule_line(check)) + 1
        if left < 0:
            break
        shown.append(check)
    if not shown:
        return None
    wording = frame.replace("{rules}", "\n".join(map(rule_line, shown)))
    return AskQuestion(wording, "checks", write_checks(shown))
