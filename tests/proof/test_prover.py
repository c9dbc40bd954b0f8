"""X2: every way to complete a task runs its checks first."""

import stat
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from outlast import Check, NewTask, PlanManager, create_plan, open_plan
from outlast.errors import (
    CheckFailed,
    CheckNotApproved,
    ClaimLost,
    InvalidArgument,
    ProofNeeded,
    Tampered,
    TaskNotEditable,
)
from outlast.language import explain
from outlast.model.changes import TaskCompleted
from outlast.model.commands import Complete, EditTask
from outlast.model.execute import return_commit
from outlast.model.model import UNATTRIBUTED, Evidence, Proof
from tests.making import make_plan
from tests.proof.proven import ASKS, MADE, RUNS, begin, journal, open_pair


def test_x2_a_task_is_done_when_its_checks_pass(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS, MADE)
    pair.agent.start()
    with pytest.raises(CheckFailed) as caught:
        pair.agent.complete(1, "done")
    failed = caught.value.details["failed"]
    assert isinstance(failed, list)
    assert [one["says"] for one in failed] == ["exit 1", "missing"]
    assert str(caught.value) == (
        "Task 1 is not done: test -f made.txt: exited with code 1, made.txt: file not found"
    )
    assert explain(caught.value, "zh").endswith("退出码 1、made.txt: 文件不存在")
    assert pair.person.task(1).status == "in_progress"
    pair.make()
    task = pair.agent.complete(1, "done")
    assert (task.status, task.how, task.result) == ("completed", "proved", "done")
    assert pair.label() == "proved"


