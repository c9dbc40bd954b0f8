"""Plans in a database, and what other processes do to them."""

import os
import resource
import shutil
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from select import select
from threading import Event
from typing import TYPE_CHECKING, Any, cast

from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.plan.home.database import Database
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.system.clock import monotonic, now
from outlast.system.disk import Disk
from tests.model.indexes import encode_all
from tests.store.faults import QuickDisk
from tests.store.operations import CHANGES, CREATE, FIRST, LATER, LATEST, NOW, STEPS
from tests.store.workers import Acknowledged, end_of, use_in_child, work

if TYPE_CHECKING:
    from outlast.store.sqlite.log import SqliteLog

NAME = "plans.db"
KEY = CREATE.key
ADD = (c.AddTasks((c.NewTask("new"),)),)


def database(directory: Path | str, disk: Disk | None = None) -> Database:
    """Return the database of a directory."""
    return Database(str(Path(directory) / NAME), disk or QuickDisk())


def begin(directory: Path | str) -> Store:
    """Create a plan without tasks."""
    return database(directory).create(CREATE, "ann", NOW)


def make_store(directory: Path | str, operation: str = "") -> Store:
    """Create a plan with something of everything in it, ready for an operation."""
    store = begin(directory)
    for number, commands in enumerate(STEPS):
        change(store, commands, key=f"step {number}")
    if operation in FIRST:
        change(store, (FIRST[operation],))
    return store


def open_store(directory: Path | str, **options: Any) -> Store:
    """Open the plan as the next process would."""
    return database(directory, **options).open(KEY, LATEST)


def change(store: Store, commands: tuple[c.Command, ...], *, key: str = "") -> Commit:
    """Commit commands and return the commit."""
    return store.commit(Request(commands, "ann", LATER, reason="why", key=key), return_commit)


def state(store: Store) -> dict[str, Any]:
    """Return the whole plan."""
    return store.read(encode_all)


def on_disk(directory: Path | str) -> dict[str, Any]:
    """Return the plan that another process finds in a directory."""
    with closing(open_store(directory)) as store:
        assert store.notices == []
        return state(store)


def connection_of(store: Store) -> sqlite3.Connection:
    """Return the connection of a store, for tests that look inside."""
    log = cast("SqliteLog", store.replica.log)
    found = log.file._connection  # noqa: SLF001 - that is what is wanted
    assert found is not None
    return found


def sql(directory: Path | str, *statements: str) -> list[Any]:
    """Run statements on a database, as its owner could with any program."""
    with closing(sqlite3.connect(Path(directory) / NAME, isolation_level=None)) as connection:
        return [connection.execute(statement).fetchall() for statement in statements][-1]


def process(directory: str, name: str, commits: int) -> list[Acknowledged]:
    """Open the plan in a process of its own and work on it."""
    with closing(open_store(directory, disk=Disk())) as store:
        return work(store, name, commits)


def open_and_close(directory: str, name: str, commits: int) -> list[int]:
    """Open the plan again for every commit, in several threads; return the revisions made."""

    def come(number: int) -> int:
        with closing(open_store(directory)) as store:
            return change(store, ADD, key=f"{name} {number}").revision

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(come, range(commits)))


# Processes that die

Killed = tuple[str, bool, bool]  # where the plan is left, whether it was acknowledged, or survived
Deadly = Callable[[Store], None]


def die_in_step(number: int) -> Deadly:
    """Return a function that kills the process at some step of SQLite's programs."""

    def arm(store: Store) -> None:
        left = [number]

        def step() -> int:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return 0

        connection_of(store).set_progress_handler(step, 1)

    return arm


def die_at_byte(size: int) -> Deadly:
    """Return a function that kills the process when a file grows beyond a size."""

    def arm(store: Store) -> None:
        del store
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return arm


def _spare(store: Store) -> None:
    del store


def kill_in_steps(made: str, place: str, operation: str, stride: int) -> list[Killed]:
    """Kill a process after every so many steps of an operation; the last one survives."""
    results: list[Killed] = []
    while not results or not results[-1][2]:
        deadly = die_in_step(len(results) * stride)
        results.append(_run_and_kill(made, f"{place}/{len(results)}", operation, deadly))
    return results


def kill_at_bytes(made: str, place: str, operation: str, stride: int) -> list[Killed]:
    """Kill a process after every so many bytes that an operation writes; the last one survives."""
    results: list[Killed] = []
    size = stride
    while not results or not results[-1][2]:
        results.append(_run_and_kill(made, f"{place}/{size}", operation, die_at_byte(size)))
        size += stride
    return results


