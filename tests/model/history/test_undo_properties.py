"""X7: every commit that no later one touched can be undone, and its undo too."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from outlast.errors import InvalidStatus, Refused
from outlast.model import commands as c
from outlast.model.changes import (
    Commit,
    PlanBegun,
    PlanCreated,
    PlanPaused,
    PlanResumed,
    TaskAdded,
    Undone,
    fold,
)
from outlast.model.changes.plan import Fact
from outlast.model.dependencies import refuse_cycles, refuse_later_needs_in_sequence
from outlast.model.execute import execute
from outlast.model.history.content import content_of, differing_paths, parts_of
from outlast.model.history.undo import (
    find_undone,
    has_only_facts,
    is_undo,
    newest_change,
    undo_changes,
    undoable_commits,
)
from outlast.model.model import PERSON
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, assert_layers, snapshot
from tests.model.strategies import BEGINNING, Request, moment, plans, requests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.changes import Change
    from outlast.model.history.content import PlanContent

_settings = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
targets = st.integers(0, 10**6)  # which commit, counted from the newest, round and round
steps = st.lists(requests | requests | requests | targets, min_size=25, max_size=25)


class History:
    """A plan with all its commits and the commands that led to them."""

    def __init__(self, plan: c.CreatePlan) -> None:
        self.state = PlanState(BEGINNING)
        self.commits: list[Commit] = []
        self.commands: list[c.Command] = []
        self.undoing = 0
        self.do(plan)

    def do(self, command: c.Command) -> None:
        """Carry out what is not refused, and no undo that takes nothing back."""
        if isinstance(command, c.Undo) and command.of != self.undoing:
            return
        at = moment(len(self.commits))
        try:
            made = execute(self.state, (command,), at)
        except Refused:
            return
        if made:
            self.commits.append(Commit(self.state.revision, at, "tester", made))
            self.commands.append(command)

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit."""
        state = PlanState(BEGINNING)
        for commit in self.commits[: revision - 1]:
            fold(state, commit.changes, commit.revision, commit.at)
        return state

    def after(self, revision: int) -> list[Commit]:
        return self.commits[revision:]

    def undo(self, revision: int) -> bool:
        """Take a commit back if that is possible, and look whether it was done well."""
        commit, later = self.commits[revision - 1], self.after(revision)
        try:
            made = undo_changes(self.before(revision), commit, later, actor=PERSON)
        except InvalidStatus as error:
            self._look_at_refusal(error, commit, later)
            return False
        now, facts = content_of(self.state), deepcopy(self.state.ledger)
        self.undoing = revision
        self.do(c.Undo(revision, self.state.revision, made))
        self.undoing = 0
        assert not any(isinstance(change, Fact) for change in made)
        self._look(commit, now)
        assert self.state.ledger.attempts == facts.attempts
        assert self.state.ledger.last_token == facts.last_token
        return True

    def _look_at_refusal(self, error: InvalidStatus, commit: Commit, later: list[Commit]) -> None:
        if error.text == "cannot_undo_creation":
            made = self.commits[int(str(error.details["revision"])) - 1]
            assert any(isinstance(change, PlanCreated) for change in made.changes)
        else:
            assert error.text == "cannot_undo_since"
            assert error.details["revision"] == commit.revision
            assert error.details["what"]
            assert error.details["by"] in [one.revision for one in later]

    def _look(self, commit: Commit, now: PlanContent) -> None:
        """What the commit did is as before it, all else as it was, and the rules hold."""
        then = content_of(self.state)
        before = self.before(commit.revision)
        was = content_of(before)
        fold(before, commit.changes, commit.revision, commit.at)
        own = set(differing_paths(was, content_of(before)))
        assert own == set(differing_paths(now, then))
        for path in own:
            assert parts_of(then, path[:2]).get(path[2]) == parts_of(was, path[:2]).get(path[2])
        moved = {change.id for change in commit.changes if "Moved" in type(change).__name__}  # type: ignore[union-attr]  # these have one
        if not {phase for phase in moved if isinstance(phase, str)}:
            still = [one for one in now.tasks if one in then.tasks and one not in moved]
            assert still == [one for one in then.tasks if one in now.tasks and one not in moved]
        self.look()

    def look(self) -> None:
        state = self.state
        refuse_cycles({task.id: task.needs for task in state.tasks.values()})
        if state.order == "sequential":
            refuse_later_needs_in_sequence(state.tasks_in_order(), state.graph.position)
        assert_indexes(state)
        assert_layers(state)
        assert state.phases


def shown(state: PlanState) -> dict[str, Any]:
    """Return all that can be undone."""
    return snapshot(state) | {"iteration_count": None, "notes": None}


@pytest.mark.slow
@_settings
@given(plans, steps)
def test_x7_an_undo_anywhere_is_refused_or_leaves_the_plan_as_if_it_had_never_been(
    plan: c.CreatePlan, script: list[Request | int]
) -> None:
    history = History(plan)
    for step in script:
        if isinstance(step, Request):
            history.do(step.command(history.state))
        else:
            revision = len(history.commits) - step % len(history.commits)
            event("undone" if history.undo(revision) else "refused")


