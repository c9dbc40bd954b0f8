"""What somebody wants noted beside the tasks of a plan: findings, errors, proof, prose."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from outlast.domain.model import Category, Check, PhaseStatus, Proof, Prose

TaskRef = int | str


class NoteProof(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep what the checks of a task showed; completing a task has a proof of its own."""

    proof: Proof


class Confirm(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give a person's word on a check of an unfinished task that asks for it."""

    task: TaskRef
    check: Check
    actor: str


class MarkPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Show a phase in a state of one's own until one of its tasks changes; None ends that."""

    phase: str
    status: PhaseStatus | None


class NoteFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep something that was learned."""

    category: Category
    title: str
    content: str
    source: str = ""
    actor: str = ""


class EditFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change a finding; None leaves a field alone."""

    finding: int
    category: Category | None = None
    title: str | None = None
    content: str | None = None
    source: str | None = None


class ForgetFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take a finding out."""

    finding: int


class NoteError(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep an error that a tool made, or count it again if it is known already.

    `at` is when it showed, if that was not now.
    """

    tool: str
    message: str
    params: str = ""
    stack: str = ""
    count: int = 1
    at: datetime | None = None


class ForgetErrors(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take errors out by their keys; None takes out all."""

    keys: tuple[str, ...] | None = None


class Deliver(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say what came out of the plan, as Markdown; empty leaves it to be told from the tasks."""

    text: str


class KeepProse(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep these lines of people's own instead of those that were kept.

    With those that were `known`, lines that somebody else has added since then stay.
    """

    prose: tuple[Prose, ...]
    known: tuple[Prose, ...] | None = None


NoteCommand = (
    NoteProof
    | Confirm
    | MarkPhase
    | NoteFinding
    | EditFinding
    | ForgetFinding
    | NoteError
    | ForgetErrors
    | Deliver
    | KeepProse
)
