"""X2, A10: approvals, baselines, and which proofs are genuine."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast.errors import StoreError
from outlast.model.model import Check, Evidence, Proof
from tests.proof.checks.scene import NOW, PLAN, Scene, make_task

COMMAND = Check("command", "test -f made")
PERSON = Check("person", "it looks right")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_a10_an_approval_is_for_one_command_of_one_plan_in_one_place(
    scene: Scene, tmp_path: Path
) -> None:
    checker, other = scene.checker, Check("command", "test -f  made")
    assert checker.trust.list_unapproved(PLAN, (COMMAND, PERSON, COMMAND)) == (COMMAND,)
    assert [checker.trust.approve(PLAN, (COMMAND, PERSON)) for _ in range(2)] == [1, 0]
    assert checker.trust.list_unapproved(PLAN, (COMMAND, PERSON)) == ()
    assert checker.trust.list_unapproved(PLAN, (other,)) == (other,)
    assert checker.trust.list_unapproved("plan_other", (COMMAND,)) == (COMMAND,)
    elsewhere = Scene(tmp_path, workspace="elsewhere")
    assert elsewhere.checker.trust.list_unapproved(PLAN, (COMMAND,)) == (COMMAND,)


def test_a10_a_workspace_is_the_same_by_whatever_name(scene: Scene, tmp_path: Path) -> None:
    scene.checker.trust.approve(PLAN, (COMMAND,))
    (tmp_path / "alias").symlink_to(scene.root)
    assert Scene(tmp_path, workspace="alias").checker.trust.list_unapproved(PLAN, (COMMAND,)) == ()


def test_x2_a_confirmation_counts_for_person_checks_only(scene: Scene) -> None:
    task = make_task(COMMAND, PERSON)

    def outcome(proof: Proof) -> list[bool | None]:
        return [one.ok for one in proof.evidence]

    assert outcome(scene.run(task)) == [False, False]
    assert outcome(scene.run(task, confirmed=(PERSON, COMMAND))) == [False, True]
    assert outcome(scene.run(task, actor="human")) == [False, True]
    assert outcome(scene.run(task, "before", actor="human")) == [False, False]


def test_x2_evidence_has_the_baseline_result(scene: Scene) -> None:
    task = make_task(COMMAND, Check("file", "made"))
    before = scene.run(task, "before")
    scene.write("made")
    assert [one.baseline for one in scene.run(task, baseline=before).evidence] == ["red", "red"]
    green = scene.run(task, "before")
    assert [one.baseline for one in scene.run(task, baseline=green).evidence] == ["green", "green"]
    assert [one.baseline for one in scene.run(task).evidence] == ["", ""]


def test_x2_setting_a_task_up_runs_nothing(scene: Scene) -> None:
    scene.write("tests/t.py")
    task = make_task(Check("command", "touch ran"), protect=("tests/**",))
    proof = scene.run(task, "set")
    assert (proof.evidence, proof.files) == ((), "")
    assert proof.protected.startswith("sha256:")
    assert not (scene.root / "ran").exists()


def test_x2_a_proof_holds_until_something_changes(scene: Scene) -> None:
    scene.write("src/a.py")
    scene.write("made")
    task = make_task(COMMAND, Check("file", "made"), files=("src/**",), protect=("tests/**",))
    proof, glance = scene.run(task), scene.checker.verify_proof
    assert glance(PLAN, task, proof) == ""
    scene.write("src/a.py", "else")
    assert glance(PLAN, task, proof) == "stale"
    scene.write("src/a.py")
    assert glance(PLAN, task, proof) == ""
    scene.write("made", "else")
    assert glance(PLAN, task, proof) == "stale"
    scene.write("tests/t.py")
    assert glance(PLAN, task, proof) == "tampered"
    assert glance(PLAN, replace(task, checks=(COMMAND,)), proof) == "tampered"


def test_x2_a_seal_cannot_be_forged(scene: Scene, tmp_path: Path) -> None:
    task = make_task(COMMAND)
    proof = scene.run(task)
    [shown] = proof.evidence
    green = replace(proof, evidence=(replace(shown, ok=True, says="passed"),))
    forgeries = [
        green,
        replace(green, seal=""),
        replace(green, seal="é"),
        replace(proof, task=2),
        replace(proof, stage="later"),
        replace(proof, at=NOW.replace(year=2027)),
        Proof(1, "done", NOW, (Evidence(COMMAND, ok=True),)),
    ]
    for forged in forgeries:
        assert not scene.checker.trust.is_sealed(PLAN, forged)
        assert scene.checker.verify_proof(PLAN, task, forged) == "forged"
    assert scene.checker.trust.is_sealed(PLAN, proof)
    assert scene.checker.verify_proof(PLAN, replace(task, id=2), proof) == "forged"
    assert not scene.checker.trust.is_sealed("plan_other", proof)
    assert not Scene(tmp_path, workspace="elsewhere").checker.trust.is_sealed(PLAN, proof)
    key = scene.home / "outlast" / "key"
    key.unlink()
    assert not scene.checker.trust.is_sealed(PLAN, proof)
    key.mkdir()
    with pytest.raises(StoreError):
        scene.checker.verify_proof(PLAN, task, proof)
