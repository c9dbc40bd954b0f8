"""What a loop, or a person who talks to one, wants kept so that it survives a restart."""

from __future__ import annotations

from msgspec import Struct

from outlast.domain.budget import NOTHING, Budget, Spend
from outlast.domain.model import QuestionKind

TaskRef = int | str


class SetBudget(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set what the plan, or one task, may cost in all; also to raise it."""

    budget: Budget
    task: TaskRef | None = None


class Charge(Struct, frozen=True, gc=False, omit_defaults=True):
    """Count what was spent outside an attempt, before there was a plan to count it in.

    `planning` is the part of it that went into the plan itself.
    """

    spend: Spend
    task: TaskRef | None = None
    planning: Spend = NOTHING


class AskQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Ask a person; `about` is the attempt that is to be settled, or the call to be allowed."""

    text: str
    kind: QuestionKind = "ask"
    about: str = ""
    task: TaskRef | None = None


class AnswerQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Answer an open question, or the oldest one."""

    text: str
    actor: str
    question: int | None = None


class Interject(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say something to the loop that works on the plan; it is taken at its next iteration."""

    text: str
    actor: str


class TakeInterjections(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take in what was said up to this number."""

    last: int


class NoteLoop(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep what a loop counts; None leaves a count alone.

    `managed`: the model has managed this plan by tool or marker. `stops`: how often its stop was
    held up since a task last changed its state.
    """

    managed: bool | None = None
    stops: int | None = None


class Strike(Struct, frozen=True, gc=False, omit_defaults=True):
    """Refuse a tool with these parameters (a digest of them) until it is cleared."""

    tool: str
    params: str


class ClearStrikes(Struct, frozen=True, gc=False, omit_defaults=True):
    """Allow again what was refused, of one tool or of all."""

    tool: str | None = None


LoopCommand = (
    SetBudget
    | Charge
    | AskQuestion
    | AnswerQuestion
    | Interject
    | TakeInterjections
    | NoteLoop
    | Strike
    | ClearStrikes
)
