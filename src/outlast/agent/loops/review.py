"""Review: let a person look at a change of the plan before it is made (X7), or at what may run."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from outlast.agent.loops.questions import parse_first_word
from outlast.documents.proposals import QUESTION_CHARACTERS, ReplanProposal, write_replan
from outlast.language import Language, text, visible
from outlast.model.commands import AskQuestion
from outlast.model.intents import is_yes, parse_yes_or_no

Ruling = Literal["approve", "reject", "edit", "change"]
_RULINGS: Final[dict[str, Ruling]] = {
    "approve": "approve",
    "approved": "approve",
    "批准": "approve",
    "reject": "reject",
    "拒绝": "reject",
    "edit": "edit",
    "修改": "edit",
}


class PersonsRuling(Struct, frozen=True):
    """What a person says to a change of the plan.

    `edit` means that they changed the plan themselves. Words that are no ruling ask for another
    change.
    """

    ruling: Ruling
    words: str = ""


def parse_ruling(answer: str) -> PersonsRuling:
    """Return the ruling of an answer: its first word, a yes or a no; else a wish."""
    ruling, words = parse_first_word(answer, _RULINGS)
    if ruling is not None:
        return PersonsRuling(ruling, words)
    if is_yes(answer):
        return PersonsRuling("approve")
    if parse_yes_or_no(answer) is False:
        return PersonsRuling("reject", answer.strip())
    return PersonsRuling("change", answer.strip())


def review_question(
    proposal: ReplanProposal, task: int | None, patch: str, reason: str, language: Language
) -> AskQuestion:
    """Return the question whether to change the plan, with the change as a diff."""
    frame = text("ask_replan", language, reason=visible(reason), patch="{patch}")
    shown = _fit_lines(patch.splitlines(), QUESTION_CHARACTERS - len(frame), language)
    return AskQuestion(frame.replace("{patch}", shown), "replan", write_replan(proposal), task)


def _fit_lines(lines: list[str], room: int, language: Language) -> str:
    """Return as many lines as there is room for, and how many there are beside them."""
    shown, left = list[str](), room - len(text("more_left_out", language, count=len(lines)))
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        shown.append(line)
    if len(shown) < len(lines):
        shown.append(text("more_left_out", language, count=len(lines) - len(shown)))
    return "\n".join(shown)
