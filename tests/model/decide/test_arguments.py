"""M9: a command with a value of the wrong type is refused, or its result can be stored."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import fields, replace

from outlast.errors import OutlastError
from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from outlast.model.changes import fold
from outlast.model.decide import DECISIONS
from outlast.model.model import PERSON, Check, Evidence, LastRun, Proof, Prose
from outlast.model.replan_position import Observation, PlannedAction, ReplanPosition
from outlast.model.state import PlanState
from outlast.store import journal
from tests.model.indexes import encode_all
from tests.model.strategies import BEGINNING
from tests.model.timed_plan import TimedPlan

NEW = c.NewTask("new")
LOOK = Check("person", "look")
EVIDENCE = Evidence(LOOK, ok=True)
PROOF = Proof(1, "done", BEGINNING, (EVIDENCE,))
RUN = LastRun("ollama:x", "ann", "en", 20)
ACTION = PlannedAction("sh", "ls", 1)
OBSERVATION = Observation("sh", "ls", ok=True, result="a")
POSITION = ReplanPosition((1,), is_planned=True, steps=3, action=ACTION)
WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    123,
    2**60,
    2**70,
    1.5,
    float("nan"),
    "",
    "1",
    "a\nb",
    "x\ud800",
    b"bytes",
    object(),
    [],
    {},
    (1,),
    ((),),
    (None,),
    (NEW,),
    *((replace(NEW, **{field: 5}),) for field in c.NewTask.__struct_fields__),
    (replace(NEW, checks=(5,)),),
    (replace(NEW, checks=(Check(5, "x"),)),),  # type: ignore[arg-type]
    (replace(NEW, peers="x"),),
    *(replace(PROOF, **{field: 5}) for field in Proof.__struct_fields__),
    *(
        replace(PROOF, evidence=(replace(EVIDENCE, **{field: -(2**60)}),))
        for field in Evidence.__struct_fields__
    ),
    replace(PROOF, evidence=(5,)),
    replace(PROOF, evidence=(replace(EVIDENCE, says="x" * 501),)),
    replace(PROOF, evidence=(replace(EVIDENCE, tail="x" * 2001),)),
    replace(PROOF, evidence=(replace(EVIDENCE, check=Check("file", "\n")),)),
    (Prose("top", ["line"]),),  # type: ignore[arg-type]
    (Prose("top", ("two\nlines",)),),
    (Prose("top", (5,)),),  # type: ignore[arg-type]
    (Prose(5, ()),),  # type: ignore[arg-type]
    (Prose("x" * 201, ()),),
    *(
        replace(RUN, **{field: value})
        for field in RUN.__struct_fields__
        for value in (None, 5, 0, -1, 2**60, True, "", " ", "two\nlines", "x" * 1001, "\ud800")
    ),
    *(
        replace(whole, **{field: value})
        for whole in (POSITION, ACTION, OBSERVATION)
        for field in whole.__struct_fields__
        for value in (None, 5, -1, 2**60, 2**70, True, "", (5,), "x" * 70_000, "\ud800", object())
    ),
    *(
        replace(POSITION, action=replace(ACTION, **{field: value}))
        for field in ACTION.__struct_fields__
        for value in (None, 5, 2**60, "", "\ud800")
    ),
    *(
        replace(amount, **{field: value})
        for amount in (Spend(), Budget())
        for field in amount.__struct_fields__
        for value in (-1, 1.5, float("inf"), 2**60, 10**400, True, "1")
    ),
)
RIGHT: dict[str, Any] = {
    "task": 1,
    "actor": "ann",
    "attempt": "1#1",
    "outcome": "done",
    "kind": "act",
    "what": "x",
    "by": "hook",
    "seconds": 5,
    "goal": "Goal",
    "id": "plan_b",
    "tasks": (NEW,),
    "title": "Title",
    "phase": "main",
    "current": 1,
    "total": 5,
    "error": "no luck",
    "token": 1,
    "of": 2,
    "at": 3,
    "changes": (),
    "proof": PROOF,
    "check": LOOK,
    "status": "blocked",
    "category": "code",
    "content": "content",
    "finding": 1,
    "tool": "sh",
    "message": "no",
    "text": "text",
    "prose": (Prose("top", ("line",)),),
    "budget": Budget(tokens=5),
    "spend": Spend(tokens=5),
    "last": 1,
    "params": "0a1b",
    "run": RUN,
    "agent": "claude-code",
    "decision": "retry",
    "reason": "no luck",
    "session": "s-1",
    "position": POSITION,
}
RIGHT_FOR: dict[type, dict[str, Any]] = {
    c.Confirm: {"actor": PERSON},
    c.ApprovePlan: {"actor": PERSON},
    c.NoteReport: {"status": "FAILED"},
    c.NoteDecision: {"by": "ann"},
}
# The rest of a new plan is made by the readers of documents, which check it.
GIVEN = ("id", "goal", "key", "title", "order", "needs_approval")
FIRST: dict[type, tuple[c.Command, ...]] = {
    c.InitializePlan: (c.Abort(),),
    c.Resume: (c.Pause(),),
    c.Reopen: (c.Skip(1),),
    c.SetProgress: (c.Start("ann", 1),),
    c.Return: (c.Start("ann", 1),),
    c.BeginAttempt: (c.Start("ann", 1),),
    c.EndAttempt: (c.Start("ann", 1), c.BeginAttempt(1, "act", "x")),
    c.Renew: (c.Claim("ann", 1, 5),),
    c.Release: (c.Claim("ann", 1, 5),),
    c.Fence: (c.ClaimPlan("ann", 5),),
    c.Confirm: (c.EditTask(1, checks=(LOOK,)),),
    c.EditFinding: (c.NoteFinding("code", "title", "content"),),
    c.ForgetFinding: (c.NoteFinding("code", "title", "content"),),
    c.ForgetErrors: (c.NoteError("sh", "no"),),
    c.AnswerQuestion: (c.AskQuestion("which?"),),
    c.TakeInterjections: (c.Interject("stop", "ann"),),
    c.ClearStrikes: (c.Strike("sh", "0a1b"),),
    c.EndSession: (c.NoteReport("1#1", "codex", "SUCCESS", "s-1"),),
}


@pytest.mark.parametrize(
    "command",
    [
        c.Start(123),  # type: ignore[arg-type]
        c.Start([], 1),  # type: ignore[arg-type]
        c.Complete(1, actor=[]),  # type: ignore[arg-type]
        c.Complete(1, "ann", how=5),  # type: ignore[arg-type]
        c.Fail(1, None, "no luck"),  # type: ignore[arg-type]
        c.EditTask(1, checks=[]),  # type: ignore[arg-type]
        c.EditTask(1, checks="file"),  # type: ignore[arg-type]
        c.EditTask(1, checks=(5,)),  # type: ignore[arg-type]
        c.EditTask(1, needs=[2]),  # type: ignore[arg-type]
        c.EditTask(1, needs="2"),  # type: ignore[arg-type]
        c.EditTask(1, needs={2: 2}),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_m9_a_value_of_the_wrong_type_is_refused_and_changes_nothing(command: c.Command) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", command)


def ready_for(kind: type[c.Command]) -> TimedPlan:
    """Return a plan on which a command of this kind makes sense."""
    plan = TimedPlan()
    if kind in FIRST:
        plan.do(*FIRST[kind])
    if kind is c.CreatePlan:
        plan.state, plan.commits = PlanState(plan.now), []
    return plan


def right_values(kind: type[c.Command]) -> dict[str, Any]:
    right = RIGHT | RIGHT_FOR.get(kind, {})
    return {field.name: right[field.name] for field in fields(kind) if field.required}


def with_wrong_values(kind: type[c.Command]) -> Iterator[c.Command]:
    """Yield commands of a kind, each with one value that is not, or hardly, what it should be."""
    for field in fields(kind):
        if kind is not c.CreatePlan or field.name in GIVEN:
            for value in WRONG:
                yield kind(**(right_values(kind) | {field.name: value}))


@pytest.mark.parametrize("kind", DECISIONS, ids=lambda kind: kind.__name__)
def test_m9_what_is_accepted_can_be_kept_and_the_rest_is_refused(kind: type[c.Command]) -> None:
    plan = ready_for(kind)
    before, commits = encode_all(plan.state), len(plan.commits)
    for command in with_wrong_values(kind):
        try:
            try:
                plan.do(command)
            except OutlastError:
                assert (encode_all(plan.state), len(plan.commits)) == (before, commits)
            else:
                assert_kept(plan)
                plan = ready_for(kind)
        except BaseException as error:
            error.add_note(repr(command))
            raise


def assert_kept(plan: TimedPlan) -> None:
    """The journal of the commits leads to the same plan."""
    kept = PlanState(plan.state.created_at)
    for commit in plan.commits:
        again = journal.read_commit(journal.write_commit(commit).rstrip(b"\n"))
        assert again == commit
        if again.changes:
            fold(kept, again.changes, again.revision, again.at)
    assert encode_all(kept) == encode_all(plan.state)


def test_m9_every_command_can_be_right() -> None:
    for kind in DECISIONS.keys() - {c.Undo, c.RemovePhase}:  # needs a past, or a spare phase
        ready_for(kind).do(kind(**right_values(kind)))
