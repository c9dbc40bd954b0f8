"""X2: what later changes do to a proof and its label."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import Check
from outlast.errors import CheckUnknown
from outlast.model.changes import TaskCompleted
from outlast.model.commands import NoteProof
from outlast.model.execute import return_commit
from tests.proof.proven import ASKS, MADE, RUNS, Pair, begin, open_pair


@pytest.fixture
def proved_pair(tmp_path: Path) -> Pair:
    """A plan whose one task is proved."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.py").write_text("assert False")
    pair = begin(tmp_path, RUNS, ASKS, protect=("tests/**",), files=("made.txt",))
    pair.agent.start()
    pair.make()
    pair.person.checks.confirm(1)
    pair.agent.complete(1)
    assert pair.label() == "proved"
    return pair


def test_x2_a_proof_is_stale_when_its_files_change_and_can_be_renewed(proved_pair: Pair) -> None:
    proved_pair.make(text="something else")
    assert proved_pair.label() == "stale"
    assert [status.label for status in proved_pair.agent.checks.run()] == ["proved"]
    assert open_pair(proved_pair.root).label() == "proved"


def test_x2_a_check_that_fails_later_breaks_the_proof(proved_pair: Pair) -> None:
    (proved_pair.root / "made.txt").unlink()
    assert proved_pair.label() == "stale"
    [status] = proved_pair.person.checks.run(1)
    assert status.label == "fails now"
    assert status.proof is not None
    assert [item.ok for item in status.proof.evidence] == [False, True]
    assert [item.baseline for item in status.proof.evidence] == ["red", "red"]
    assert proved_pair.person.task(1).how == "proved"
    proved_pair.make()
    assert proved_pair.label() == "fails now"
    proved_pair.person.checks.run()
    assert proved_pair.label() == "proved"


def test_f38_a_check_that_shows_nothing_leaves_the_worth_unknown(tmp_path: Path) -> None:
    pair = begin(tmp_path, Check("command", "[ ! -e deadly ] || kill -9 $$; test -e made.txt"))
    (tmp_path / "deadly").touch()
    [status] = pair.person.checks.run(1)
    assert status.label == "unknown"
    pair.agent.start()
    pair.make()
    with pytest.raises(CheckUnknown):
        pair.agent.complete(1)
    assert (pair.person.task(1).status, pair.label()) == ("in_progress", "unknown")
    (tmp_path / "deadly").unlink()
    pair.agent.complete(1)
    assert pair.label() == "proved (not seen red)", "nobody knows what it would have shown before"
    (tmp_path / "deadly").touch()
    [status] = pair.person.checks.run(1)
    assert status.label == "unknown"


def test_x2_protected_files_changed_later_need_a_person(proved_pair: Pair) -> None:
    proved_pair.make("tests/t.py", "assert True")
    assert proved_pair.label() == "tampered"
    assert [status.label for status in proved_pair.agent.checks.run()] == ["tampered"]
    assert [status.label for status in proved_pair.person.checks.run(1)] == ["tampered"]
    proved_pair.person.checks.approve(1)
    assert [status.label for status in proved_pair.agent.checks.run()] == ["proved"]
    proved_pair.make("tests/t.py", "assert 1")
    assert [status.label for status in proved_pair.agent.checks.run()] == ["tampered"]


def test_x2_checks_changed_later_need_a_person(proved_pair: Pair) -> None:
    proved_pair.person.update(1, checks=[MADE], amend=True)
    assert proved_pair.label() == "tampered"
    assert [status.label for status in proved_pair.agent.checks.run()] == ["proved (not seen red)"]
    assert proved_pair.label() == "proved (not seen red)"


def test_x2_checks_added_later_do_not_prove_a_reported_completion(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.complete(1)
    pair.person.update(1, checks=[RUNS], amend=True)
    assert pair.label() == "unproved"
    pair.person.checks.run()
    assert pair.label() == "unproved, fails now"


def test_x2_a_proof_of_an_earlier_attempt_is_stale(proved_pair: Pair) -> None:
    proof = proved_pair.person.checks.proof(1).proof
    assert proof is not None
    proved_pair.person.reopen(1)
    proved_pair.agent.start(1)
    proved_pair.person.complete(1, force=True)
    assert proved_pair.label() == "unproved"
    proved_pair.person.reopen(1)
    proved_pair.agent.start(1)
    proved_pair.person.checks.confirm(1)
    proved_pair.agent.complete(1)
    proved_pair.agent.core.commit((NoteProof(proof),), return_commit)
    assert proved_pair.label() == "stale"


def test_x2_a_proof_of_another_task_is_forged(proved_pair: Pair) -> None:
    proof = proved_pair.person.checks.proof(1).proof
    assert proof is not None
    proved_pair.person.add(
        "second", checks=(RUNS, ASKS), protect=("tests/**",), files=("made.txt",)
    )
    proved_pair.person.complete(2, force=True)
    proved_pair.agent.core.commit((NoteProof(replace(proof, task=2)),), return_commit)
    assert proved_pair.label(2) == "unproved"
    assert isinstance(proved_pair.person.history.commits()[1].changes[-1], TaskCompleted)


def test_x2_unfinished_tasks_show_their_latest_check_result(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    assert pair.label() == ""
    assert [status.label for status in pair.agent.checks.run()] == ["fails now"]
    pair.make()
    assert [status.label for status in pair.agent.checks.run("step_1")] == ["passes now"]
    assert pair.person.task(1).status == "pending"
    pair.person.update(1, checks=[Check("command", "false")])
    assert pair.label() == ""
    pair.person.skip(1)
    assert pair.label() == ""


def test_x2_unapproved_checks_are_not_run_again(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.add("second", checks=[Check("command", "touch ran")])
    assert pair.person.checks.unapproved() == {2: (Check("command", "touch ran"),)}
    assert [status.label for status in pair.person.checks.run()] == ["not approved"]
    assert not (tmp_path / "ran").exists()
    assert pair.person.checks.approve().count == 1
    assert pair.person.checks.unapproved() == {}
    assert [status.label for status in pair.agent.checks.run()] == ["passes now"]
    assert (tmp_path / "ran").exists()


def test_x2_a_persons_confirmation_ends_with_the_attempt(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    pair.agent.start()
    pair.person.checks.confirm(1)
    pair.agent.return_task(1)
    [status] = pair.agent.checks.run()
    assert status.label == "fails now"
