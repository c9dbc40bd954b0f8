"""Plans on disk for the fault tests, and every kind of change to them."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from outlast.model.changes import Commit, PhaseRemoved
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, Check, Evidence, LastRun, Proof, Prose
from outlast.model.replan_position import Observation, ReplanPosition
from outlast.store.files.log import open_files
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.model.indexes import encode_all
from tests.store.faults import QuickDisk
from tests.store.opening import new_files

NOW = FixedClock()()
LATER = NOW + timedelta(seconds=5)
LATEST = NOW + timedelta(seconds=9)
CREATE = c.CreatePlan("plan_test", "Test things", "some-key")
SNAPSHOT = "snapshot.json"
JOURNAL = "journal.jsonl"
STEPS: tuple[tuple[c.Command, ...], ...] = (
    (c.AddPhase("Later"),),
    (c.AddTasks((c.NewTask("one"), c.NewTask("two", peers=(1,)), c.NewTask("three"))),),
    (c.AddTasks((c.NewTask("four", needs=(3,)), c.NewTask("five", reasoning="五 \u2028 \n" * 9))),),
    (c.Start("ann"), c.Complete(1, "ann", "done")),
    (c.Start("bob", 2),),
    (c.Fail(3, "ann", "broken", retry=False),),
)
LOOK = Check("person", "look")
MANY = c.AddTasks(tuple(c.NewTask(f"task {n}", peers=(n,) if n else ()) for n in range(50)))
OPERATIONS: dict[str, tuple[c.Command, ...]] = {
    "add": (c.AddTasks((c.NewTask("new", checks=(Check("file", "*.py"),)),)),),
    "add many": (MANY,),
    "complete": (c.Complete(2, "bob", "well done"),),
    "start": (c.Start("ann", 5),),
    "fail": (c.Fail(2, "bob", "no luck"),),
    "skip": (c.Skip(5, "not needed"),),
    "reopen": (c.Reopen(3),),
    "progress": (c.SetProgress(2, 1, 3),),
    "move": (c.MoveTask(5, first=True),),
    "move phase": (c.MovePhase("later"),),
    "edit": (c.EditTask(5, name="another name", needs=(1, 2)),),
    "edit plan": (c.EditPlan(goal="Something else"),),
    "remove": (c.RemoveTask(5),),
    "reset": (c.Reset(),),
    "pause": (c.Pause(),),
    "abort": (c.Abort(),),
    "resume": (c.Resume(),),
    "initialize": (c.InitializePlan("plan_next", "What is next", (c.NewTask("a"),)),),
    "add phase": (c.AddPhase("At last", insert_after="main"),),
    "edit phase": (c.EditPhase("later", title="Much later", notes="五"),),
    "remove phase": (c.RemovePhase("later"),),
    "return": (c.Return(2, "no time"),),
    "claim": (c.Claim("ann", 5, 60),),
    "renew": (c.Renew(5, 1, 90),),
    "release": (c.Release(5, 1),),
    "claim plan": (c.ClaimPlan("ann", 60),),
    "fence": (c.Fence(1, 5), c.Skip(2)),
    "begin attempt": (c.BeginAttempt(2, "command", "make", "digest"),),
    "end attempt": (c.EndAttempt("2#1", "lost", "person", "nobody knows"),),
    "count iteration": (c.CountIteration(),),
    "undo": (c.Undo(2, 7, (PhaseRemoved("later"),)),),
    "note proof": (c.NoteProof(Proof(5, "later", NOW, (Evidence(LOOK, ok=False),))),),
    "confirm": (c.Confirm(5, LOOK, PERSON),),
    "mark phase": (c.MarkPhase("later", "blocked"),),
    "note finding": (c.NoteFinding("code", "title", "五 \u2028 \n" * 9),),
    "edit finding": (c.EditFinding(1, title="another"),),
    "forget finding": (c.ForgetFinding(1),),
    "note error": (c.NoteError("sh", "exit 1", "{}", "stack"),),
    "forget errors": (c.ForgetErrors(),),
    "deliver": (c.Deliver("# What came out"),),
    "keep prose": (c.KeepProse((Prose("top", ("by hand", "")),)),),
    "set budget": (c.SetBudget(Budget(tokens=900, money=0.5), 2),),
    "charge": (c.Charge(Spend(1, 40, 0.01), 2, Spend(tokens=4)),),
    "ask": (c.AskQuestion("五 \u2028?", task=2),),
    "answer": (c.AnswerQuestion("yes", "ann", 1),),
    "interject": (c.Interject("use another colour", "ann"),),
    "take interjections": (c.TakeInterjections(1),),
    "remember run": (c.RememberRun(LastRun("ollama:五", "ann", "zh", 20)),),
    "require approval": (c.RequireApproval(),),
    "approve": (c.ApprovePlan(PERSON),),
    "replan": (c.Replan((c.NewTask("five"), c.NewTask("six", needs=(2,)))),),
    "note session": (c.NoteSession("2#1", "codex", "s-1"),),
    "note report": (c.NoteReport("2#1", "codex", "FAILED", "s-1", "五 \u2028 \n" * 9, "p", "n"),),
    "note footprint": (c.NoteFootprint("2#1", "9f3c1a", "204d93", ("a b", "五"), 3),),
    "note decision": (c.NoteDecision("2#1", "retry", "no luck", "agent", "try again"),),
    "end session": (c.EndSession("s-1"),),
    "move replan": (
        c.MoveReplan(ReplanPosition(steps=2), Observation("sh", "五", ok=True, result="\u2028")),
    ),
    "note refusal": (c.NoteRefusal("bash: make", "permission", "not today", 2),),
    "note loop": (c.NoteLoop(managed=True, stops=2),),
    "strike": (c.Strike("bash", "digest"),),
    "clear strikes": (c.ClearStrikes("bash"),),
    "several": (c.Reopen(1), c.AddTasks((c.NewTask("extra"),)), c.MoveTask(6, first=True)),
}
HUGE = "add ten thousand"
HUGE_COUNT = 10_000
CHANGES = OPERATIONS | {  # with one that takes too long to be killed everywhere
    HUGE: (
        c.AddTasks(tuple(c.NewTask(f"{n}", peers=(n,) if n else ()) for n in range(HUGE_COUNT))),
    )
}
FIRST: dict[str, c.Command] = {
    "resume": c.Pause(),
    "initialize": c.Abort(),
    "renew": c.Claim("ann", 5, 60),
    "release": c.Claim("ann", 5, 60),
    "fence": c.Claim("ann", 5, 60),
    "end attempt": c.BeginAttempt(2, "tool", "look"),
    "confirm": c.EditTask(5, checks=(LOOK,)),
    "approve": c.RequireApproval(),
    "edit finding": c.NoteFinding("code", "title", "content"),
    "forget finding": c.NoteFinding("code", "title", "content"),
    "forget errors": c.NoteError("sh", "exit 1"),
    "answer": c.AskQuestion("which?"),
    "take interjections": c.Interject("use another colour", "ann"),
    "clear strikes": c.Strike("bash", "digest"),
    "end session": c.NoteSession("2#1", "codex", "s-1"),
}


def make_store(directory: Path | str, disk: Disk | None = None) -> Store:
    """Create a plan with something of everything in it."""
    store = new_files(str(directory), disk or QuickDisk(), CREATE, author="ann", now=NOW)
    for number, commands in enumerate(STEPS):
        change(store, commands, key=f"step {number}")
    return store


def change(
    store: Store, commands: tuple[c.Command, ...], *, key: str = "", now: Any = LATER
) -> Commit:
    """Commit commands and return the commit."""
    return store.commit(Request(commands, "ann", now, reason="why", key=key), return_commit)


def open_store(directory: Path | str, disk: Disk | None = None) -> Store:
    """Open a plan as the next process would."""
    return open_files(str(directory), disk or QuickDisk(), LATEST)


def state(store: Store) -> dict[str, Any]:
    """Return the whole plan."""
    return store.read(encode_all)


def on_disk(directory: Path | str, disk: Disk | None = None) -> dict[str, Any]:
    """Return the plan that another process finds in a directory."""
    store = open_store(directory, disk)
    try:
        return state(store)
    finally:
        store.close()


def fresh_directory(path: Path) -> Path:
    """Return an empty directory."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def put_files(path: Path, files: dict[str, bytes]) -> Path:
    """Return a directory with exactly these files."""
    fresh_directory(path)
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


def get_files(path: Path) -> dict[str, bytes]:
    """Return the files of a directory."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def templates(
    path: Path, eager: Callable[[], None], operation: str = ""
) -> dict[str, dict[str, bytes]]:
    """Return directories to start an operation from; the plan is the same in all of them."""
    store = make_store(fresh_directory(path))
    if operation in FIRST:
        change(store, (FIRST[operation],))
    store.close()
    plain = get_files(path)
    assert list(plain) == [JOURNAL]
    eager()
    open_store(path).close()
    with_snapshot = get_files(path)
    assert list(with_snapshot) == [JOURNAL, SNAPSHOT]
    torn = plain | {
        JOURNAL: plain[JOURNAL] + b'{"revision":9,"at":"2026',
        SNAPSHOT: with_snapshot[SNAPSHOT][:-40],
        f"{SNAPSHOT}.1.2.new": b"{",
    }
    return {"plain": plain, "snapshot": with_snapshot, "torn": torn}
