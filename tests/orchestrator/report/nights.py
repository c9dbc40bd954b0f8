"""A bad night: a plan on which agents worked, with everything that can go wrong."""

from datetime import UTC, datetime

from outlast import NewTask, Plan
from outlast.model.budget import Spend
from outlast.model.changes import AttemptBegan, Commit, TaskLeased
from outlast.model.commands import (
    AskQuestion,
    BeginAttempt,
    ClaimPlan,
    Command,
    Complete,
    Deliver,
    EndAttempt,
    Fail,
    NoteDecision,
    NoteFootprint,
    NoteProof,
    NoteReport,
    Skip,
    Start,
)
from outlast.model.execute import return_commit
from outlast.model.history.work_record import WorkRecord, collect_work
from outlast.model.model import (
    BaselineResult,
    Check,
    Evidence,
    Label,
    Outcome,
    Proof,
    ReportStatus,
    SettledBy,
    Stage,
)
from outlast.model.state import PlanState
from outlast.testing import FixedClock
from tests.making import make_plan

BEGIN = datetime(2026, 3, 1, 22, 0, tzinfo=UTC)
CHECK = Check("command", "pytest -q")
HOSTILE = "<script>alert(1)</script> ![x](http://evil/x.png) @team #12 `` ``` \x1b[31m\u202e"
LABELS: dict[int, Label] = {1: "proved", 2: "reported"}


class Night:
    """A plan that is worked on, step by step, at times of its own."""

    def __init__(self, *names: str, checks: tuple[Check, ...] = (CHECK,)) -> None:
        self.clock = FixedClock(BEGIN)
        self.token: int | None = None
        self.plan: Plan = make_plan(clock=self.clock, goal="Ship it\nby dawn")
        self.plan.add_all(NewTask(name, checks=checks) for name in names)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def do(self, *commands: Command) -> Commit:
        return self.plan.core.commit(commands, return_commit)

    def begin(self, task: int | None, kind: str = "delegate", what: str = "codex o-1 s-1") -> str:
        commit = self.do(BeginAttempt(task, kind, what, token=self.token))
        return next(each.id for each in commit.changes if isinstance(each, AttemptBegan))

    def end(
        self, attempt: str, outcome: Outcome = "done", by: SettledBy = "", note: str = ""
    ) -> None:
        cost = Spend(tokens=900, money=0.25)
        self.do(EndAttempt(attempt, outcome, by, note, self.token, cost))

    def work(self, task: int, seconds: float, status: ReportStatus = "SUCCESS") -> str:
        """Let an agent work for some time and report."""
        attempt = self.begin(task)
        self.wait(seconds)
        self.end(attempt)
        self.do(NoteReport(attempt, "codex", status, "s-1", f"did {task}", "a pit", "rest"))
        return attempt

    def proof(self, task: int, stage: Stage, *, ok: bool, tail: str = "") -> Proof:
        says = "exit 0" if ok else "exit 1"
        before: BaselineResult = "red" if stage == "done" else ""
        evidence = Evidence(CHECK, ok, says, tail, code=0 if ok else 1, baseline=before)
        return Proof(task, stage, self.clock(), (evidence,))

    def check(self, task: int, stage: Stage, *, ok: bool, tail: str = "") -> None:
        self.do(NoteProof(self.proof(task, stage, ok=ok, tail=tail)))

    def start_run(self) -> None:
        """Let a run begin that lives for ten minutes."""
        commit = self.do(ClaimPlan("agent", 600))
        self.token = next(each.token for each in commit.changes if isinstance(each, TaskLeased))

    def record(self, labels: dict[int, Label] | None = None) -> WorkRecord:
        commits = self.plan.core.store.commits_since(0)
        chosen = LABELS if labels is None else labels

        def collect(state: PlanState) -> WorkRecord:
            return collect_work(state, commits, chosen, self.clock())

        return self.plan.core.read(collect)


def bad_night() -> Night:
    """Return a night after which one task is proved, and every other is not, each in its way."""
    night = Night("parse", f"write {HOSTILE}", "serve", "deploy", "announce", "rest")
    night.start_run()
    thought = night.begin(None, "think", "2 messages")
    night.wait(4)
    night.end(thought)
    _prove_first(night)
    _fail_third(night)
    night.do(Start("agent", 4))
    night.begin(4)
    night.wait(30)
    night.do(Start("agent", 2))  # the last thing that the run did
    night.wait(8 * 3_600)
    night.start_run()
    night.do(Complete(2, "human", HOSTILE, force=True))
    night.do(Skip(6, "not needed"))
    night.do(AskQuestion(f"Deploy now? {HOSTILE}", task=4), Deliver(f"# Done\n{HOSTILE}"))
    return night


def _prove_first(night: Night) -> None:
    night.do(Start("agent", 1))
    night.check(1, "before", ok=False, tail="E   not there")
    first = night.work(1, 60, "PARTIAL_SUCCESS")
    night.check(1, "later", ok=False, tail="E   half there")
    night.do(NoteDecision(first, "retry", "half of it", "gpt", "do the rest"))
    second = night.work(1, 45)
    proof = night.proof(1, "done", ok=True, tail="2 passed")
    accepted = NoteDecision(second, "next", "all there", "outlast")
    commits = NoteFootprint(second, "1" * 40, "2" * 40, shared=True)
    night.do(accepted, commits, Complete(1, "agent", "did 1", proof=proof))


def _fail_third(night: Night) -> None:
    night.do(Start("agent", 3))
    attempt = night.begin(3)
    night.wait(20)
    night.end(attempt, "failed", note=f"no report {HOSTILE}")
    night.check(3, "later", ok=False, tail=f"E   {HOSTILE}\nlast line")
    stray = NoteFootprint(attempt, "2" * 40, "2" * 40, (HOSTILE, ".env"), 14)
    night.do(NoteDecision(attempt, "abort", HOSTILE, "human"), stray)
    night.do(Fail(3, "agent", f"gave up {HOSTILE}", retry=False))