@pytest.mark.slow
@_settings
@given(plans, st.lists(requests, min_size=20, max_size=20), targets)
def test_x7_undoing_an_undo_restores_the_plan(
    plan: c.CreatePlan, script: list[Request], target: int
) -> None:
    history = History(plan)
    for request in script:
        history.do(request.command(history.state))
    was = shown(history.state)
    revision = len(history.commits) - target % len(history.commits)
    if not history.undo(revision):
        return
    without = shown(history.state)
    for expected in (was, without, was):
        assert history.undo(len(history.commits))
        assert shown(history.state) == expected
    assert find_undone(history.commits).get(revision) is None


_RUN: tuple[c.Command, ...] = (c.ClaimPlan("tester", 60), c.Pause("limit"), c.Resume(), c.Pause())
_STATUS = (Fact, PlanBegun, PlanPaused, PlanResumed)


@_settings
@given(plans, st.lists(requests | st.sampled_from(_RUN), min_size=20, max_size=20))
def test_x7_undo_again_and_again_goes_back_past_the_bookkeeping_and_damages_nothing(
    plan: c.CreatePlan, script: list[Request | c.Command]
) -> None:
    history = History(plan)
    for step in script:
        history.do(step.command(history.state) if isinstance(step, Request) else step)
    last = len(history.commits) + 1
    while commit := newest_or_none(history):
        assert commit.revision < last
        last = commit.revision
        leases = history.before(last).ledger.leases
        is_run = 0 in leases and leases[0].holder == "tester"
        assert not (is_run and all(isinstance(change, _STATUS) for change in commit.changes))
        event("undone" if history.undo(last) else "refused")
        if last not in find_undone(history.commits):
            return


def newest_or_none(history: History) -> Commit | None:
    try:
        return newest_change(history.commits, PERSON)
    except InvalidStatus:  # there is nothing to undo
        return None


def without(history: History, left_out: Commit) -> PlanState | None:
    """Return the plan that the same commands lead to without one; None if they mean other things.

    Tasks are numbered on, so a commit that adds some cannot be left out.
    """
    revision = left_out.revision
    if any(isinstance(change, TaskAdded | PlanCreated) for change in left_out.changes):
        return None
    state = history.before(revision)
    for commit, command in zip(history.after(revision), history.commands[revision:], strict=True):
        if isinstance(command, c.InitializePlan | c.EditPhase):
            return None  # these may say again what the plan has
        try:
            made = execute(state, (command,), commit.at)
        except Refused:
            return None
        if _essence(made) != _essence(commit.changes):
            return None
    return state


def taken_back(history: History, commit: Commit) -> PlanState | None:
    """Return the plan from which a commit was taken back, if that is possible."""
    later = history.after(commit.revision)
    try:
        made = undo_changes(history.before(commit.revision), commit, later, actor=PERSON)
    except InvalidStatus:
        return None
    found = history.before(len(history.commits) + 1)
    fold(found, made, found.revision + 1, moment(1000))
    return found


def _essence(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if not isinstance(change, PlanBegun)]


def test_x7_an_undo_leads_where_the_other_commands_alone_would_have_led() -> None:
    compared: list[int] = []

    @_settings
    @given(plans, st.lists(requests, min_size=12, max_size=12))
    def check(plan: c.CreatePlan, script: list[Request]) -> None:
        history = History(plan)
        for request in script:
            history.do(request.command(history.state))
        for commit in history.commits:
            expected = without(history, commit)
            found = taken_back(history, commit) if expected else None
            if expected and found:
                compared.append(len(history.after(commit.revision)))
                assert not differing_paths(content_of(found), content_of(expected))
                assert found.begun == expected.begun

    check()
    assert sum(later > 2 for later in compared) > 20


@_settings
@given(plans, st.lists(requests | targets, min_size=12, max_size=12), st.integers(1, 12))
def test_x7_what_is_called_undoable_can_be_undone_and_nothing_else(
    plan: c.CreatePlan, script: list[Request | int], limit: int
) -> None:
    history = History(plan)
    for step in script:
        if isinstance(step, Request):
            history.do(step.command(history.state))
        else:
            history.undo(len(history.commits) - step % len(history.commits))
    newest = history.commits[-limit:]
    found = undoable_commits(history.before(newest[0].revision), newest, actor=PERSON)
    undone = find_undone(history.commits)
    for commit in newest:
        later = history.after(commit.revision)
        try:
            undo_changes(history.before(commit.revision), commit, later, actor=PERSON)
            possible = commit.revision not in undone and not has_only_facts(commit)
        except InvalidStatus:
            possible = False
        assert (commit in found) is possible


def test_x7_undone_commits_follow_from_the_undos_that_stand() -> None:
    def made(revision: int, *changes: Change) -> Commit:
        return Commit(revision, BEGINNING, "tester", changes)

    plain, undo = made(2, PlanBegun()), made(3, Undone(2))
    assert find_undone([plain, undo]) == {2: 3}
    assert find_undone([plain, undo, made(4, Undone(3))]) == {3: 4}
    assert find_undone([plain, undo, made(4, Undone(3)), made(5, Undone(4))]) == {4: 5, 2: 3}
    assert find_undone([made(6)]) == {}
    assert [is_undo(one) for one in (plain, undo, made(6))] == [False, True, False]


@pytest.mark.parametrize("changes", [(), (Undone(3),)])
def test_x7_a_commit_without_anything_of_its_own_is_all_fact(changes: tuple[Change, ...]) -> None:
    assert has_only_facts(Commit(4, BEGINNING, "tester", changes))
