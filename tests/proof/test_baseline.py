"""X2: a proof says whether its checks were seen red before, and tampering shows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import Check
from outlast.errors import CheckFailed, CheckNotApproved, Tampered
from outlast.model.changes import ProofNoted
from outlast.model.commands import EditTask
from outlast.model.execute import return_commit
from tests.proof.proven import ASKS, MADE, RUNS, Pair, begin, open_pair

GREEN = Check("command", "true")
UNSEEN = "proved (not seen red)"


def test_x2_a_check_without_a_baseline_is_a_weak_proof(tmp_path: Path) -> None:
    pair = begin(tmp_path, GREEN)
    pair.agent.complete(1)
    assert pair.label() == UNSEEN
    assert [one.label for one in pair.person.checks.run(1)] == [UNSEEN]
    proof = open_pair(tmp_path).person.checks.proof(1).proof
    assert proof is not None
    assert [one.baseline for one in proof.evidence] == [""]


def test_x2_one_check_seen_red_is_enough(tmp_path: Path) -> None:
    pair = begin(tmp_path, GREEN, RUNS)
    pair.agent.start()
    pair.make()
    pair.agent.complete(1)
    assert pair.label() == "proved"


def test_x2_a_persons_confirmation_needs_no_red_baseline(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    pair.person.complete(1)
    assert pair.label() == "proved"


def test_x2_a_check_run_before_the_work_counts_as_baseline(tmp_path: Path) -> None:
    pair = begin(tmp_path, GREEN)
    pair.person.checks.run(1)
    pair.agent.complete(1)
    assert pair.label() == "proved (was green)"
    pair.person.add("second", checks=[RUNS])
    pair.person.checks.run(2)
    pair.make()
    pair.person.checks.run(2)
    pair.agent.complete(2)
    assert pair.label(2) == "proved"


def test_x2_a_refused_completion_counts_as_seen_red(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    with pytest.raises(CheckFailed):
        pair.agent.complete(1)
    pair.make()
    pair.agent.complete(1)
    assert pair.label() == "proved"


AGAIN: list[Callable[[Pair], object]] = [
    lambda pair: pair.label(),
    lambda pair: pair.agent.checks.run(1),
    lambda pair: pair.agent.start(1),
]


@pytest.mark.parametrize("looks_before", [True, False])
@pytest.mark.parametrize("again", AGAIN)
def test_x2_a_red_result_before_a_reopening_does_not_count(
    tmp_path: Path, again: Callable[[Pair], object], *, looks_before: bool
) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    pair.make()
    pair.agent.complete(1)
    assert pair.label() == "proved"
    if looks_before:
        pair.agent.checks.run(1)
    pair.agent.reopen(1)
    again(pair)
    pair.agent.complete(1)
    assert pair.label() == "proved (was green)"


@pytest.fixture
def touched(tmp_path: Path) -> Pair:
    """A task in progress whose tests were touched."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.sh").write_text("test -f made.txt")
    pair = begin(tmp_path, Check("command", "sh tests/t.sh"), protect=("tests/**",))
    pair.agent.start()
    pair.make("tests/t.sh", "true")
    return pair


def test_x2_tampering_is_reported_before_the_completion(touched: Pair) -> None:
    assert touched.label() == "tampered"
    assert touched.person.checks.proofs()[1].label == "tampered"
    assert [one.label for one in touched.agent.checks.run(1)] == ["tampered"]
    with pytest.raises(Tampered):
        touched.agent.complete(1)
    touched.agent.return_task(1)
    assert touched.label() == "tampered"
    touched.person.skip(1)
    assert touched.label() == ""


def test_x2_the_history_records_who_accepted_which_changes(touched: Pair) -> None:
    touched.person.checks.approve()
    assert touched.label() == "tampered"
    assert touched.person.checks.approve(1).accepted == {1: "protect"}
    last = touched.person.history.commits()[0]
    assert (last.author, last.reason) == ("human", "pardoned")
    [change] = last.changes
    assert isinstance(change, ProofNoted)
    assert (change.proof.stage, change.proof.task) == ("set", 1)
    assert touched.label() == ""
    assert touched.person.checks.approve(1).accepted == {}
    assert touched.person.history.commits()[0].reason == ""


def test_x2_the_history_records_accepted_checks_too(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.person.update(1, checks=[RUNS])
    pair.agent.core.commit((EditTask(1, checks=()),), return_commit)
    assert pair.label() == "tampered"
    assert pair.person.checks.approve(1).accepted == {1: "checks"}
    assert pair.person.history.commits()[0].reason == "pardoned"
    assert pair.label() == ""


def test_x2_a_forced_completion_stays_unproved(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    with pytest.raises(CheckFailed):
        pair.person.complete(1)
    pair.person.complete(1, force=True)
    assert pair.label() == "unproved"
    pair.person.checks.run(1)
    assert pair.label() == "unproved, fails now"
    pair.make()
    pair.person.checks.run(1)
    assert pair.label() == "unproved"


def test_x2_an_expired_confirmation_passes_nothing(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    pair.agent.start()
    pair.person.checks.confirm(1)
    pair.agent.checks.run(1)
    assert pair.label() == "passes now"
    pair.agent.complete(1)
    pair.person.reopen(1)
    assert pair.label() == ""
    pair.person.checks.confirm(1)
    assert pair.label() == "passes now"


def test_x2_a_file_check_has_to_be_approved_too(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS, MADE, ASKS)
    pair.person.close()
    [file] = tmp_path.rglob("task_plan.md")
    weaker = file.read_text().replace("- check: test -f made.txt\n", "")
    file.write_text(weaker.replace("file: made.txt", "file: task.txt"))
    (tmp_path / "task.txt").write_text("")
    again = open_pair(tmp_path)
    assert again.person.checks.unapproved() == {1: (Check("file", "task.txt"),)}
    with pytest.raises(CheckNotApproved):
        again.agent.complete(1)
    with pytest.raises(CheckNotApproved):
        again.person.complete(1)


def test_x2_protected_files_that_were_only_recorded_are_no_tampering(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.sh").write_text("true")
    pair = begin(tmp_path, RUNS, protect=("tests/**",))
    assert pair.label() == ""
    pair.make()
    assert [one.label for one in pair.agent.checks.run(1)] == ["passes now"]
    pair.agent.complete(1)
    assert pair.label().startswith("proved")
