"""Changes: what has happened to a plan, as a closed union of small frozen values.

Each kind says how it is applied and, for a journal with a gap, when it is applicable. Facts are
never undone. A change carries no time of its own; its commit does.
"""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct, field

from outlast.model.changes.facts import (
    AttemptBegan,
    AttemptEnded,
    BudgetSet,
    Charged,
    CheckConfirmed,
    DecisionNoted,
    Delivered,
    ErrorNoted,
    ErrorsForgotten,
    FindingForgotten,
    FindingNoted,
    FootprintNoted,
    Interjected,
    InterjectionsTaken,
    IterationCounted,
    LeaseEnded,
    LeaseRenewed,
    LoopNoted,
    LoopRestored,
    ProofNoted,
    ProseKept,
    QuestionAnswered,
    QuestionAsked,
    RefusalNoted,
    ReplanMoved,
    ReportNoted,
    SessionBegan,
    SessionEnded,
    StrikesCleared,
    StruckOut,
    TaskLeased,
)
from outlast.model.changes.plan import (
    ApprovalRequired,
    IdsSkipped,
    PhaseAdded,
    PhaseEdited,
    PhaseMarked,
    PhaseMoved,
    PhaseRemoved,
    PlanAborted,
    PlanApproved,
    PlanBegun,
    PlanCreated,
    PlanEdited,
    PlanPaused,
    PlanRestored,
    PlanResumed,
    RunRemembered,
    Undone,
)
from outlast.model.changes.tasks import (
    CompletionConfirmed,
    PlanReset,
    TaskAdded,
    TaskCompleted,
    TaskEdited,
    TaskFailed,
    TaskMoved,
    TaskProgressed,
    TaskRemoved,
    TaskReopened,
    TaskRestored,
    TaskRetried,
    TaskReturned,
    TaskSkipped,
    TaskStarted,
)
from outlast.model.state import PlanState

Change = (
    PlanCreated
    | PlanEdited
    | PhaseAdded
    | PhaseEdited
    | PhaseMoved
    | PhaseRemoved
    | PlanBegun
    | PlanPaused
    | PlanResumed
    | PlanAborted
    | PlanRestored
    | TaskAdded
    | TaskRemoved
    | TaskEdited
    | TaskMoved
    | TaskStarted
    | TaskCompleted
    | CompletionConfirmed
    | TaskRetried
    | TaskFailed
    | TaskSkipped
    | TaskReopened
    | TaskReturned
    | TaskProgressed
    | TaskRestored
    | PlanReset
    | IterationCounted
    | IdsSkipped
    | Undone
    | TaskLeased
    | LeaseRenewed
    | LeaseEnded
    | AttemptBegan
    | AttemptEnded
    | BudgetSet
    | Charged
    | RunRemembered
    | ReportNoted
    | DecisionNoted
    | SessionBegan
    | FootprintNoted
    | SessionEnded
    | ReplanMoved
    | ApprovalRequired
    | PlanApproved
    | QuestionAsked
    | QuestionAnswered
    | Interjected
    | InterjectionsTaken
    | LoopNoted
    | StruckOut
    | StrikesCleared
    | RefusalNoted
    | LoopRestored
    | ProofNoted
    | CheckConfirmed
    | PhaseMarked
    | FindingNoted
    | FindingForgotten
    | ErrorNoted
    | ErrorsForgotten
    | Delivered
    | ProseKept
)


class Commit(Struct, frozen=True, gc=False, omit_defaults=True):
    """Changes that were made together: when, by whom, why.

    `key` makes the request idempotent; `request_digest` is the digest of the request made under it.
    `person` is the name of the person who acted, where it is known.
    """

    revision: int
    at: datetime
    author: str
    changes: tuple[Change, ...]
    reason: str = ""
    key: str = ""
    request_digest: str = field(default="", name="asked")
    person: str = ""


def fold(state: PlanState, changes: Iterable[Change], revision: int, at: datetime) -> None:
    """Apply the changes of one commit."""
    state.revision = revision
    state.updated_at = at
    for change in changes:
        change.apply(state, at)
