"""X2: what became of a proof later."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import Check
from outlast.domain.changes import TaskCompleted
from outlast.domain.enact import receipt
from outlast.domain.note_commands import NoteProof
from tests.application.proven import ASKS, MADE, RUNS, Pair, begin, opened


@pytest.fixture
def done(tmp_path: Path) -> Pair:
    """A plan whose one task is proved."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.py").write_text("assert False")
    pair = begin(tmp_path, RUNS, ASKS, protect=("tests/**",), files=("made.txt",))
    pair.agent.start()
    pair.make()
    pair.person.confirm(1)
    pair.agent.complete(1)
    assert pair.label() == "proved"
    return pair


def test_x2_a_proof_is_stale_when_its_files_change_and_can_be_renewed(done: Pair) -> None:
    done.make(text="something else")
    assert done.label() == "stale"
    assert [standing.label for standing in done.agent.check()] == ["proved"]
    assert opened(done.root).label() == "proved"


def test_x2_a_check_that_fails_later_breaks_the_proof(done: Pair) -> None:
    (done.root / "made.txt").unlink()
    assert done.label() == "stale"
    [standing] = done.person.check(1)
    assert standing.label == "fails now"
    assert standing.proof is not None
    assert [one.ok for one in standing.proof.evidence] == [False, True]
    assert [one.seen for one in standing.proof.evidence] == ["red", "red"]
    assert done.person.task(1).how == "proved"
    done.make()
    assert done.label() == "fails now"
    done.person.check()
    assert done.label() == "proved"


def test_x2_what_is_protected_and_touched_later_is_for_a_person(done: Pair) -> None:
    done.make("tests/t.py", "assert True")
    assert done.label() == "tampered"
    assert [standing.label for standing in done.agent.check()] == ["tampered"]
    assert [standing.label for standing in done.person.check(1)] == ["tampered"]
    done.person.approve(1)
    assert [standing.label for standing in done.agent.check()] == ["proved"]
    done.make("tests/t.py", "assert 1")
    assert [standing.label for standing in done.agent.check()] == ["tampered"]


def test_x2_checks_that_are_changed_later_are_for_a_person(done: Pair) -> None:
    done.person.update(1, checks=[MADE], amend=True)
    assert done.label() == "tampered"
    assert [standing.label for standing in done.agent.check()] == ["proved (not seen red)"]
    assert done.label() == "proved (not seen red)"


def test_x2_checks_that_are_given_later_do_not_prove_what_was_reported(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.complete(1)
    pair.person.update(1, checks=[RUNS], amend=True)
    assert pair.label() == "unproved"
    pair.person.check()
    assert pair.label() == "unproved, fails now"


def test_x2_a_proof_of_an_earlier_attempt_is_stale(done: Pair) -> None:
    proof = done.person.proof(1).proof
    assert proof is not None
    done.person.reopen(1)
    done.agent.start(1)
    done.person.complete(1, force=True)
    assert done.label() == "unproved"
    done.person.reopen(1)
    done.agent.start(1)
    done.person.confirm(1)
    done.agent.complete(1)
    done.agent.commit((NoteProof(proof),), receipt)
    assert done.label() == "stale"


def test_x2_a_proof_of_another_task_is_forged(done: Pair) -> None:
    proof = done.person.proof(1).proof
    assert proof is not None
    done.person.add("second", checks=(RUNS, ASKS), protect=("tests/**",), files=("made.txt",))
    done.person.complete(2, force=True)
    done.agent.commit((NoteProof(replace(proof, task=2)),), receipt)
    assert done.label(2) == "unproved"
    assert isinstance(done.person.history()[1].changes[-1], TaskCompleted)


def test_x2_unfinished_tasks_show_how_their_checks_stand(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    assert pair.label() == ""
    assert [standing.label for standing in pair.agent.check()] == ["fails now"]
    pair.make()
    assert [standing.label for standing in pair.agent.check("step_1")] == ["passes now"]
    assert pair.person.task(1).status == "pending"
    pair.person.update(1, checks=[Check("command", "false")])
    assert pair.label() == ""
    pair.person.skip(1)
    assert pair.label() == ""


def test_x2_checks_that_nobody_allowed_are_not_run_again(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.add("second", checks=[Check("command", "touch ran")])
    assert pair.person.unapproved() == {2: (Check("command", "touch ran"),)}
    assert [standing.label for standing in pair.person.check()] == ["not approved"]
    assert not (tmp_path / "ran").exists()
    assert pair.person.approve().count == 1
    assert pair.person.unapproved() == {}
    assert [standing.label for standing in pair.agent.check()] == ["passes now"]
    assert (tmp_path / "ran").exists()


def test_x2_a_persons_word_ends_with_the_attempt(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    pair.agent.start()
    pair.person.confirm(1)
    pair.agent.give_back(1)
    [standing] = pair.agent.check()
    assert standing.label == "fails now"
