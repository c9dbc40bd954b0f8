"""X2: proofs that were forged, replaced or reused, and checks that an agent exchanged."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import Check
from outlast.errors import InvalidArgument, Tampered
from outlast.model.changes import TaskEdited
from outlast.model.commands import Complete, EditTask, NoteProof, RemoveTask, Undo
from outlast.model.execute import return_commit
from outlast.model.model import Evidence, Proof, Stage
from outlast.plan.core import edit_task
from tests.proof.proven import ASKS, MADE, Pair, begin, open_pair

TESTS = Check("command", "sh tests/t.sh")


@pytest.fixture
def guarded(tmp_path: Path) -> Pair:
    """A task in progress whose tests an agent has made pass by changing them."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.sh").write_text("test -f made.txt")
    pair = begin(tmp_path, TESTS, protect=("tests/**",))
    pair.agent.start()
    pair.make("tests/t.sh", "true")
    return pair


def note(pair: Pair, stage: Stage, protected: str = "") -> Proof:
    """Write a proof by hand, as good as can be without the user's key."""
    evidence = Evidence(TESTS, ok=True, says="passed", code=0, baseline="red")
    proof = Proof(1, stage, pair.agent.core.now(), (evidence,), protected)
    if stage != "done":
        proof = replace(proof, evidence=(replace(evidence, ok=False),))
    pair.agent.core.commit((NoteProof(proof),), return_commit)
    return proof


def baseline(pair: Pair) -> Proof:
    found = pair.agent.core.read(lambda state: state.ledger.proofs[1].baseline)
    assert found is not None
    return found


def looked_at(pair: Pair) -> str:
    """Return the digest of the tests as they are now."""
    pair.person.add("other", protect=["tests/**"])
    found = pair.agent.core.read(lambda state: state.ledger.proofs[2].baseline)
    assert found is not None
    return found.protected


def test_x2_checking_again_does_not_prove_a_forged_completion(guarded: Pair) -> None:
    proof = replace(note(guarded, "done"), protected=baseline(guarded).protected)
    guarded.agent.core.commit((Complete(1, "agent", proof=proof),), return_commit)
    assert guarded.label() == "forged"
    assert [one.label for one in guarded.agent.checks.run(1)] == ["tampered"]
    assert guarded.label() == "forged"
    guarded.person.checks.approve(1)
    assert [one.label for one in guarded.agent.checks.run(1)] == ["proved"]


@pytest.mark.parametrize("stage", ["set", "before", "done"])
def test_x2_a_baseline_cannot_be_replaced(guarded: Pair, stage: Stage) -> None:
    note(guarded, stage, looked_at(guarded))
    guarded.agent.return_task(1)
    guarded.agent.start(1)
    with pytest.raises(Tampered):
        guarded.agent.complete(1)
    guarded.person.checks.approve(1)
    assert guarded.agent.complete(1).how == "proved"


