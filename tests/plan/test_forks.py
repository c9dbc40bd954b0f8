"""F39: a process that was forked while threads were at work never waits for ever."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from threading import Event, Thread
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from outlast import OutlastError, create_plan
from outlast.store.forks import forget_begun_imports, reset_after_fork

if TYPE_CHECKING:
    from pathlib import Path

    from outlast import Plan

PATIENCE = 60.0  # seconds: a guard against hanging
FORKS = int(os.environ.get("OUTLAST_F39", "100"))
PLACES = {"files": "{}", "SQLite": "sqlite:///{}/plans.db", "memory": "memory:"}
WORKED, REFUSED, WRONG = range(3)

IMPORTING = """
import fcntl, os, sys, threading, time
from outlast import Plan, create_plan
from outlast.plan.plans import Plans
from outlast.plan.home.find import plan_home_at
from outlast.model.commands import CreatePlan
class Slow:
    def find_spec(self, name, *_):
        if name == "outlast.config.load":
            begun.set()
            time.sleep(1)
where = sys.argv[1]
begun = threading.Event()
sys.meta_path.insert(0, Slow())
if sys.argv[2] == "program":
    plan = create_plan(where, "G", "k")
    begun.clear()
else:
    plan = Plans(plan_home_at(where), "agent").create(CreatePlan("plan_x", "G"), "k", layout=None)
    assert "outlast.config.load" not in sys.modules
plan.add("A")
held = open(where + "/.outlast/plans/k/journal.jsonl")
fcntl.flock(held, fcntl.LOCK_EX)
thread = threading.Thread(target=plan.add, args="B")
thread.start()
begun.wait(0.3 if sys.argv[2] == "program" else 60)
child = os.fork()
if not child:
    held.close()
    plan.add("C")
    os._exit(0)
time.sleep(0.5)
fcntl.flock(held, fcntl.LOCK_UN)
print(os.waitpid(child, 0)[1])
thread.join()
print(*(task.name for task in plan.tasks()))
"""


@pytest.mark.parametrize("kind", ["program", "command"])
def test_f39_a_child_does_not_wait_for_an_import_of_its_parent(kind: str, tmp_path: Path) -> None:
    """A thread waits for the lock of a plan and imports what that needs; the child adds a task.

    A program has imported it before, a command has not.
    """
    run = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", IMPORTING, str(tmp_path), kind],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    status, names = run.stdout.splitlines()
    assert status == "0"
    assert sorted(names.split()) == ["A", "B", "C"]


def test_f39_only_what_others_had_begun_to_import_is_imported_again() -> None:
    def lock(owner: int | None) -> SimpleNamespace:
        return SimpleNamespace(owner=owner)

    def module(name: str, *, is_begun: bool) -> ModuleType:
        made = ModuleType(name)
        made.__spec__ = SimpleNamespace(_initializing=is_begun)  # type: ignore[assignment]
        return made

    begun = {"begun", "own", "a.begun"}
    names = (*begun, "whole", "unheld")
    modules = {name: module(name, is_begun=name in begun) for name in names}
    held = {"begun": lock(2), "own": lock(1), "a.begun": lock(3), "whole": lock(2), "new": lock(2)}
    locks = {name: lambda lock=lock: lock for name, lock in held.items()} | {"gone": lambda: None}
    forget_begun_imports(locks, modules, 1)
    assert set(modules) == {"own", "whole", "unheld"}
    assert set(locks) == {"own", "gone"}


class Workers:
    """Threads that use a plan until they are stopped."""

    def __init__(self, plan: Plan, count: int = 4) -> None:
        self._plan, self._stopped = plan, Event()
        self.errors = list[BaseException]()
        self._threads = [Thread(target=self._work, args=(number,)) for number in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self, number: int) -> None:
        dice = random.Random(number)  # noqa: S311 - to be repeated
        try:
            while not self._stopped.is_set():
                act(self._plan, dice)
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.errors.append(error)

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self._threads)


def act(plan: Plan, dice: random.Random) -> None:
    """Do one of many things with a plan, some of them through its other threads."""
    choice = dice.randrange(6)
    if choice == 0:
        plan.add(f"task {dice.random()}")
    elif choice == 1:
        plan.notes.add_finding("code", "title", "content")
    elif choice == 2:
        plan.history.subscribe(lambda _: None)()
    elif choice == 3:
        plan.history.commits(3)
    elif choice == 4:
        task = plan.next()
        if task is not None:
            try:
                plan.skip(task.id)
            except OutlastError:
                return  # another thread was faster
    else:
        plan.tasks("pending")


def live_in_child(plan: Plan, seed: int) -> int:
    """Use the plan of the parent; return what became of that."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    try:
        added = plan.add(f"by child {seed}")
        for _ in range(3):
            act(plan, dice)
        if not any(task.id == added.id for task in plan.tasks()):
            return WRONG
        plan.close()
    except OutlastError:
        return REFUSED
    return WORKED


