"""X2, M6: a task with checks is done when they passed, or when a person forces it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.changes import PlanBegun, ProofNoted, TaskCompleted, TaskStarted
from outlast.model.ledger import TaskProofs
from outlast.model.model import PERSON, Check, Confirmation, Evidence, Proof, Stage
from tests.model.strategies import BEGINNING
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from outlast.model.model import How

MAKE = Check("command", "make test")
LOOK = Check("person", "looks right")
STAGES_IN_TIME: tuple[Stage, ...] = ("set", "before", "later", "done")


def guarded(*checks: Check, protect: tuple[str, ...] = ()) -> TimedPlan:
    """Return a plan whose first task has these checks; the second depends on it."""
    plan = TimedPlan(0)
    plan.do(c.AddTasks((c.NewTask("a", checks=checks, protect=protect),)))
    plan.do(c.AddTasks((c.NewTask("b", needs=(1,)),)))
    return plan


def shown(*checks: Check, stage: Stage = "done", ok: bool = True, protected: str = "") -> Proof:
    return Proof(1, stage, BEGINNING, tuple(Evidence(one, ok) for one in checks), protected)


def proving(plan: TimedPlan) -> TaskProofs:
    return plan.state.ledger.proofs[1]


def how(plan: TimedPlan) -> How:
    return plan.state.tasks[1].how


@pytest.mark.parametrize("said", ["reported", "assumed"])
def test_x2_a_task_with_checks_needs_their_proof(said: How) -> None:
    plan = guarded(MAKE, LOOK)
    refusal = plan.refused("PROOF_NEEDED", c.Complete(1, "ann", how=said))
    assert refusal == {"text": "proof_needed", "task_id": 1, "checks": ["make test", "looks right"]}


def test_x2_a_task_that_protects_something_needs_proof_too() -> None:
    plan = guarded(protect=("tests/**",))
    assert plan.refused("PROOF_NEEDED", c.Complete(1, "ann"))["checks"] == []
    plan.do(c.Complete(1, "ann", proof=shown(protected="p")))
    assert how(plan) == "proved"


def test_m6_with_a_good_proof_it_is_proved_whatever_was_said() -> None:
    plan = guarded(MAKE)
    proof = shown(MAKE)
    made = plan.do(c.Complete(1, "ann", "all green", how="assumed", proof=proof)).changes
    started = (PlanBegun(), TaskStarted(1, "ann"))
    assert made == (*started, ProofNoted(proof), TaskCompleted(1, "all green", "proved"))
    assert proving(plan) == TaskProofs(latest=proof)


@pytest.mark.parametrize("said", ["proved", "unproved", ""])
def test_m6_an_actor_cannot_claim_proved_or_unproved(said: How) -> None:
    refusal = guarded(MAKE).refused("INVALID_ARGUMENT", c.Complete(2, "ann", how=said))
    assert refusal["choices"] == ["reported", "assumed"]


@pytest.mark.parametrize(("said", "expected"), [("assumed", "assumed"), ("proved", "reported")])
def test_m6_a_proof_does_not_prove_what_has_no_checks(said: How, expected: How) -> None:
    plan = TimedPlan(1)
    made = plan.do(c.Complete(1, "ann", how=said, proof=shown(MAKE))).changes
    assert made[-1] == TaskCompleted(1, None, expected)
    assert plan.state.ledger.proofs == {}


@pytest.mark.parametrize(
    "proof",
    [
        replace(shown(MAKE, LOOK), task=2),
        shown(MAKE, LOOK, stage="later"),
        shown(MAKE),
        shown(LOOK, MAKE),
        shown(MAKE, LOOK, LOOK),
        shown(MAKE, Check("person", "looks fine")),
        shown(),
    ],
    ids=repr,
)
def test_x2_a_proof_of_something_else_is_none(proof: Proof) -> None:
    refusal = guarded(MAKE, LOOK).refused("PROOF_NEEDED", c.Complete(1, "ann", proof=proof))
    assert refusal["text"] == "proof_of_other_checks"


def test_f38_a_check_that_shows_nothing_is_no_proof_and_no_failure() -> None:
    killed = Evidence(MAKE, ok=None, says="signal 9")
    proof = Proof(1, "done", BEGINNING, (killed, Evidence(LOOK, ok=True)))
    refusal = guarded(MAKE, LOOK).refused("CHECK_UNKNOWN", c.Complete(1, "ann", proof=proof))
    assert refusal["shows"] == ["make test: signal 9"]
    red = replace(proof, evidence=(killed, Evidence(LOOK, ok=False)))
    text = guarded(MAKE, LOOK).refused("CHECK_UNKNOWN", c.Complete(1, "ann", proof=red))["text"]
    assert text == "check_unknown", "what only a person can tell is asked later"
    other = Check("command", "make lint")
    failed = replace(proof, evidence=(killed, Evidence(other, ok=False, says="exit 1")))
    guarded(MAKE, other).refused("CHECK_FAILED", c.Complete(1, "ann", proof=failed))


def test_x2_a_check_that_fails_is_shown() -> None:
    red = Evidence(MAKE, ok=False, says="exit code 2", tail="1 failed", code=2)
    quiet = Evidence(LOOK, ok=False)
    proof = Proof(1, "done", BEGINNING, (red, quiet))
    refusal = guarded(MAKE, LOOK).refused("CHECK_FAILED", c.Complete(1, "ann", proof=proof))
    assert refusal["failed"] == [
        {"kind": "command", "rule": "make test", "says": "exit code 2", "tail": "1 failed"},
        {"kind": "person", "rule": "looks right", "says": "", "tail": ""},
    ]
    assert refusal["shows"] == ["make test: exit code 2", "looks right"]


@pytest.mark.parametrize("stage", ["set", "before"])
def test_x2_touching_what_is_protected_is_tampering(stage: Stage) -> None:
    plan = guarded(MAKE, protect=("tests/**",))
    plan.do(c.NoteProof(shown(MAKE, stage=stage, ok=False, protected="as it was")))
    changed = c.Complete(1, "ann", proof=shown(MAKE, protected="changed"))
    refusal = plan.refused("TAMPERED", changed)
    assert refusal == {"text": "tampered", "task_id": 1, "what": "protect"}
    plan.do(c.Complete(1, "ann", proof=shown(MAKE, protected="as it was")))
    assert how(plan) == "proved"


def test_x2_other_checks_than_before_the_attempt_are_tampering() -> None:
    plan = guarded(MAKE)
    plan.do(c.NoteProof(shown(MAKE, stage="before", ok=False)))
    plan.do(c.EditTask(1, checks=(LOOK,)))
    refusal = plan.refused("TAMPERED", c.Complete(1, "ann", proof=shown(LOOK)))
    assert refusal["what"] == "checks"
    plan.do(c.NoteProof(shown(LOOK, stage="set", ok=False)))
    plan.do(c.Complete(1, "ann", proof=shown(LOOK)))
    assert how(plan) == "proved"


def test_x2_the_checks_seen_when_they_were_set_need_not_be_those_of_now() -> None:
    plan = guarded(MAKE)
    plan.do(c.NoteProof(shown(stage="set")))
    plan.do(c.Complete(1, "ann", proof=shown(MAKE)))
    assert how(plan) == "proved"


@pytest.mark.parametrize("proof", [None, shown(MAKE, ok=False), shown(MAKE)])
def test_x2_a_person_may_take_a_task_for_done_which_is_recorded_as_unproved(
    proof: Proof | None,
) -> None:
    plan = guarded(MAKE)
    plan.do(c.Complete(1, PERSON, "trust me", force=True, proof=proof))
    assert how(plan) == "unproved"
    assert plan.state.ledger.proofs == ({1: TaskProofs(latest=proof)} if proof else {})


def test_x2_what_has_no_checks_needs_no_force() -> None:
    plan = TimedPlan(1)
    plan.do(c.Complete(1, PERSON, how="assumed", force=True))
    assert how(plan) == "reported"


@pytest.mark.parametrize("claim", ["force", "amend"])
def test_x2_only_a_person_may_go_beyond_the_rules(claim: str) -> None:
    said = replace(c.Complete(1, "ann"), **{claim: True})
    refusal = guarded(MAKE).refused("INVALID_ARGUMENT", said)
    assert refusal == {"text": "only_a_person", "argument": claim, "person": PERSON}
    guarded(MAKE).refused("INVALID_ARGUMENT", replace(said, actor=PERSON, **{claim: "yes"}))


def test_x2_a_person_may_complete_out_of_turn_but_not_without_proof() -> None:
    plan = guarded(MAKE)
    plan.do(c.EditPlan(order="sequential"))
    plan.refused("INVALID_STATUS", c.Complete(2, PERSON))
    plan.do(c.Complete(2, PERSON, amend=True))
    assert plan.status(2) == "completed"
    plan.refused("PROOF_NEEDED", c.Complete(1, PERSON, amend=True))
    plan.refused("INVALID_STATUS", c.Complete(2, PERSON, amend=True))
    plan.do(c.Fail(1, "ann", "no", retry=False))
    plan.refused("INVALID_STATUS", c.Complete(1, PERSON, amend=True))
    plan.do(c.Reopen(1), c.Pause())
    plan.refused("PLAN_NOT_ACTIVE", c.Complete(1, "ann"))
    plan.refused("PROOF_NEEDED", c.Complete(1, PERSON, amend=True))


def test_x2_what_was_seen_before_and_what_was_seen_last_are_kept_apart() -> None:
    plan = guarded(MAKE)
    given, begun, later, done = (shown(MAKE, stage=stage) for stage in STAGES_IN_TIME)
    for proof, expected in (
        (given, TaskProofs(given)),
        (begun, TaskProofs(begun)),
        (later, TaskProofs(begun, later)),
        (done, TaskProofs(begun, done)),
    ):
        plan.do(c.NoteProof(proof))
        assert proving(plan) == expected
    plan.refused("TASK_NOT_FOUND", c.NoteProof(replace(shown(), task=9)))


def test_x2_a_proof_says_only_so_much() -> None:
    plan = guarded(MAKE)
    long = Evidence(MAKE, ok=False, says="s" * 500, tail="t" * 2000)
    plan.do(c.NoteProof(Proof(1, "later", BEGINNING, (long,))))
    for evidence in (replace(long, says="s" * 501), replace(long, tail="t" * 2001)):
        plan.refused("INVALID_ARGUMENT", c.NoteProof(Proof(1, "later", BEGINNING, (evidence,))))
    proof = Proof(1, "later", BEGINNING, (long,), content="c" * 201)
    plan.refused("INVALID_ARGUMENT", c.NoteProof(proof))


def test_x2_a_run_of_a_check_takes_no_less_than_no_time() -> None:
    plan = guarded(MAKE)
    run = Evidence(MAKE, ok=False, took_ms=0)
    plan.do(c.NoteProof(Proof(1, "later", BEGINNING, (run,))))
    for wrong in (-1, 0.5):
        evidence = replace(run, took_ms=wrong)
        plan.refused("INVALID_ARGUMENT", c.NoteProof(Proof(1, "later", BEGINNING, (evidence,))))


def test_x2_a_person_gives_their_word_on_a_check_once() -> None:
    plan = guarded(MAKE, LOOK)
    at = plan.now
    plan.do(c.Confirm("1", LOOK, PERSON))
    plan.wait(5)
    assert plan.do(c.Confirm(1, LOOK, PERSON)).changes == ()
    assert proving(plan).confirmed == (Confirmation(LOOK, PERSON, at),)


def test_x2_a_word_is_given_by_a_person_on_an_open_check_that_asks_for_it() -> None:
    plan = guarded(MAKE, LOOK)
    assert plan.refused("INVALID_ARGUMENT", c.Confirm(1, LOOK, "ann"))["text"] == "only_a_person"
    for check in (MAKE, Check("person", "another")):
        refusal = plan.refused("INVALID_ARGUMENT", c.Confirm(1, check, PERSON))
        assert refusal["text"] == "not_a_person_check"
    plan.refused("TASK_NOT_FOUND", c.Confirm(9, LOOK, PERSON))
    plan.do(c.Skip(1))
    plan.refused("INVALID_STATUS", c.Confirm(1, LOOK, PERSON))


@pytest.mark.parametrize(
    "commands",
    [
        (c.Start("ann", 1), c.Fail(1, "ann", "no")),
        (c.Start("ann", 1), c.Return(1)),
        (c.Skip(1), c.Reopen(1)),
        (c.Start("ann", 1), c.Reset()),
    ],
    ids=repr,
)
def test_x2_starting_again_needs_new_confirmations(commands: tuple[c.Command, ...]) -> None:
    plan = guarded(MAKE, LOOK)
    plan.do(c.Confirm(1, LOOK, PERSON), c.NoteProof(shown(MAKE, LOOK, stage="set")))
    plan.do(*commands[:1])
    assert len(proving(plan).confirmed) == 1
    plan.do(*commands[1:])
    assert proving(plan).confirmed == ()
    assert proving(plan).baseline is not None


def test_x2_an_undone_completion_leaves_the_proof_as_a_fact() -> None:
    plan = guarded(MAKE)
    commit = plan.do(c.Complete(1, "ann", proof=shown(MAKE)))
    plan.undo(commit)
    assert (plan.status(1), how(plan)) == ("pending", "")
    assert proving(plan).latest == shown(MAKE)


def test_x2_a_refused_commit_takes_back_what_it_noted() -> None:
    plan = guarded(MAKE, LOOK)
    plan.refused("TASK_NOT_FOUND", c.Confirm(1, LOOK, PERSON), c.Start("ann", 9))
    assert plan.state.ledger.proofs == {}


def test_m7_a_plan_from_elsewhere_proves_nothing() -> None:
    for said, expected in (("proved", "reported"), ("unproved", "unproved"), ("assumed",) * 2):
        plan = TimedPlan(1)
        plan.do(c.Complete(1, "ann"))
        task = replace(plan.state.tasks[1], how=said)
        plan.state.clear(plan.now + timedelta(seconds=1))
        plan.do(c.CreatePlan("plan_b", "Goal", tasks=(task,)))
        assert how(plan) == expected


def test_x2_nothing_is_kept_of_a_word_on_a_task_that_is_given_back() -> None:
    plan = TimedPlan()
    plan.do(c.EditTask(1, checks=(LOOK,)))
    plan.do(c.Start("ann", 1), c.Confirm(1, LOOK, PERSON))
    assert plan.state.ledger.proofs[1].confirmed
    plan.do(c.Return(1))
    assert plan.state.ledger.proofs == {}