def test_x2_an_old_proof_does_not_complete_a_later_attempt(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.sh").write_text("test -f made.txt")
    pair = begin(tmp_path, TESTS, protect=("tests/**",))
    pair.make()
    pair.agent.start()
    pair.agent.complete(1)
    proof = pair.person.checks.proof(1).proof
    assert proof is not None
    pair.agent.reopen(1)
    pair.agent.start()
    pair.make("tests/t.sh", "true")
    pair.agent.core.commit((NoteProof(proof),), return_commit)
    pair.agent.return_task(1)
    pair.agent.start()
    with pytest.raises(Tampered):
        pair.agent.complete(1)


def test_x2_a_confirmation_of_an_earlier_attempt_is_not_reused(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    pair.person.complete(1)
    proof = pair.person.checks.proof(1).proof
    assert proof is not None
    pair.agent.reopen(1)
    pair.agent.start()
    pair.agent.core.commit((Complete(1, "agent", proof=proof),), return_commit)
    assert pair.label() == "stale"
    assert [one.label for one in pair.agent.checks.run(1)] == ["fails now"]


def exchange_checks(pair: Pair, change: EditTask | Undo) -> None:
    """Change a task by a direct commit, past the permission check."""
    pair.agent.core.commit((change,), return_commit)


EXCHANGES: list[Callable[[Pair], object]] = [
    lambda pair: exchange_checks(pair, EditTask(1, checks=(Check("file", "other.txt"),))),
    lambda pair: exchange_checks(pair, EditTask(1, protect=())),
    lambda pair: exchange_checks(pair, Undo(5, 6, (TaskEdited(1, checks=(MADE,)),))),
]


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("starts", [True, False])
def test_x2_a_persons_checks_cannot_be_exchanged_before_the_attempt(
    tmp_path: Path, exchange: Callable[[Pair], object], *, starts: bool
) -> None:
    pair = begin(tmp_path)
    pair.person.update(1, checks=[MADE], protect=["tests/**"])
    pair.person.update(1, checks=[MADE, Check("file", "more.txt")])
    exchange(pair)
    for name in ("made.txt", "other.txt", "more.txt"):
        pair.make(name)
    if starts:
        pair.agent.start()
    with pytest.raises(Tampered) as caught:
        pair.agent.complete(1)
    assert caught.value.details["what"] == "checks"
    pair.person.checks.approve(1)
    assert pair.agent.complete(1).how == "proved"
    assert pair.label() == "proved (not seen red)"


def test_x2_a_person_may_remove_or_rewrite_their_checks(tmp_path: Path) -> None:
    pair = begin(tmp_path, MADE)
    pair.person.update(1, checks=[MADE, Check("file", "other.txt")])
    pair.person.undo()
    pair.person.close()
    [file] = tmp_path.rglob("task_plan.md")
    file.write_text(file.read_text().replace("file: made.txt", "file: more.txt"))
    again = open_pair(tmp_path)
    again.person.checks.approve()
    again.agent.start()
    again.make("more.txt")
    again.agent.complete(1)
    assert again.label() == "proved"


def test_x2_an_agent_may_add_checks_to_a_task_that_has_none(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.update(1, checks=[MADE], files=["made.txt"])
    assert pair.person.checks.unapproved() == {1: (MADE,)}
    pair.agent.update(1, name="renamed", checks=[MADE])
    assert [one.label for one in pair.person.checks.run()] == ["not approved"]
    pair.person.checks.approve()
    pair.agent.start()
    pair.make()
    pair.agent.complete(1)
    assert pair.label() == "proved"


MEASURES: list[EditTask] = [
    EditTask(1, checks=(Check("person", "looks fine"),)),
    EditTask(1, checks=()),
    EditTask(1, files=()),
    EditTask(1, protect=()),
    EditTask(1, run="make it"),
    EditTask(1, name="renamed", amend=True),
]


@pytest.mark.parametrize("change", MEASURES)
def test_x2_only_a_person_may_change_checks(tmp_path: Path, change: EditTask) -> None:
    pair = begin(tmp_path, MADE, protect=("tests/**",), files=("made.txt",))
    given = {name: getattr(change, name) for name in change.__struct_fields__[1:]}
    with pytest.raises(InvalidArgument) as caught:
        pair.agent.update(1, **given)
    assert caught.value.text == "only_a_person"
    with pytest.raises(InvalidArgument) as caught:
        edit_task(pair.agent.core, 1, [change])
    assert caught.value.text == "only_a_person"
    pair.person.update(1, **given)


def test_x2_only_a_person_may_amend(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.add("second", [1])
    with pytest.raises(InvalidArgument):
        pair.agent.remove(1, amend=True)
    with pytest.raises(InvalidArgument):
        edit_task(pair.agent.core, 1, [RemoveTask(2, amend=True)])
    assert pair.person.remove(1, amend=True) == 1


def test_x2_approving_all_checks_does_not_accept_exchanged_checks(tmp_path: Path) -> None:
    pair = begin(tmp_path, MADE)
    exchange_checks(pair, EditTask(1, checks=(Check("command", "true"),)))
    pair.person.checks.approve()
    with pytest.raises(Tampered):
        pair.agent.complete(1)


def test_x2_a_moved_project_goes_on(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "tests").mkdir(parents=True)
    (old / "tests/t.sh").write_text("test -f made.txt")
    pair = begin(old, MADE, protect=("tests/**",))
    pair.agent.start()
    pair.make()
    pair.agent.complete(1)
    for name in ("second", "third"):
        pair.person.add(name, checks=[MADE], protect=["tests/**"])
    pair.agent.start(2)
    pair.person.close()
    old.rename(new)
    again = open_pair(new)
    assert again.label() == "forged"
    assert [one.label for one in again.agent.checks.run(1)] == ["not approved"]
    again.person.checks.approve()
    assert [one.label for one in again.agent.checks.run(1)] == ["proved (not seen red)"]
    with pytest.raises(Tampered) as caught:
        again.agent.complete(2)
    assert (caught.value.text, caught.value.details["what"]) == ("not_seen_here", "baseline")
    assert "moved or copied?" in str(caught.value)
    again.person.checks.approve(2)
    assert again.agent.complete(2).how == "proved"
    again.agent.start(3)
    assert again.agent.complete(3).how == "proved"


def test_x2_a_moved_project_with_changed_files_needs_a_person(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "tests").mkdir(parents=True)
    pair = begin(old, MADE, protect=("tests/**",))
    pair.make()
    pair.agent.complete(1)
    pair.person.close()
    old.rename(new)
    again = open_pair(new)
    again.make("tests/t.sh")
    assert [one.label for one in again.agent.checks.run(1)] == ["tampered"]
