"""Changes of the plan as a whole: its fields, its phases, its status."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from datetime import datetime

from msgspec import Struct

from outlast.model.dependencies import is_sequence
from outlast.model.model import Hold, LastRun, Order, PauseReason, Phase, PhaseStatus
from outlast.model.state import PlanState


class PlanChange(Struct, frozen=True, gc=False, omit_defaults=True, tag=True):
    """What all changes have in common; the tag names a change in the journal."""

    def apply(self, _state: PlanState, _at: datetime) -> None:
        """Modify the state; some changes only stand in the history.

        Refuses nothing that was ever decided, but ids that no plan gives raise `ValueError`.
        """

    def is_applicable(self, _state: PlanState) -> bool:
        """Return whether a change that follows a gap in the journal still fits the plan."""
        return True


class Fact(PlanChange, frozen=True):
    """A change that an undo leaves alone."""


class PlanCreated(PlanChange, frozen=True):
    """A plan was created."""

    id: str
    goal: str
    created_at: datetime
    updated_at: datetime
    key: str = ""
    title: str = ""
    order: Order = "graph"
    phases: tuple[Phase, ...] = ()
    next_id: int = 1
    begun: bool = False
    hold: Hold = ""
    iteration_count: int = 0
    extra: str = ""

    def apply(self, state: PlanState, at: datetime) -> None:
        if self.next_id < 1:
            raise ValueError(self.next_id)
        revision, ledger = state.revision, state.ledger
        state.clear(at)
        state.revision, state.ledger = revision, ledger.carry_over()
        state.id, state.key = self.id, self.key
        state.goal, state.title, state.order = self.goal, self.title, self.order
        state.begun, state.hold = self.begun, self.hold
        state.created_at, state.updated_at = self.created_at, self.updated_at
        state.iteration_count, state.next_id = self.iteration_count, self.next_id
        state.extra = self.extra
        state.set_phases(self.phases)

    def is_applicable(self, _state: PlanState) -> bool:
        return self.next_id > 0 and len({phase.id for phase in self.phases}) == len(self.phases)


class PlanEdited(PlanChange, frozen=True):
    """Goal, title or order changed; None is unchanged."""

    goal: str | None = None
    title: str | None = None
    order: Order | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        if self.goal is not None:
            state.goal = self.goal
        if self.title is not None:
            state.title = self.title
        if self.order is not None:
            state.order = self.order

    def is_applicable(self, state: PlanState) -> bool:
        return self.order != "sequential" or is_sequence(state, state.graph.order)


class PhaseAdded(PlanChange, frozen=True):
    """A phase was added at this place among the phases."""

    phase: Phase
    place: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        phases = list(state.phases.values())
        phases.insert(self.place, self.phase)
        state.set_phases(phases)

    def is_applicable(self, state: PlanState) -> bool:
        return self.phase.id not in state.phases


class PhaseEdited(PlanChange, frozen=True):
    """A phase got another title or other notes."""

    phase: Phase

    def apply(self, state: PlanState, _at: datetime) -> None:
        phases = {**state.phases, self.phase.id: self.phase}
        state.set_phases(phases.values())

    def is_applicable(self, state: PlanState) -> bool:
        return self.phase.id in state.phases


class PhaseMoved(PlanChange, frozen=True):
    """A phase moved to this place among the phases."""

    id: str
    place: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        phases = [phase for phase in state.phases.values() if phase.id != self.id]
        phases.insert(self.place, state.phases[self.id])
        state.set_phases(phases)

    def is_applicable(self, state: PlanState) -> bool:
        if self.id not in state.phases:
            return False
        if state.order == "graph":
            return True
        phases = [phase for phase in state.phases if phase != self.id]
        phases.insert(self.place, self.id)
        return is_sequence(
            state, sorted(state.graph.order, key=lambda task: phases.index(state.tasks[task].phase))
        )


class PhaseRemoved(PlanChange, frozen=True):
    """A phase was removed."""

    id: str

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.drop(state.ledger.phase_marks, self.id)
        state.set_phases([phase for phase in state.phases.values() if phase.id != self.id])

    def is_applicable(self, state: PlanState) -> bool:
        used = any(task.phase == self.id for task in state.tasks.values())
        return self.id in state.phases and len(state.phases) > 1 and not used


class PlanBegun(PlanChange, frozen=True):
    """Work on the plan began."""

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.begun = True


class PlanPaused(PlanChange, frozen=True):
    """The plan was paused."""

    why: PauseReason = ""

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.hold = "paused"
        state.ledger.set_pause_reason(self.why)


class PlanResumed(PlanChange, frozen=True):
    """The plan was resumed."""

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.hold = ""
        state.ledger.set_pause_reason("")


class PlanAborted(PlanChange, frozen=True):
    """The plan was aborted."""

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.hold = "aborted"
        state.ledger.set_pause_reason("")


class PlanRestored(PlanChange, frozen=True):
    """The status of the plan was restored: the inverse of beginning, pausing and so on."""

    begun: bool
    hold: Hold

    def apply(self, state: PlanState, _at: datetime) -> None:
        if self.hold != state.hold:
            state.ledger.set_pause_reason("")
        state.begun, state.hold = self.begun, self.hold


# Facts


class IdsSkipped(Fact, frozen=True, tag="NumbersPassed"):
    """Ids continue after these; lower ones may still be in use or on disk."""

    attempts: int
    token: int
    findings: int = 0
    errors: int = 0

    def apply(self, state: PlanState, _at: datetime) -> None:
        ledger = state.ledger
        ledger.attempts_begun = max(ledger.attempts_begun, self.attempts)
        ledger.last_token = max(ledger.last_token, self.token)
        notes = state.notes
        notes.last_finding = max(notes.last_finding, self.findings)
        notes.last_error = max(notes.last_error, self.errors)


class Undone(Fact, frozen=True):
    """The changes that follow in the commit undo the commit of this revision."""

    revision: int

    def is_applicable(self, _state: PlanState) -> bool:
        return self.revision > 0


class RunRemembered(Fact, frozen=True):
    """What a run works with was recorded for the next one."""

    run: LastRun

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.last_run = self.run


class ApprovalRequired(Fact, frozen=True):
    """Agents may only plan until a person approves the plan."""

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.needs_approval = True


class PlanApproved(Fact, frozen=True):
    """A person approved the plan."""

    by: str

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.needs_approval = False


class PhaseMarked(Fact, frozen=True):
    """The status of a phase was set until one of its tasks changes; None removes the mark."""

    id: str
    status: PhaseStatus | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        if self.status is None:
            state.drop(state.ledger.phase_marks, self.id)
        else:
            state.put(state.ledger.phase_marks, self.id, self.status)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.phases
