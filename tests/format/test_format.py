"""F17: a reader that was written from docs/reference/format.md alone finds what Outlast finds."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

import pytest
from msgspec.structs import replace

from outlast import create_plan
from outlast.errors import DamagedJournal, NewerFormat, OutlastError
from outlast.model.changes import Change
from outlast.model.commands import Command, Complete, Interject, NewTask, NoteProof
from outlast.model.execute import return_commit
from outlast.model.model import BASELINE_RESULTS, PERSON, Check
from outlast.plan.core import PlanCore
from outlast.plan.plan import Plan
from outlast.proof.labels import checks_of, proof_status, task_proofs
from outlast.store.files.log import open_files
from outlast.store.journal import add_checksum, verify_checksum
from outlast.store.port import Request
from tests.format import reader
from tests.model.strategies import BEGINNING, COMMANDS, PLANS
from tests.model.strategies import Request as Wish
from tests.store.faults import QuickDisk
from tests.store.opening import new_files
from tests.store.operations import JOURNAL, SNAPSHOT, fresh_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outlast.model.ledger import TaskProofs
    from outlast.model.model import Proof, Task
    from outlast.model.state import PlanState
    from outlast.store.store import Store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/format.md").read_text(encoding="utf-8")
GOLDEN = [
    *sorted((ROOT / "tests/store/files/golden").glob("*.jsonl")),
    *sorted((ROOT / "tests/golden").glob("*/*/journal.jsonl")),
]
KINDS = {str(kind.__struct_config__.tag) for kind in get_args(Change)}
PLENTY = 1_000
A_FEW = 40
STEPS, MOMENTS = 60, 4
WISHES = [  # what is mostly refused, or leads to refusals, is wished for less often
    *(kind for kind in COMMANDS if kind not in ("pause", "abort", "reset", "initialize")),
    *["start next", "start", "complete", "fail", "assume", "confirm assumed", "reopen", "skip"] * 5,
    *["set rules", "prove", "note proof", "confirm", "force", "claim next", "return"] * 4,
    *["resume"] * 5,
    *("pause", "abort", "reset", "initialize"),
]
UNDOS, ASKS = 0.1, 0.3  # shares of the steps
ENOUGH = 500  # journals to find any fault
NOTE = Interject("hello", PERSON)
Json = dict[str, Any]
JUMPS = (0, 1, 1, 1, 5, 40, 100_000, -3, -90_000)  # of the clock, in seconds


# What Outlast finds


def _defect(task: Task, proof: Proof) -> Any:
    return "" if checks_of(proof) == task.checks else "tampered"


def _is_replaced(task: Task, proofs: TaskProofs) -> bool:
    before = proofs.baseline
    return before is not None and before.stage == "before" and checks_of(before) != task.checks


def found_by_outlast(state: PlanState) -> Json:
    """Return what the reader is to find; the labels are those of an untouched machine."""
    tasks = [
        {
            "id": task.id,
            "name": task.name,
            "phase": task.phase,
            "dependencies": list(task.needs),
            "status": task.status,
            "blocked_by": state.blocked_by(task),
            "result": task.result,
            "error": task.error,
            "retry_count": task.retry_count,
            "how": task.how,
            "actor": task.actor,
            "label": proof_status(task, task_proofs(state, task), _defect, _is_replaced).label,
        }
        for task in state.tasks_in_order()
    ]
    phases = [(phase.id, phase.title) for phase in state.phases.values()]
    plan = {"status": state.status, "goal": state.goal, "title": state.title, "order": state.order}
    return {**plan, "phases": phases, "tasks": tasks}


def found_by_reader(journal: bytes, snapshot: bytes = b"", module: Any = reader) -> Json:
    """Return the same part of what a reader finds."""
    shown = module.read(journal, snapshot).show()
    names = ("id", "name", "phase", "dependencies", "status", "blocked_by", "result", "error")
    more = ("retry_count", "how", "actor", "label")
    tasks = [{name: task[name] for name in (*names, *more)} for task in shown["tasks"]]
    phases = [(phase["id"], phase["title"]) for phase in shown["phases"]]
    plan = {name: shown[name] for name in ("status", "goal", "title", "order")}
    return {**plan, "phases": phases, "tasks": tasks}


def prefixes(journal: bytes) -> Iterator[bytes]:
    """Yield a journal as it was after each commit."""
    ends = [place + 1 for place, byte in enumerate(journal) if byte == ord("\n")]
    return (journal[:end] for end in ends[1:])


def open_copy(journal: bytes, directory: Path) -> Store:
    fresh_directory(directory)
    (directory / JOURNAL).write_bytes(journal)
    return open_files(str(directory), QuickDisk(), BEGINNING)


def assert_same_at_every_commit(journal: bytes, directory: Path) -> None:
    store = open_copy(journal, directory)
    for piece in prefixes(journal):
        plan = reader.read(piece)
        assert found_by_reader(piece) == found_by_outlast(store.state_before(plan.revision + 1))
    store.close()


# The page and the reader


def test_f17_the_reader_is_short_and_knows_nothing_of_outlast() -> None:
    source = Path(reader.__file__).read_text(encoding="utf-8")
    imported = set(re.findall(r"(?m)^\s*(?:import|from) (\w+)", source))
    assert {"json", "zlib"} <= imported <= sys.stdlib_module_names
    assert len(source.splitlines()) <= 300


def test_f17_the_page_names_every_kind_of_change() -> None:
    assert KINDS - set(re.findall(r"`([A-Z]\w+)`", PAGE)) == set()


def test_f17_the_page_and_the_reader_skip_the_same_changes() -> None:
    listed = PAGE.partition("you may skip them:")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == reader.NO_EFFECT


def test_f17_the_example_of_the_page_is_a_journal() -> None:
    journal = PAGE.partition("```json\n")[2].partition("```")[0].encode()
    found = found_by_reader(journal)
    assert [task["name"] for task in found["tasks"]] == ["Cook"]
    assert found["status"] == "idle"


def test_f17_a_program_of_its_own_reads_a_plan(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Dinner for six", "dinner") as plan:
        plan.add_all([NewTask("Cook"), NewTask("Eat", peers=(1,))])
        plan.complete(1, "Soup")
        path = Path(plan.files.paths()[0]).parent / JOURNAL
    command = [sys.executable, "-I", reader.__file__, str(path)]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - our own
    shown = json.loads(done.stdout)
    assert [(t["name"], t["status"], t["result"]) for t in shown["tasks"]] == [
        ("Cook", "completed", "Soup"),
        ("Eat", "pending", None),
    ]


# The same plan


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_f17_both_find_the_same_in_every_golden_journal(path: Path, ram_path: Path) -> None:
    journal = path.read_bytes()
    store = open_copy(journal, ram_path / "plan")
    for piece in prefixes(journal):
        plan = reader.read(piece)
        assert found_by_reader(piece) == found_by_outlast(store.state_before(plan.revision + 1))
    store.close()


def test_f17_both_find_the_same_when_a_plan_was_used_in_every_way(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("nothing yet")
    check = Check("file", "report.md ~ ^Result:")
    with create_plan(tmp_path, "Dinner for six", "dinner", actor="human") as plan:
        view, ann = Path(plan.files.paths()[0]), plan.acting_as("ann")
        journal = view.with_name(JOURNAL)

        def found() -> list[str]:
            live = plan.core.read(found_by_outlast)
            assert found_by_reader(journal.read_bytes()) == live
            assert {task["id"]: task["label"] for task in live["tasks"] if task["label"]} == {
                task: proof.label for task, proof in plan.checks.proofs().items() if proof.label
            }
            return [task["label"] or task["status"] for task in live["tasks"]]

        plan.add_all([NewTask("Shop"), NewTask("Cook", peers=(1,)), NewTask("Eat", peers=(2,))])
        plan.add("Report", checks=(check, Check("person", "it reads well")))
        ann.complete(1, how="assumed")
        ann.start(4)
        with pytest.raises(OutlastError):
            ann.complete(4)
        assert found() == ["assumed", "pending", "pending", "fails now"]
        (tmp_path / "report.md").write_text("Result: good")
        plan.checks.confirm(4)
        ann.complete(4, "written")
        assert found()[3] == "proved"
        plan.reopen(4)
        lease = ann.claim(2, 60)
        ann.fail(2, "burnt", lease=lease)
        plan.undo()
        plan.add_phase("Afterwards")
        plan.add("Wash up", phase="afterwards")
        plan.files.sync()
        assert found()
        plan.files.render()
        view.write_text(view.read_text("utf-8").replace("**3** Eat", "**3** Eat it"))
        plan.files.sync()
        assert plan.task(3).name == "Eat it"
        plan.move(3, phase="afterwards", first=True)
        plan.complete(4, force=True)
        assert "unproved" in found()
        plan.undo()
        plan.pause()
        assert found()
        plan.resume()
        plan.reset()
        plan.undo()
        assert found()
        plan.abort()
        assert found()


class Clock:
    """A clock that jumps."""

    def __init__(self) -> None:
        self.now = BEGINNING

    def __call__(self) -> datetime:
        return self.now


def generate(seed: int, directory: Path) -> list[tuple[bytes, Json]]:
    """Do anything in any order with a plan; return its journal and the plan at some moments."""
    dice, clock = random.Random(seed), Clock()  # noqa: S311 - the same plans every time
    fresh_directory(directory)
    created = PLANS[seed % len(PLANS)]
    store = new_files(str(directory), QuickDisk(), created, author="ann", now=clock.now)
    plan = Plan(PlanCore(store, clock, str, PERSON))
    moments = []
    for step in range(1, STEPS + 1):
        clock.now += timedelta(seconds=dice.choice(JUMPS), microseconds=dice.choice((0, 7)))
        with suppress(OutlastError):
            _do_anything(dice, plan, clock)
        if dice.random() < ASKS:
            _ = plan.status  # what is derived is also asked for between the commits
        if step % (STEPS // MOMENTS) == 0:
            live = store.read(found_by_outlast)
            moments.append(((directory / JOURNAL).read_bytes(), live))
    store.replica.save_snapshot()
    store.close()
    return moments


def _do_anything(dice: random.Random, plan: Plan, clock: Clock) -> None:
    if dice.random() < UNDOS:
        plan.undo(dice.choice((None, dice.randint(1, plan.revision))))
        return
    wishes = [
        Wish(dice.choice(WISHES), *(dice.randrange(12) for _ in range(3)))
        for _ in range(dice.choice((1, 1, 1, 1, 2)))
    ]
    store = plan.core.store
    commands = tuple(_vary_proof(dice, store.read(wish.command)) for wish in wishes)
    store.commit(Request(commands, dice.choice(("agent", "bo")), clock.now), return_commit)


def _vary_proof(dice: random.Random, command: Command) -> Command:
    """Return a command whose proof, if it has one, says what the checks showed before.

    Some of the checks show nothing.
    """
    if not isinstance(command, Complete | NoteProof) or command.proof is None:
        return command
    seen = dice.choice(BASELINE_RESULTS)
    evidence = tuple(
        replace(item, baseline=seen, ok=dice.choice((item.ok, item.ok, item.ok, item.ok, None)))
        for item in command.proof.evidence
    )
    return replace(command, proof=replace(command.proof, evidence=evidence))


@pytest.mark.parametrize(
    "count", [A_FEW, pytest.param(PLENTY, marks=pytest.mark.slow)], ids=["a few", "plenty"]
)
def test_f17_both_find_the_same_in_generated_journals(count: int, ram_path: Path) -> None:
    kinds, labels = set[str](), set[str]()
    for seed in range(count):
        for journal, live in generate(seed, ram_path / "plan"):
            assert found_by_reader(journal) == live, seed
            labels.update((live["status"], *(task["label"] for task in live["tasks"])))
        snapshot = (ram_path / "plan" / SNAPSHOT).read_bytes()
        assert found_by_reader(journal, snapshot) == live, seed
        kinds.update(re.findall(r'"type":"(\w+)"', journal.decode()))
    if count == PLENTY:
        assert kinds >= KINDS - reader.NO_EFFECT
        assert labels >= {"assumed", "fails now", "passes now", "proved", "proved (not seen red)"}
        assert labels >= {"proved (was green)", "reported", "stale", "tampered", "unproved"}
        assert "unknown" in labels
        assert labels >= {"idle", "running", "paused", "failed", "completed"}


def test_f17_a_snapshot_of_another_history_is_left_alone(ram_path: Path) -> None:
    journal, live = generate(1, ram_path / "plan")[-1]
    snapshot = (ram_path / "plan" / SNAPSHOT).read_bytes()
    other, found = generate(2, ram_path / "plan")[-1]
    assert found_by_reader(other, snapshot) == found != live
    assert found_by_reader(journal, b"not a snapshot") == live


# The end of the file


def test_f17_both_read_as_much_of_a_file_that_ends_anywhere(ram_path: Path) -> None:
    journal = (ROOT / "tests/store/files/golden/format-1-work.jsonl").read_bytes()
    header = journal.index(b"\n") + 1
    first = journal.index(b"\n", header) + 1
    for end in range(first, len(journal)):
        assert_same_end(journal[:end], ram_path / "plan")


def test_f17_both_read_as_much_of_a_file_with_a_bad_byte(ram_path: Path) -> None:
    journal = (ROOT / "tests/store/files/golden/format-1-work.jsonl").read_bytes()
    first = journal.index(b"\n", journal.index(b"\n") + 1) + 1
    damaged = {
        assert_same_end(
            journal[:place] + bytes([journal[place] ^ 1]) + journal[place + 1 :], ram_path / "plan"
        )
        for place in range(first, len(journal), 3)
    }
    assert damaged == {True, False}


def assert_same_end(journal: bytes, directory: Path) -> bool:
    """Both find the same plan, and both or neither call the file damaged."""
    plan = reader.read(journal)
    store = open_copy(journal, directory)
    assert plan.revision == store.read(lambda state: state.revision)
    assert found_by_reader(journal) == store.read(found_by_outlast)
    try:
        store.commit(Request((NOTE,), "ann", BEGINNING), return_commit)
    except DamagedJournal:
        assert plan.damaged
    else:
        assert not plan.damaged
    store.close()
    return plan.damaged


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"format":1', b'"format":2'),
        (b'"type":"TaskAdded"', b'"type":"TaskThought"'),
        (b'"type":"PhaseAdded"', b'"type":"PhaseThought"'),
    ],
)
def test_f17_both_refuse_what_a_newer_version_wrote(old: bytes, new: bytes, ram_path: Path) -> None:
    journal = (ROOT / "tests/store/files/golden/format-1.jsonl").read_bytes()
    lines = journal.splitlines()
    place = next(number for number, line in enumerate(lines) if old in line)
    body = verify_checksum(lines[place])
    assert body is not None
    lines[place] = add_checksum(body.replace(old, new)).rstrip()
    journal = b"\n".join((*lines, b""))
    with pytest.raises(reader.UnknownError):
        reader.read(journal)
    with pytest.raises(NewerFormat):
        open_copy(journal, ram_path / "plan")


# Faults in the reader


FAULTS = {
    "a skipped task is not finished": (
        'FINISHED = ("completed", "skipped")',
        'FINISHED = ("completed",)',
    ),
    "a retry keeps the actor": (
        'AGAIN = {"status": "pending", "actor": "", ',
        'AGAIN = {"status": "pending", ',
    ),
    "a completion keeps the error": ('"completed", "error": None, ', '"completed", '),
    "a reopened task keeps its result": ('{**AGAIN, "result": None, ', "{**AGAIN, "),
    "a failure keeps the status": ('"TaskFailed": {"status": "failed", ', '"TaskFailed": {'),
    "a skip has no result": ('{"result": change.get("reason")}', "{}"),
    "a new task stands at the end": (
        "        if after is None:\n",
        "        if after is None and not self.tasks:\n",
    ),
    "0 is the end of the list": (
        "+ 1 if after else 0, task)",
        "+ 1 if after else len(self.tasks), task)",
    ),
    "a moved phase leaves its tasks": ('order.index(task["phase"]))\n', "0)\n"),
    "a moved task keeps its phase": ('{**task, "phase": change["phase"]}', "task"),
    "a reset keeps that work has begun": (
        "fields.update(begun=False, hold=",
        "fields.update(hold=",
    ),
    "a resumed plan is paused": ('"PlanResumed": ""', '"PlanResumed": "paused"'),
    "an undo leaves the status of the plan": (
        'in ("PlanEdited", "PlanRestored")',
        'in ("PlanEdited",)',
    ),
    "a new plan keeps its tasks": (
        "        self.tasks: list[Json] = []\n",
        "        self.tasks = getattr(self, 'tasks', [])\n",
    ),
    "a baseline is the latest proof": ('("set", "before") else', '("set",) else'),
    "a confirmation outlives the attempt": (
        'if kind in ("TaskRetried", "TaskReturned", "TaskReopened")',
        "if False",
    ),
    "order does not matter": ('self.fields["order"] == "graph" or', "True or"),
    "a failed task stops no plan": ('"failed" in statuses and', "False and"),
    "an assumed end completes a plan": ('["how"] == "assumed"\n\n', '["how"] == "thought"\n\n'),
    "the first completion is the last": ("self.task(max(times)[1])", "self.task(min(times)[1])"),
    "what failed is blocked by nothing": (
        'if task["status"] == "pending"]',
        'if task["status"] != "completed"]',
    ),
    "a red proof proves": (
        "    if fault_of(latest):\n        return fault_of(latest)\n    started",
        "    started",
    ),
    "a check that shows nothing is red": ("None in known and", "False and"),
    "an old proof proves": ("if started and ended and time", "if False and time"),
    "a proof of other checks proves": (
        '    if checks_of(latest) != task["checks"]:\n        return "tampered"\n',
        "",
    ),
    "nothing was seen before": ('{item.get("seen", "") for', '{"" for'),
}


@pytest.mark.slow
def test_f17_the_comparison_finds_every_fault_of_a_reader(ram_path: Path) -> None:
    source = Path(reader.__file__).read_text(encoding="utf-8")
    plans = [found for seed in range(ENOUGH) for found in generate(seed, ram_path / "plan")]
    survivors = []
    for fault, (old, new) in FAULTS.items():
        assert source.count(old) == 1, fault
        broken = ModuleType("broken")
        exec(source.replace(old, new), vars(broken))  # noqa: S102 - our own text
        if all(finds_the_same(broken, *plan) for plan in plans):
            survivors.append(fault)
    assert survivors == []


def finds_the_same(module: ModuleType, journal: bytes, live: Json) -> bool:
    try:
        return found_by_reader(journal, module=module) == live
    except Exception:  # noqa: BLE001 - a broken reader may fail in any way
        return False