def wait_for_child(child: int) -> int:
    """Return the exit code of a child; kill one that hangs."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -9


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("where", PLACES)
def test_f39_children_forked_while_threads_work_work_or_refuse(where: str, tmp_path: Path) -> None:
    plan = create_plan(PLACES[where].format(tmp_path), "Ship it", "ship")
    workers, ends = Workers(plan), list[int]()
    dice = random.Random(1)  # noqa: S311 - to be repeated
    for number in range(FORKS):
        time.sleep(dice.random() * 0.02)
        child = os.fork()
        if not child:
            code = WRONG
            try:
                code = live_in_child(plan, number)
            finally:
                os._exit(code)
        ends.append(wait_for_child(child))
    workers.stop()
    assert workers.errors == []
    assert set(ends) <= {WORKED, REFUSED}
    if where != "memory":  # there a thread is nearly always in the middle of a change
        assert WORKED in ends
    if where == "files":
        assert REFUSED not in ends
        names = {task.name for task in plan.tasks()}
        assert names >= {f"by child {number}" for number in range(FORKS)}
    plan.close()


def test_f39_a_plan_in_memory_that_another_thread_changed_is_refused_in_the_child() -> None:
    plan, begun, go_on = create_plan("memory:", "Ship it"), Event(), Event()

    def read(_: object) -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    thread = Thread(target=lambda: plan.core.read(read))
    thread.start()
    assert begun.wait(PATIENCE)
    child = os.fork()
    if not child:
        code = WRONG
        try:
            plan.add("a")
        except OutlastError as error:
            code = REFUSED if error.text == "memory_plan_inherited" else WRONG
        finally:
            os._exit(code)
    ended = wait_for_child(child)
    go_on.set()
    thread.join()
    assert ended == REFUSED
    plan.add("a")
    child = os.fork()
    if not child:
        os._exit(WORKED if plan.add("b").id == 2 else WRONG)
    assert wait_for_child(child) == WORKED
    assert [task.name for task in plan.tasks()] == ["a"]


class Broken:
    """What cannot be reset, as a store on a disk that fails."""

    def reset_after_fork(self) -> None:
        raise OSError


def test_f39_a_store_that_cannot_be_reset_leaves_the_others_usable(tmp_path: Path) -> None:
    broken = [Broken() for _ in range(20)]
    for each in broken[:10]:
        reset_after_fork(each)
    is_held, is_over = Event(), Event()
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for each in broken[10:]:
            reset_after_fork(each)

        def hold() -> None:
            with vars(plan.core.store)["lock"].mutex:
                is_held.set()
                is_over.wait(PATIENCE)

        holder = Thread(target=hold)
        holder.start()
        is_held.wait(PATIENCE)
        child = os.fork()
        if not child:
            mutex = vars(plan.core.store)["lock"].mutex
            os._exit(0 if mutex.acquire(blocking=False) else WRONG)
        is_over.set()
        holder.join()
        assert wait_for_child(child) == 0
