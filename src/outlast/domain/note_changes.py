"""What has been noted beside the tasks of a plan. All of it is fact: nothing takes it back."""

# No annotations as text here: making a decoder would take it several times as long to read them.

from msgspec import Struct

from outlast.domain.model import Check, ErrorRecord, Finding, PhaseStatus, Proof, Prose


class ProofNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="ProofNoted"):
    """The checks of a task were run, or what they guard was looked at."""

    proof: Proof


class CheckConfirmed(Struct, frozen=True, gc=False, omit_defaults=True, tag="CheckConfirmed"):
    """A person has given their word on a check of a task."""

    id: int
    check: Check
    by: str


class PhaseMarked(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseMarked"):
    """A phase is shown in this state until one of its tasks changes; None: as its tasks are."""

    id: str
    status: PhaseStatus | None = None


class FindingNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="FindingNoted"):
    """A finding is there, or is now this."""

    finding: Finding


class FindingForgotten(Struct, frozen=True, gc=False, omit_defaults=True, tag="FindingForgotten"):
    """A finding is gone; its id is not given again."""

    id: int


class ErrorNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="ErrorNoted"):
    """An error is there, or has been counted again."""

    key: str
    error: ErrorRecord


class ErrorsForgotten(Struct, frozen=True, gc=False, omit_defaults=True, tag="ErrorsForgotten"):
    """These errors are gone, and their strikes with them."""

    keys: tuple[str, ...]


class Delivered(Struct, frozen=True, gc=False, omit_defaults=True, tag="Delivered"):
    """This is what came out of the plan."""

    text: str


class ProseKept(Struct, frozen=True, gc=False, omit_defaults=True, tag="ProseKept"):
    """These are the lines of people's own, in the order of their places."""

    prose: tuple[Prose, ...]


NoteChange = (
    ProofNoted
    | CheckConfirmed
    | PhaseMarked
    | FindingNoted
    | FindingForgotten
    | ErrorNoted
    | ErrorsForgotten
    | Delivered
    | ProseKept
)
