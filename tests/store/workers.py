"""What the other processes of the tests do; importable, so that they can be spawned."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from select import select

from outlast.errors import Refused
from outlast.model import commands as c
from outlast.model.changes import Commit, TaskAdded
from outlast.model.execute import return_commit
from outlast.store.files.log import open_files
from outlast.store.port import Request, Store
from outlast.system.clock import monotonic, now
from outlast.system.disk import Disk
from tests.documents.views.rendered_plans import with_sync
from tests.store.faults import FaultyDisk
from tests.store.opening import open_views
from tests.store.operations import CHANGES, change, open_store

Acknowledged = tuple[int, str, int]
PROCESSES, COMMITS = 8, int(os.environ.get("OUTLAST_COMMITS", "200"))
SPAWN = multiprocessing.get_context("spawn")


class Agent:
    """Adds, starts, completes, fails and reopens tasks; records what was acknowledged."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        self.random = Random(name)  # noqa: S311 - a mix of commands is no secret
        self.acknowledged: list[Acknowledged] = []
        self.done: list[int] = []
        self.own = 0

    def choose(self) -> c.Command:
        """Return the next command, which is refused only if no task is left."""
        if self.own:
            complete = c.Complete(self.own, self.name, "done")
            return self.random.choice((complete, c.Fail(self.own, self.name, "no luck")))
        add = c.AddTasks((c.NewTask(f"{self.name} {len(self.acknowledged)}"),))
        reopen = c.Reopen(self.done[-1]) if self.done else add
        return self.random.choice((add, c.Start(self.name), c.Start(self.name), reopen))

    def act(self) -> None:
        """Commit the next command, and record the answer."""
        command = self.choose()
        try:
            commit = self.store.commit(Request((command,), self.name, now()), return_commit)
        except Refused:
            assert isinstance(command, c.Start), command  # all are taken: a rule, not a race
            return
        self.note(command, commit)

    def note(self, command: c.Command, commit: Commit) -> None:
        """Record what was acknowledged."""
        task = _task(commit)
        if isinstance(command, c.Complete):
            self.done.append(task)
        elif isinstance(command, c.Reopen):
            self.done.pop()
        self.own = task if isinstance(command, c.Start) else 0
        self.acknowledged.append((commit.revision, type(commit.changes[-1]).__name__, task))


def work(store: Store, name: str, commits: int) -> list[Acknowledged]:
    """Act like an agent until so many commits are acknowledged; return them."""
    agent = Agent(store, name)
    while len(agent.acknowledged) < commits:
        agent.act()
    return agent.acknowledged


def work_in_processes(
    work_in: Callable[[str, str, int], list[Acknowledged]], directory: str
) -> list[Acknowledged]:
    """Let processes work on one plan at once; return all that was acknowledged."""
    with ProcessPoolExecutor(PROCESSES, mp_context=SPAWN) as pool:
        jobs = [pool.submit(work_in, directory, f"agent {n}", COMMITS) for n in range(PROCESSES)]
        told = [line for job in jobs for line in job.result()]
    assert len(told) == PROCESSES * COMMITS
    return told


def _task(commit: Commit) -> int:
    last = commit.changes[-1]
    return last.task.id if isinstance(last, TaskAdded) else int(last.id)  # type: ignore[union-attr]


def process(directory: str, name: str, commits: int) -> list[Acknowledged]:
    """Open the plan in a process of its own and work on it."""
    with closing(open_files(directory, Disk(), now())) as store:
        return work(store, name, commits)


def process_with_views(directory: str, name: str, commits: int) -> list[Acknowledged]:
    """Do the same on a plan with views; there are no notices about them."""
    with closing(with_sync(open_views(directory, Disk(), now()), now)) as store:
        told = work(store, name, commits)
    assert store.notices == []
    return told


class DeadlyDisk(FaultyDisk):
    """A disk that really kills the process."""

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


Killed = tuple[int, bool]


def kill_everywhere(directory: str, make: Callable[[str], None], operation: str) -> list[Killed]:
    """Fork a child for each call and kill it there; return what it had acknowledged.

    The plan of call N is left in `directory/N`.
    """
    results: list[Killed] = []
    for call in range(1, 200):
        where = str(Path(directory) / str(call))
        make(where)
        child, reading = _fork(where, DeadlyDisk(Disk(), call), operation)
        said, survived = end_of(child, reading)
        if survived:
            break
        results.append((call, said))
    return results


def kill_at_random(
    directory: str, make: Callable[[str], None], operation: str, kills: int
) -> list[Killed]:
    """Fork a child for each kill, and kill it at a random moment.

    The plan of kill N is left in `directory/N`.
    """
    random = Random(kills)  # noqa: S311 - when to kill is no secret
    make(where := str(Path(directory) / "whole"))
    begun = monotonic()
    assert end_of(*_fork(where, Disk(), operation)) == (True, True)
    longest = monotonic() - begun
    results: list[Killed] = []
    while len(results) < kills:
        make(where := str(Path(directory) / f"{len(results)}"))
        child, reading = _fork(where, Disk(), operation)
        select([reading], [], [], random.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        said, _ = end_of(child, reading)
        results.append((len(results), said))
    return results


def _fork(where: str, disk: Disk, operation: str) -> tuple[int, int]:
    """Start the operation in a child; return it, and the pipe on which it acknowledges."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _work_until_killed(where, disk, operation, writing)
    os.close(writing)
    return child, reading


def end_of(child: int, reading: int) -> tuple[bool, bool]:
    """Wait for a child; return whether it acknowledged, and whether it ended normally."""
    said = os.read(reading, 1)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0
    return bool(said), os.WIFEXITED(status)


def _work_until_killed(where: str, disk: Disk, operation: str, writing: int) -> None:
    try:
        store = open_store(where, disk)
        change(store, CHANGES[operation], key="the key")
        os.write(writing, b"y")
        store.close()
        os._exit(0)
    finally:
        os._exit(1)


def inherit(directory: str, children: int, commits: int) -> int:
    """Open the plan, fork, and let every child work with the store it inherits; count failures."""
    store = open_store(directory)
    forked = []
    for number in range(children):
        child = os.fork()
        if not child:
            try:
                work(store, f"child {number}", commits)
                os._exit(0)
            finally:
                os._exit(1)
        forked.append(child)
    return sum(os.waitpid(child, 0)[1] != 0 for child in forked)


def close_in_child(directory: str) -> int:
    """Open the plan, and let a child close and use it; return how the child ended."""
    return use_in_child(open_store(directory))


def use_in_child(store: Store) -> int:
    """Submit, fork, let the child use the store and close it; return how the child ended."""
    _submit(store)
    child = os.fork()
    if not child:
        try:
            _submit(store)
            _submit(store)
            store.close()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    _submit(store)
    store.close()
    return status


def _submit(store: Store) -> None:
    added = c.AddTasks((c.NewTask("new"),))
    store.submit(Request((added,), "ann", now()), return_commit).result(30)