def test_x2_a_failed_check_is_recorded(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    with pytest.raises(CheckFailed):
        pair.agent.complete(1)
    status = open_pair(tmp_path).person.checks.proof(1)
    assert status.label == "fails now"
    assert status.proof is not None
    assert [item.code for item in status.proof.evidence] == [1]


def test_x2_a_completion_without_a_start_is_checked_too(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    with pytest.raises(CheckFailed):
        pair.agent.complete(1)
    pair.make()
    assert pair.agent.complete(1).how == "proved"


def test_x2_the_functions_for_models_explain_the_failure(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    manager = PlanManager(pair.person)
    assert manager.startNextTask()["success"]
    error = manager.completeTask(1, "done")["error"]
    assert error["code"] == "CHECK_FAILED"
    assert error["details"]["failed"][0]["rule"] == RUNS.rule
    pair.make()
    assert manager.completeTask(1, "done")["success"]
    assert pair.label() == "proved"


def test_x2_a_plan_in_memory_is_checked_in_the_current_directory() -> None:
    plan = create_plan("memory:", "Make it", actor="human")
    plan.add("green", checks=[Check("command", "true")])
    plan.add("red", checks=[Check("command", "false")])
    assert plan.complete(1).how == "proved"
    with pytest.raises(CheckFailed):
        plan.complete(2)


def test_x2_a_handle_without_a_checker_completes_no_task_with_checks() -> None:
    plan = make_plan()
    plan.add("a", checks=[RUNS], protect=["tests"])
    plan.start(1)
    with pytest.raises(ProofNeeded) as caught:
        plan.complete(1)
    assert type(caught.value) is ProofNeeded
    with pytest.raises(InvalidArgument, match="this plan handle cannot run checks"):
        plan.checks.run()
    assert plan.checks.proofs() == {}


def test_x2_words_do_not_complete_a_task_with_checks(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    with pytest.raises(CheckFailed):
        pair.agent.complete(1, how="assumed")
    for how in ("proved", "unproved"):
        with pytest.raises(InvalidArgument):
            pair.agent.complete(1, how=how)  # type: ignore[arg-type] # as a program without types does


def test_x2_a_person_check_needs_a_person(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS)
    with pytest.raises(CheckFailed):
        pair.agent.complete(1)
    with pytest.raises(InvalidArgument):
        pair.agent.checks.confirm(1)
    with pytest.raises(InvalidArgument):
        pair.person.checks.confirm(1, "something else")
    pair.person.checks.confirm(1, ASKS.rule)
    assert pair.agent.complete(1).how == "proved"


def test_x2_a_persons_own_completion_confirms_the_check(tmp_path: Path) -> None:
    pair = begin(tmp_path, ASKS, RUNS)
    with pytest.raises(CheckFailed):
        pair.person.complete(1)
    pair.make()
    assert pair.person.complete(1).how == "proved"
    assert [status.label for status in pair.agent.checks.run(1)] == ["proved"]


def test_x2_force_is_a_persons_and_recorded_as_unproved(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    with pytest.raises(InvalidArgument):
        pair.agent.complete(1, force=True)
    assert pair.person.complete(1, force=True).how == "unproved"
    assert pair.label() == "unproved"
    pair.person.checks.run(1)
    assert pair.label() == "unproved, fails now"


def test_x2_amend_ignores_the_order_but_runs_the_checks(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.person.add("second", [1], checks=[MADE])
    with pytest.raises(CheckFailed):
        pair.person.complete(2, amend=True)
    pair.make()
    assert pair.person.complete(2, amend=True).how == "proved"


def test_x2_a_check_that_was_green_before_is_a_weak_proof(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.make()
    pair.agent.start()
    pair.agent.complete(1)
    assert pair.label() == "proved (was green)"
    pair.agent.reopen(1)
    pair.agent.start()
    pair.agent.complete(1)
    assert pair.label() == "proved (was green)"


def test_x2_a_check_seen_red_in_an_earlier_attempt_is_no_weak_proof(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    pair.make()
    pair.agent.fail(1, "the network is down")
    pair.agent.start()
    pair.agent.complete(1)
    assert pair.label() == "proved"


def test_x2_claiming_a_task_records_a_baseline_too(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.make()
    lease = pair.agent.claim()
    pair.agent.complete(1, lease=lease)
    assert pair.label() == "proved (was green)"


@pytest.mark.slow
def test_x2_a_lease_is_renewed_while_checks_run(tmp_path: Path) -> None:
    pair = begin(tmp_path, Check("command", "sleep 1.5"))
    lease = pair.agent.claim(seconds=1)
    assert pair.agent.complete(1, lease=lease).how == "proved"


def test_f4_checks_do_not_hold_a_plan_for_longer_than_its_runner_asked_for(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.make()
    with pair.agent.core.claim_plan(5) as held:
        assert pair.agent.with_lease(held.lease).complete(1).how
        lease = pair.agent.core.read(lambda state: state.ledger.leases[0])
    assert (lease.until - pair.agent.core.now()).total_seconds() <= 5


def test_x2_a_lost_claim_completes_nothing(tmp_path: Path) -> None:
    pair = begin(tmp_path, Check("command", "true"))
    lease = pair.agent.claim()
    pair.agent.release(lease)
    pair.person.acting_as("other").claim()
    with pytest.raises(ClaimLost):
        pair.agent.complete(1, lease=lease)


def test_x2_a_key_stands_for_one_completion(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    lease = pair.agent.claim()
    keyed = pair.agent.with_lease(lease, "once")
    with pytest.raises(CheckFailed):
        keyed.complete(1, "done", lease=lease)
    pair.make()
    first, again = (keyed.complete(1, "done", lease=lease) for _ in range(2))
    assert first == again
    with pytest.raises(InvalidArgument):
        keyed.complete(1, "something else", lease=lease)


def test_x2_checks_that_change_while_running_are_run_again(tmp_path: Path) -> None:
    command = "touch running; while [ ! -f changed ]; do sleep 0.01; done"
    pair = begin(tmp_path, Check("command", command))

    def change_checks() -> None:
        while not (tmp_path / "running").exists():
            sleep(0.01)
        pair.person.update(1, checks=[Check("command", "false")])
        (tmp_path / "changed").touch()

    person = Thread(target=change_checks)
    person.start()
    with pytest.raises(CheckFailed) as caught:
        pair.agent.complete(1)
    person.join()
    assert caught.value.details["shows"] == ["false: exit 1"]


def test_x2_what_a_check_writes_into_the_plan_is_no_word_of_a_person(tmp_path: Path) -> None:
    view = ".outlast/plans/k/task_plan.md"
    pair = begin(tmp_path, Check("command", f"sed -i 's/look/LOOK/' {view}"), MADE)
    pair.person.add("look")
    pair.person.close()  # so that the view is written
    pair = open_pair(tmp_path)
    pair.make()
    assert pair.agent.complete(1).how == "proved"
    with open_plan(tmp_path, "k", actor="human") as plan:
        assert plan.task(2).name == "LOOK"
        (edit,) = (each for each in plan.history.commits(100) if "task_plan.md" in each.reason)
        assert edit.author == UNATTRIBUTED
    file = tmp_path / view
    file.write_text(file.read_text().replace("LOOK", "see"))
    with open_plan(tmp_path, "k", actor="human") as plan:
        edits = [each for each in plan.history.commits(100) if "task_plan.md" in each.reason]
        assert [each.author for each in edits if each != edit] == ["human"]


def test_x2_changing_protected_files_is_tampering(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.py").write_text("assert False")
    pair = begin(tmp_path, RUNS, protect=("tests/**",))
    pair.agent.start()
    pair.make()
    pair.make("tests/t.py", "assert True")
    with pytest.raises(Tampered) as caught:
        pair.agent.complete(1)
    assert caught.value.details["what"] == "protect"
    pair.agent.fail(1, "gave up")
    pair.agent.start()
    with pytest.raises(Tampered):
        pair.agent.complete(1)
    with pytest.raises(InvalidArgument):
        pair.agent.checks.approve(1)
    pair.person.checks.approve()
    with pytest.raises(Tampered):
        pair.agent.complete(1)
    pair.person.checks.approve(1)
    assert pair.agent.complete(1).how == "proved"
    assert pair.label() == "proved"


def test_x2_an_agent_cannot_change_the_checks_of_its_task(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    with pytest.raises(TaskNotEditable):
        pair.person.update(1, checks=[Check("file", "other.txt")])
    pair.agent.return_task(1)
    change = EditTask(1, checks=(Check("file", "other.txt"),))
    with pytest.raises(InvalidArgument):
        pair.agent.update(1, checks=change.checks)
    pair.agent.core.commit((change,), return_commit)
    pair.make("other.txt")
    with pytest.raises(Tampered) as tampered:
        pair.agent.complete(1)
    assert tampered.value.details["what"] == "checks"


def test_x2_removing_the_checks_counts_as_tampering(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    pair.agent.return_task(1)
    pair.agent.core.commit((EditTask(1, checks=()),), return_commit)
    assert pair.agent.complete(1).how == "reported"
    assert pair.label() == "tampered"


def test_x2_a_person_may_change_the_checks_between_attempts(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.agent.start()
    pair.agent.return_task(1)
    pair.person.update(1, checks=[Check("command", "true")])
    assert pair.agent.complete(1).how == "proved"
    assert pair.label() == "proved (not seen red)"
    pair.person.add("second", checks=[RUNS])
    pair.agent.start(2)
    pair.agent.return_task(2)
    pair.person.update(2, checks=[])
    pair.agent.complete(2)
    assert pair.label(2) == "reported"


def test_m6_tasks_without_checks_keep_their_labels(tmp_path: Path) -> None:
    pair = begin(tmp_path)
    pair.agent.complete(1)
    pair.person.add("second")
    pair.agent.complete(2, how="assumed")
    labels = {task: status.label for task, status in pair.person.checks.proofs().items()}
    assert labels == {1: "reported", 2: "assumed"}


def test_a5_secrets_in_the_output_of_checks_are_never_written(tmp_path: Path) -> None:
    canary = "Zk7canaryQ9xv2"
    (tmp_path / "leak.sh").write_text(f"echo password={canary}; exit 1")
    pair = begin(tmp_path, Check("command", "sh leak.sh"))
    pair.agent.start()
    with pytest.raises(CheckFailed) as caught:
        pair.agent.complete(1)
    assert canary not in repr(caught.value.details)
    pair.person.close()
    assert "password=[redacted]" in journal(tmp_path)
    kept = [p for p in (tmp_path / ".outlast").rglob("*") if p.is_file()]
    assert not [p for p in kept if canary in p.read_text(errors="replace")]
    assert {stat.S_IMODE(p.stat().st_mode) for p in kept} == {0o600}


def test_x2_a_handmade_proof_is_forged(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    now = pair.agent.core.now()
    proof = Proof(1, "done", now, (Evidence(RUNS, ok=True, says="passed", code=0),))
    pair.agent.core.commit((Complete(1, "agent", proof=proof),), return_commit)
    assert pair.person.task(1).how == "proved"
    assert pair.label() == "forged"


def test_x2_an_imported_task_that_claims_to_be_proved_is_not(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.make()
    pair.agent.complete(1)
    data = PlanManager(pair.person).to_dict()
    assert PlanManager.from_dict(data).plan.checks.proof(1).label == "unproved"


def test_x2_the_checks_of_a_plan_initialized_by_a_person_are_approved(tmp_path: Path) -> None:
    plan = create_plan(tmp_path, "", "k", actor="human")
    plan.initialize("Make it", [NewTask("make", checks=(Check("command", "true"),))])
    assert plan.checks.unapproved() == {}
    other = create_plan(tmp_path, "", "k2", actor="agent")
    other.initialize("Make it", [NewTask("make", checks=(Check("command", "true"),))])
    with pytest.raises(CheckNotApproved):
        other.complete(1)


def test_x2_a_completion_and_its_proof_are_one_commit(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS)
    pair.make()
    pair.agent.complete(1)
    last = pair.person.history.commits()[0]
    assert [type(change).__name__ for change in last.changes][-2:] == [
        "ProofNoted",
        "TaskCompleted",
    ]
    assert isinstance(last.changes[-1], TaskCompleted)
