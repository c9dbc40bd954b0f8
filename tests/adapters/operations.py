"""Plans on disk for the fault tests, and every kind of change that can be made to them."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from outlast.adapters.stores.files.store import FilesStore
from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain import note_commands as n
from outlast.domain.budget import Budget, Spend
from outlast.domain.changes import Commit, PhaseRemoved
from outlast.domain.enact import receipt
from outlast.domain.model import PERSON, Check, Evidence, Proof, Prose
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.adapters.faults import QuickDisk
from tests.domain.recompute import whole

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
    "note proof": (n.NoteProof(Proof(5, "later", NOW, (Evidence(LOOK, ok=False),))),),
    "confirm": (n.Confirm(5, LOOK, PERSON),),
    "mark phase": (n.MarkPhase("later", "blocked"),),
    "note finding": (n.NoteFinding("code", "title", "五 \u2028 \n" * 9),),
    "edit finding": (n.EditFinding(1, title="another"),),
    "forget finding": (n.ForgetFinding(1),),
    "note error": (n.NoteError("sh", "exit 1", "{}", "stack"),),
    "forget errors": (n.ForgetErrors(),),
    "deliver": (n.Deliver("# What came out"),),
    "keep prose": (n.KeepProse((Prose("top", ("by hand", "")),)),),
    "set budget": (loop.SetBudget(Budget(tokens=900, money=0.5), 2),),
    "charge": (loop.Charge(Spend(1, 40, 0.01), 2, Spend(tokens=4)),),
    "ask": (loop.AskQuestion("五 \u2028?", task=2),),
    "answer": (loop.AnswerQuestion("yes", "ann", 1),),
    "interject": (loop.Interject("use another colour", "ann"),),
    "take interjections": (loop.TakeInterjections(1),),
    "note loop": (loop.NoteLoop(managed=True, stops=2),),
    "strike": (loop.Strike("bash", "digest"),),
    "clear strikes": (loop.ClearStrikes("bash"),),
    "several": (c.Reopen(1), c.AddTasks((c.NewTask("extra"),)), c.MoveTask(6, first=True)),
}
FIRST: dict[str, c.Command] = {
    "resume": c.Pause(),
    "initialize": c.Abort(),
    "renew": c.Claim("ann", 5, 60),
    "release": c.Claim("ann", 5, 60),
    "fence": c.Claim("ann", 5, 60),
    "end attempt": c.BeginAttempt(2, "tool", "look"),
    "confirm": c.EditTask(5, checks=(LOOK,)),
    "edit finding": n.NoteFinding("code", "title", "content"),
    "forget finding": n.NoteFinding("code", "title", "content"),
    "forget errors": n.NoteError("sh", "exit 1"),
    "answer": loop.AskQuestion("which?"),
    "take interjections": loop.Interject("use another colour", "ann"),
    "clear strikes": loop.Strike("bash", "digest"),
}


def make_store(directory: Path | str, disk: Disk | None = None) -> FilesStore:
    """Make a plan with something of everything in it."""
    store = FilesStore.create(str(directory), disk or QuickDisk(), CREATE, author="ann", now=NOW)
    for number, commands in enumerate(STEPS):
        change(store, commands, key=f"step {number}")
    return store


def change(
    store: FilesStore, commands: tuple[c.Command, ...], *, key: str = "", now: Any = LATER
) -> Commit:
    """Commit commands and return the commit."""
    return store.commit(commands, receipt, author="ann", now=now, reason="why", key=key)


def open_store(directory: Path | str, disk: Disk | None = None) -> FilesStore:
    """Open a plan as the next process would."""
    return FilesStore(str(directory), disk or QuickDisk(), LATEST)


def state(store: FilesStore) -> dict[str, Any]:
    """Return all that the plan is."""
    return store.read(whole)


def on_disk(directory: Path | str, disk: Disk | None = None) -> dict[str, Any]:
    """Return what another process finds in a directory."""
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
    """Return a directory that holds exactly these files."""
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
    """Return directories to start from, for an operation; in all of them the plan is the same."""
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
