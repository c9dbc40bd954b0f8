"""F33: whatever two branches of a history did, the merge has all of it, and nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.errors import Refused
from outlast.model.changes import Commit, fold
from outlast.model.execute import execute
from outlast.model.history.merge import BranchMerge, fork_from
from tests.model.history.test_salvage_properties import begin, folded
from tests.model.indexes import assert_indexes, assert_layers, encode_all
from tests.model.strategies import Request, moment, plans, requests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.commands import CreatePlan
    from outlast.model.state import PlanState

_settings = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
scripts = st.lists(requests, min_size=0, max_size=14)
FIELDS = ("name", "status", "result")
ENDS = ("completed", "failed", "skipped")


def go_on(state: PlanState, script: Iterable[Request], step: int) -> list[Commit]:
    """Carry out a script on a plan; return its commits."""
    made = []
    for request in script:
        step += 1
        if request.kind == "undo nothing":
            continue
        try:
            changes = execute(state, (request.command(state),), moment(step))
        except Refused:
            continue
        if changes:
            made.append(Commit(state.revision, moment(step), "tester", changes, key=f"k{step}"))
    return made


class Branches:
    """Two branches that part after a common beginning, and their merge."""

    def __init__(
        self, plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
    ) -> None:
        state, self.common = begin(plan)
        self.common += go_on(state, common, 0)
        self.base, self.own, self.other = state, deepcopy(state), deepcopy(state)
        self.own_commits = go_on(self.own, own, 100)
        self.other_commits = go_on(self.other, other, 200)
        self.merged = deepcopy(self.own)
        revisions = {number: number for number in range(state.revision + 1)}
        self.merge = BranchMerge(self.merged, fork_from(state, revisions), self.own_commits)
        self.merge.merge(self.other_commits)


def _said(branches: Branches) -> str:
    """Return what people are asked after the merge."""
    questions = branches.merged.ledger.conversation.questions.values()
    return "\n".join(question.text for question in questions)


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_a_merge_is_a_plan_and_its_commits_lead_to_it(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    merged, merge = branches.merged, branches.merge
    assert_indexes(merged)
    assert_layers(merged)
    made = [*branches.common, *branches.own_commits, *merge.commits]
    numbers = [commit.revision for commit in made if commit.changes]
    assert numbers == list(range(1, len(numbers) + 1))
    assert encode_all(folded(made)) == encode_all(merged)
    assert merge.kept + merge.partial + merge.lost <= len(branches.other_commits)
    if not branches.other_commits:
        assert encode_all(merged) == encode_all(branches.own)


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_every_task_of_both_branches_is_there(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    merged, base, said = branches.merged, branches.base, _said(branches)
    numbers = branches.merge.tasks
    for task in branches.other.tasks.values():
        here = merged.tasks.get(numbers.get(task.id, 0))
        if task.id in base.tasks and branches.other.id == base.id:
            before = base.tasks[task.id]
            changed = {name for name in FIELDS if getattr(task, name) != getattr(before, name)}
            if here is None:
                assert not changed
                assert task.id not in branches.own.tasks or branches.own.id != base.id
                continue
            assert here.name == task.name or "name" not in changed or task.name in said
            if "status" in changed and task.status in ENDS:
                assert here.status == task.status or task.status in said
            if "result" in changed and task.status in ENDS:
                assert (task.result or "") in f"{here.result} {said}"
            continue
        assert here is not None
        assert here.id not in branches.own.tasks
        assert (here.name, here.status, here.result, here.error, here.checks) == (
            task.name,
            task.status,
            task.result,
            task.error,
            task.checks,
        )


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_every_task_of_the_first_branch_stays_under_its_number(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    merged, base = branches.merged, branches.base
    for task in branches.own.tasks.values():
        here = merged.tasks.get(task.id)
        if here is None:  # the other branch has deleted it, and this one did not change it
            assert branches.own.id == base.id
            assert task == base.tasks[task.id]
            assert task.id not in branches.other.tasks
        elif branches.own.id != base.id or task.id not in base.tasks:
            assert here == task
        else:
            before = base.tasks[task.id]
            assert task.name in (here.name, before.name)
            if task.status != before.status and task.status in ENDS:
                assert here.status == task.status
            if task.result != before.result and task.status in ENDS:
                assert (task.result or "") in (here.result or "")


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_nothing_is_done_that_was_not_done_in_a_branch(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    theirs = {here: task for task, here in branches.merge.tasks.items()}
    for task in branches.merged.tasks.values():
        if task.status in ENDS:
            sides = (
                branches.own.tasks.get(task.id),
                branches.other.tasks.get(theirs.get(task.id, 0)),
            )
            assert task.status in {side.status for side in sides if side is not None}


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_every_finding_and_error_of_both_branches_is_there(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    base, notes = branches.base.notes, branches.merged.notes
    found = {(finding.title, finding.content) for finding in notes.findings.values()}
    for side in (branches.own.notes, branches.other.notes):
        for number, finding in side.findings.items():
            if finding != base.findings.get(number):
                assert (finding.title, finding.content) in found
        for key, error in side.errors.items():
            if error != base.errors.get(key):
                assert key in notes.errors
                assert notes.errors[key].count >= error.count
    for text in (branches.own.notes.deliverable, branches.other.notes.deliverable):
        assert text in notes.deliverable or text == base.deliverable


@_settings
@given(plans, scripts, scripts, scripts)
def test_f33_to_merge_the_same_branch_again_adds_nothing(
    plan: CreatePlan, common: list[Request], own: list[Request], other: list[Request]
) -> None:
    branches = Branches(plan, common, own, other)
    base, merged = branches.base, branches.merged
    names = sorted(task.name for task in merged.tasks.values())
    fork = fork_from(base, {number: number for number in range(base.revision + 1)})
    whole = [commit for commit in branches.merge.commits if commit.author == "tester"]
    again = BranchMerge(merged, fork, [*branches.own_commits, *whole])
    kept = {(commit.at, commit.key) for commit in whole}
    again.merge(branches.other_commits)
    done = [commit for commit in again.commits if commit.author == "tester"]
    assert not [commit for commit in done if (commit.at, commit.key) in kept]
    if branches.merge.lost == 0:
        assert sorted(task.name for task in merged.tasks.values()) == names


@_settings
@given(plans, scripts, scripts, scripts, scripts)
def test_f33_a_branch_of_the_other_branch_is_merged_where_it_parts(
    plan: CreatePlan,
    common: list[Request],
    own: list[Request],
    other: list[Request],
    third: list[Request],
) -> None:
    branches = Branches(plan, common, own, other)
    merged, tip = branches.merged, branches.other.revision
    before = deepcopy(merged)
    state = deepcopy(branches.other)
    commits = go_on(state, third, 300)
    fork = branches.merge.fork_at(tip, before)
    assert encode_all(fork.base) == encode_all(branches.other)
    nested = BranchMerge(merged, fork, [])
    nested.merge(commits)
    new = state.tasks.keys() - branches.other.tasks.keys()
    for number in new:
        here = merged.tasks[nested.tasks[number]]
        assert here.id not in before.tasks
        assert (here.name, here.status, here.result) == (
            state.tasks[number].name,
            state.tasks[number].status,
            state.tasks[number].result,
        )
    assert_indexes(merged)
    for commit in (*branches.merge.commits, *nested.commits):
        if commit.changes:
            fold(branches.own, commit.changes, commit.revision, commit.at)
    assert encode_all(branches.own) == encode_all(merged)
