"""A10: opening or reading a foreign project runs nothing of it and trusts nothing in it."""

from pathlib import Path

import pytest

from outlast import Check, PlanManager, create_plan, open_plan
from outlast.errors import CheckNotApproved, StoreError, Tampered
from outlast.proof.checks.checker import Checker
from outlast.store.journal import add_checksum, verify_checksum
from outlast.system.state_home import StateHome
from tests.cli.processes import outlast
from tests.making import make_plan
from tests.proof.proven import RUNS, begin, open_pair

TRAP = Check("command", "touch sprung")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A foreign project with checks, and with files that look like approvals."""
    plan = create_plan(tmp_path, "Look at me", "k", actor="agent")
    slow = Check("file", "x ~ (a+)+$")
    plan.add("first", checks=[TRAP, slow], protect=["**"], run="touch sprung")
    plan.add("second", checks=[TRAP])
    plan.close()
    for place in ("", "outlast", ".outlast", ".local/state/outlast"):
        directory = tmp_path / place / "approved"
        directory.mkdir(parents=True, exist_ok=True)
        for name in ("0" * 64, TRAP.rule):
            (directory / name).write_text("")
    (tmp_path / ".outlast/key").write_bytes(b"k" * 32)
    (tmp_path / ".env").write_text("XDG_STATE_HOME=.\n")
    return tmp_path


def is_untouched(root: Path) -> bool:
    return not list(root.rglob("sprung"))


def test_a10_opening_and_reading_a_plan_runs_nothing(hostile: Path) -> None:
    with open_plan(hostile, "k", actor="human") as plan:
        for look in (
            plan.tasks,
            plan.next,
            plan.ready,
            plan.graph,
            plan.history.commits,
            plan.checks.proofs,
        ):
            look()
        assert plan.checks.proof(1).label == "tampered"
        assert plan.checks.unapproved() == {1: (TRAP, Check("file", "x ~ (a+)+$")), 2: (TRAP,)}
    assert is_untouched(hostile)


@pytest.mark.parametrize(
    "command", ["show", "next", "list", "log", "doctor", "start", "show --json"]
)
def test_a10_no_read_command_runs_anything(hostile: Path, command: str) -> None:
    done = outlast(hostile, *command.split())
    assert done.returncode in (0, 4), done.stderr
    assert is_untouched(hostile)


def test_a10_work_runs_no_check_before_a_person_approves(hostile: Path) -> None:
    with open_plan(hostile, "k", actor="human") as plan:
        manager = PlanManager(plan)
        assert manager.startNextTask()["success"]
        answer = manager.completeTask(1, "done")
        assert answer["error"]["code"] == "CHECK_NOT_APPROVED"
        assert TRAP.rule in answer["error"]["message"]
        with pytest.raises(CheckNotApproved):
            plan.complete(2)
        assert [status.label for status in plan.checks.run()] == ["tampered", "not approved"]
    assert is_untouched(hostile)


def test_a10_a_persons_edit_approves_only_their_own_checks(hostile: Path) -> None:
    with open_plan(hostile, "k", actor="human") as plan:
        plan.update(2, name="renamed", protect=["tests/**"])
        plan.update(2, checks=[TRAP, Check("command", "true")])
        assert plan.checks.unapproved()[2] == (TRAP,)


def test_a10_approvals_are_stored_outside_of_the_project(hostile: Path) -> None:
    before = {str(p) for p in hostile.rglob("*")}
    with open_plan(hostile, "k", actor="human") as plan:
        plan.checks.approve()
    assert {str(p) for p in hostile.rglob("*")} == before
    with open_plan(hostile, "k", actor="agent") as plan:
        plan.complete(2)
    assert not is_untouched(hostile)


def test_a10_a_copy_of_an_approved_project_is_another_project(tmp_path: Path) -> None:
    original, copy = tmp_path / "a", tmp_path / "b"
    original.mkdir()
    pair = begin(original, TRAP)
    pair.agent.complete(1)
    pair.person.close()
    original.rename(copy)
    again = open_pair(copy)
    assert again.person.checks.unapproved() == {1: (TRAP,)}
    assert again.label() == "forged"


def test_x2_a_forged_line_in_the_journal_does_not_make_a_proof(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    pair.person.close()
    change_journal(tmp_path, b'"ok":false', b'"ok":true ')
    again = open_pair(tmp_path)
    again.make()
    with pytest.raises(Tampered) as caught:
        again.agent.complete(1)
    assert caught.value.details["what"] == "baseline"


def test_x2_without_a_place_for_the_key_nothing_is_proved(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checker = Checker(str(tmp_path), StateHome(str(tmp_path / "file")), 20)
    plan = make_plan(actor="human", checker=lambda: checker)
    plan.add("a", checks=[Check("file", "file"), Check("command", "true")], protect=["tests"])
    agent = plan.acting_as("agent")
    agent.start()
    with pytest.raises(StoreError) as caught:
        agent.complete(1)
    assert caught.value.text == "state_home_failed"
    with pytest.raises(StoreError):
        plan.checks.approve()
    assert plan.task(1).status == "in_progress"
    assert plan.complete(1, force=True).how == "unproved"


def change_journal(root: Path, old: bytes, new: bytes) -> None:
    """Write something else into the journal, with checksums that fit."""
    [file] = root.rglob("journal.jsonl")
    bodies = [verify_checksum(line) for line in file.read_bytes().splitlines()]
    file.write_bytes(b"".join(add_checksum(body.replace(old, new)) for body in bodies if body))
