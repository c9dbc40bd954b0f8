"""X7: a plan can be undone commit by commit; facts stay."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.errors import InvalidStatus, Refused
from outlast.model import changes
from outlast.model import commands as c
from outlast.model.changes import Change, Commit, PlanCreated, ProofNoted, fold
from outlast.model.changes.plan import Fact
from outlast.model.execute import execute
from outlast.model.history.undo import undo_changes
from outlast.model.model import PERSON
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, assert_layers, encode_all, snapshot
from tests.model.strategies import BEGINNING, PLANS, RARE, Request, moment, plans, requests
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.ledger import LoopCounters

_settings = settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
UNDO = "undo"
steps = st.lists(requests | requests | requests | st.just(UNDO), min_size=30, max_size=30)


def before(commits: Sequence[Commit], revision: int) -> PlanState:
    """Return the plan as it was before a commit."""
    state = PlanState(BEGINNING)
    for commit in commits:
        if commit.revision < revision:
            fold(state, commit.changes, commit.revision, commit.at)
    return state


def shape(state: PlanState) -> dict[str, Any]:
    """Return all that can be undone."""
    facts = dict.fromkeys(("iteration_count", "last_run", "needs_approval"))
    return snapshot(state) | facts


class Undoing:
    """A plan with its commits and what it was like before each that can be undone."""

    def __init__(self, plan: c.CreatePlan) -> None:
        self.state = PlanState(BEGINNING)
        self.commits: list[Commit] = []
        self.stack: list[tuple[Commit, dict[str, Any]]] = []
        self.seen: set[type[Change]] = set()
        self.do(plan)

    def do(self, command: c.Command) -> None:
        """Carry out what is not refused."""
        was, at = shape(self.state), moment(len(self.commits))
        try:
            made = execute(self.state, (command,), at)
        except Refused:
            return
        if not made:
            return
        commit = Commit(self.state.revision, at, "tester", made)
        self.commits.append(commit)
        if isinstance(made[0], PlanCreated):
            self.stack.clear()
        elif not all(isinstance(change, Fact) for change in made):
            self.stack.append((commit, was))

    def undo(self) -> None:
        """Take the newest back and compare."""
        commit, was = self.stack.pop()
        taken_back = undo_changes(before(self.commits, commit.revision), commit, actor=PERSON)
        facts, at = deepcopy(self.state.ledger), moment(len(self.commits))
        notes = deepcopy(self.state.notes)
        command = c.Undo(commit.revision, self.state.revision, taken_back)
        made = execute(self.state, (command,), at)
        assert made == (changes.Undone(commit.revision), *taken_back)
        assert not any(isinstance(change, Fact) for change in taken_back)
        self.commits.append(Commit(self.state.revision, at, "tester", made))
        self.seen.update(map(type, commit.changes))
        assert shape(self.state) == was
        ledger = self.state.ledger
        assert ledger.leases.items() <= facts.leases.items()
        assert ledger.done.items() <= facts.done.items()
        assert ledger.phase_marks.items() <= facts.phase_marks.items()
        assert self.state.notes == notes
        facts.leases, facts.done, facts.phase_marks = ledger.leases, ledger.done, ledger.phase_marks
        facts.counters = books_after(facts.counters, ledger.counters)
        assert ledger == facts
        assert_indexes(self.state)


def books_after(old: LoopCounters, new: LoopCounters) -> LoopCounters:
    """Return the old books but for counts that are forgotten when a task or the plan turns."""
    assert new.iterations.items() <= old.iterations.items()
    assert new.stops in (0, old.stops)
    assert new.pause_reason in ("", old.pause_reason)
    return replace(old, iterations=new.iterations, stops=new.stops, pause_reason=new.pause_reason)


def test_x7_undoing_commit_by_commit_leads_back_to_every_plan_there_was() -> None:
    seen: set[type[Change]] = set()

    @_settings
    @example(PLANS[2], [*RARE])
    @given(plans, steps)
    def check(plan: c.CreatePlan, script: list[Request | str]) -> None:
        made = Undoing(plan)
        for step in script:
            if isinstance(step, Request):
                made.do(step.command(made.state))
            elif made.stack:
                made.undo()
        while made.stack:
            made.undo()
        assert_layers(made.state)
        again = PlanState(BEGINNING)
        for commit in made.commits:
            read = msgspec.json.decode(msgspec.json.encode(commit), type=Commit)
            fold(again, read.changes, read.revision, read.at)
        assert encode_all(again) == encode_all(made.state)
        seen.update(made.seen)

    check()
    only_in_undo = {changes.TaskRestored, changes.PlanRestored, PlanCreated}
    beside_a_task = {changes.TaskLeased, ProofNoted, changes.Charged}  # a start, an end, a replan
    facts = {kind for kind in get_args(Change) if issubclass(kind, Fact)} - beside_a_task
    assert seen == {*get_args(Change)} - only_in_undo - facts


def test_x7_facts_are_left_out_of_what_is_undone() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1)
    begun = c.BeginAttempt(1, "tool", "look", token=lease.token)
    counted = c.CountIteration()
    commit = plan.do(begun, counted, c.SetProgress(1, 1, 2, lease.token))
    taken_back = undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON)
    assert [type(change) for change in taken_back] == [changes.TaskRestored]
    plan.do(c.Undo(commit.revision, plan.state.revision, taken_back))
    assert plan.state.tasks[1].progress is None
    assert plan.state.iteration_count == 1
    assert list(plan.state.ledger.attempts) == ["1#1"]
    assert plan.state.ledger.leases[1] == lease


def test_x7_a_commit_of_facts_alone_leaves_nothing_to_undo() -> None:
    plan = TimedPlan()
    commit = plan.do(c.CountIteration())
    assert undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON) == ()


def test_x7_undoing_a_claim_puts_the_task_back_and_ends_the_lease() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1)
    commit = plan.commits[-1]
    taken_back = undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON)
    plan.do(c.Undo(commit.revision, commit.revision, taken_back))
    assert plan.status(1) == "pending"
    assert plan.state.begun is False
    assert plan.state.ledger.leases == {}
    plan.refused("CLAIM_LOST", c.Complete(1, "ann", token=lease.token))
    assert plan.claim("bob", 1).token == 2


def test_x7_undoing_a_takeover_gives_the_task_back_without_the_lease_that_ran_out() -> None:
    plan = TimedPlan()
    plan.claim("ann", 1, 1)
    plan.wait(1)
    plan.claim("bob", 1)
    commit = plan.commits[-1]
    taken_back = undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON)
    plan.do(c.Undo(commit.revision, commit.revision, taken_back))
    assert plan.state.tasks[1].actor == "ann"
    assert plan.state.ledger.leases == {}


def test_x7_a_plan_that_moved_on_is_not_undone_by_what_was_worked_out_before() -> None:
    plan = TimedPlan()
    commit = plan.do(c.Start("ann", 1))
    taken_back = undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON)
    plan.do(c.Start("bob", 2))
    details = plan.refused("INVALID_STATUS", c.Undo(commit.revision, commit.revision, taken_back))
    assert (details["text"], details["at"]) == ("plan_changed_since", commit.revision)
    assert details["revision"] == plan.state.revision


@pytest.mark.parametrize("first", [True, False])
def test_x7_an_undo_stands_alone_in_its_commit(*, first: bool) -> None:
    plan = TimedPlan()
    undo = c.Undo(plan.state.revision, plan.state.revision, ())
    commands = (undo, c.Skip(1)) if first else (c.Skip(1), undo)
    assert plan.refused("INVALID_ARGUMENT", *commands)["text"] == "undo_alone"


def test_x7_the_beginning_of_a_plan_cannot_be_undone() -> None:
    plan = TimedPlan(1)
    plan.do(c.Skip(1))
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("one"),)))
    for commit in (plan.commits[0], plan.commits[-1]):
        with pytest.raises(InvalidStatus) as caught:
            undo_changes(before(plan.commits, commit.revision), commit, actor=PERSON)
        assert caught.value.text == "cannot_undo_creation"
        assert caught.value.details == {"revision": commit.revision}