def kill_repairs(made: str, place: str, stride: int) -> list[tuple[str, bool]]:
    """Kill a process after every so many bytes that a repair writes; return which one survived."""
    results: list[tuple[str, bool]] = []
    while not results or not results[-1][1]:
        size = (len(results) + 1) * stride
        where = f"{place}/{size}"
        shutil.copytree(made, where)
        child = os.fork()
        if not child:
            _repair_until_killed(where, size)
        _, status = os.waitpid(child, 0)
        results.append((where, status == 0))
    return results


def _repair_until_killed(where: str, size: int) -> None:
    try:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        database(where).repair(KEY, LATEST)
        os._exit(0)
    finally:
        os._exit(1)


def kill_at_random(made: str, place: str, operation: str, kills: int) -> list[Killed]:
    """Kill processes at any moment of an operation."""
    random = Random(kills)  # noqa: S311 - when to kill is no secret
    begun = monotonic()
    results = [_run_and_kill(made, f"{place}/whole", operation, _spare)]
    longest = monotonic() - begun
    for number in range(kills):
        where = f"{place}/{number}"
        shutil.copytree(made, where)
        child, reading = _fork(where, operation, _spare)
        select([reading], [], [], random.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        results.append((where, *end_of(child, reading)))
    return results


def _run_and_kill(made: str, where: str, operation: str, deadly: Deadly) -> Killed:
    shutil.copytree(made, where)
    return (where, *end_of(*_fork(where, operation, deadly)))


def _fork(where: str, operation: str, deadly: Deadly) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _work_until_killed(where, operation, deadly, writing)
    os.close(writing)
    return child, reading


def _work_until_killed(where: str, operation: str, deadly: Deadly, writing: int) -> None:
    try:
        store = open_store(where)
        deadly(store)
        change(store, CHANGES[operation], key="the key")
        os.write(writing, b"y")
        store.close()
        os._exit(0)
    finally:
        os._exit(1)


# Processes that fork


def inherit(directory: str, children: int, commits: int) -> int:
    """Open the plan, fork, and let all children use the inherited store; count failures."""
    store = open_store(directory)
    forked = []
    for number in range(children):
        change(store, ADD)
        child = os.fork()
        if not child:
            try:
                work(store, f"child {number}", commits)
                os._exit(0)
            finally:
                os._exit(1)
        forked.append(child)
    store.close()  # the last one that closes clears up; the children are still there
    with closing(open_store(directory)) as store:
        change(store, ADD)
    return sum(os.waitpid(child, 0)[1] != 0 for child in forked)


def fork_among_threads(directory: str, forks: int) -> int:
    """Fork while threads open, change and close the plan; count children that fail or hang."""
    over = Event()

    def come_and_go_on() -> None:
        while not over.is_set():
            with closing(open_store(directory)) as store:
                change(store, ADD)

    failed = 0
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(come_and_go_on) for _ in range(3)]
        for _ in range(forks):
            child = os.fork()
            if not child:
                signal.alarm(20)
                try:
                    change(open_store(directory), ADD)
                    os._exit(0)
                finally:
                    os._exit(1)
            failed += os.waitpid(child, 0)[1] != 0
        over.set()
        for job in jobs:
            job.result()
    return failed


def fork_in_answer(directory: str) -> str:
    """Fork inside a transaction; return the error that the child's store raises."""
    store = open_store(directory)
    reading, writing = os.pipe()

    def answer(*_: object) -> int:
        child = os.fork()
        if not child:
            try:
                state(store)
                os.write(writing, b"nothing")
            except Exception as error:  # noqa: BLE001 - told below
                os.write(writing, getattr(error, "text", repr(error)).encode())
            finally:
                os._exit(0)
        return child

    child = store.commit(Request(ADD, "ann", now()), answer)
    os.waitpid(child, 0)
    change(store, ADD)
    store.close()
    return os.read(reading, 1000).decode()


def close_in_child(directory: str) -> int:
    """Open the plan, let a child close and use it; return how the child ended."""
    return use_in_child(open_store(directory))


def use_as_another_user(directory: str) -> list[str]:
    """Read and try to change a plan in a directory that is read-only for this user."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            store = open_store(directory)
            said = [f"{state(store)['revision']}", f"{len(store.commits_since(0))}"]
            try:
                change(store, ADD)
            except Exception as error:  # noqa: BLE001 - told below
                said.append(getattr(error, "text", repr(error)))
            said.append(f"{state(store)['revision']}")
            store.close()
            os.write(writing, " ".join([*said, *(key for key, _ in store.notices)]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    told = os.read(reading, 1000).decode().split(" ")
    os.close(reading)
    return told
