"""F34: what hooks bring reaches the plan, whatever is locked or killed meanwhile."""

import fcntl
import json
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from outlast import create_plan, open_plan
from outlast.errors import LockTimeout
from outlast.hosts.session_plan import take_in_spooled
from outlast.hosts.sessions import session_files
from outlast.hosts.wire.events import HostAnswer, HostEvent
from outlast.plan.home.find import DISK
from tests.cli.processes import stdout_of
from tests.hosts.coding_agent import CodingAgent, make_plan
from tests.hosts.hook.test_main import Program

if TYPE_CHECKING:
    from outlast.hosts.session import HostSession

AT_ONCE = int(os.environ.get("OUTLAST_F34", "40"))


@pytest.fixture
def agent(home: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> CodingAgent:
    """A session on a plan."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    make_plan(home, "one", "two")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    return agent


@contextmanager
def locked(*files: Path) -> Iterator[None]:
    """Hold the locks on files, as another process does; nobody here waits for them."""
    opened = [file.open("r+b") for file in files]
    for file in opened:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        with DISK.waiting_at_most(0):
            yield
    finally:
        for file in opened:
            file.close()


def journal_of(agent: CodingAgent) -> Path:
    return agent.home / ".outlast" / "plans" / "add-oauth" / "journal.jsonl"


def lock_of(agent: CodingAgent) -> Path:
    return Path(session_files().directory(agent.host, agent.session)) / "lock"


def spool_of(agent: CodingAgent) -> list[Path]:
    return sorted((lock_of(agent).parent / "spool").iterdir())


def words_in(journal: Path) -> Counter[str]:
    """Return how often each text was said to the plan."""
    lines = journal.read_text().splitlines()[1:]
    changes = [change for line in lines for change in json.loads(line)["changes"]]
    return Counter(change["said"]["text"] for change in changes if "said" in change)


def failures_of(agent: CodingAgent) -> dict[str, int]:
    with agent.plan() as plan:
        return {error.message: error.count for error in plan.notes.errors(limit=1_000)}


@pytest.mark.parametrize("what", ["journal", "session"])
def test_f34_words_said_while_a_lock_is_held_reach_the_plan_with_the_next_hook(
    agent: CodingAgent, what: str
) -> None:
    agent.start()
    with locked(journal_of(agent) if what == "journal" else lock_of(agent)):
        told = agent.types("Prices in euros")
        assert "your words are kept" in told.user
        assert not agent.types("Dates in UTC").user
        assert not agent.fails("no such file")
    assert len(spool_of(agent)) == 3
    assert not words_in(journal_of(agent))
    agent.before()
    assert words_in(journal_of(agent)) == {"Prices in euros": 1, "Dates in UTC": 1}
    assert failures_of(agent) == {"no such file": 1}
    assert spool_of(agent) == []


def test_f34_the_next_command_takes_in_what_a_hook_could_not_tell(
    agent: CodingAgent, home: Path
) -> None:
    with locked(journal_of(agent)):
        agent.types("Prices in euros")
        agent.fails("no such file")
        agent.lists("TodoWrite", todos=[{"content": "new", "status": "pending"}])
        assert "Add OAuth" in stdout_of(home, "show")  # reading waits for no lock
        assert not words_in(journal_of(agent))
    stdout_of(home, "show")
    assert words_in(journal_of(agent)) == {"Prices in euros": 1}
    assert failures_of(agent) == {"no such file": 1}
    assert [each.suffix for each in spool_of(agent)] == [".post-tool"], "it may start checks"
    agent.before()
    assert spool_of(agent) == []


def test_f34_what_was_committed_before_a_kill_is_not_told_twice(agent: CodingAgent) -> None:
    with locked(journal_of(agent)):
        agent.types("not done yet, prices in euros")
        agent.fails("no such file")
        agent.lists("TodoWrite", todos=[{"content": "new", "status": "pending"}])
    kept = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in spool_of(agent)}
    assert len(kept) == 3
    agent.start()
    before = words_in(journal_of(agent)), failures_of(agent)
    assert before[1] == {"no such file": 1}
    for path, (data, moment) in kept.items():
        path.write_bytes(data)
        os.utime(path, ns=(moment, moment))
    agent.start()
    assert (words_in(journal_of(agent)), failures_of(agent)) == before
    assert spool_of(agent) == []
    with agent.plan() as plan:
        assert [task.name for task in plan.tasks()].count("new") == 1


@pytest.mark.parametrize("way", ["detach", "attach"])
def test_f34_words_go_to_the_plan_that_they_were_said_to(
    agent: CodingAgent, home: Path, way: str
) -> None:
    create_plan(str(home), "Another goal", "other").close()
    with locked(journal_of(agent)):
        agent.types("Prices in euros")
    agent.types("/outlast off" if way == "detach" else "/outlast resume other")
    assert words_in(journal_of(agent)) == {"Prices in euros": 1}
    with open_plan(str(home), "other") as other:
        assert other.core.read(lambda state: len(state.ledger.conversation.interjections)) == 0


def test_f34_a_payload_that_is_no_event_does_not_hold_up_the_others(agent: CodingAgent) -> None:
    with locked(journal_of(agent)):
        agent.types("Prices in euros")
    (spool_of(agent)[0].parent / "7").write_text("{")
    agent.before()
    assert words_in(journal_of(agent)) == {"Prices in euros": 1}
    assert spool_of(agent) == []


@pytest.mark.parametrize(("error", "left"), [(KeyError(), 0), (LockTimeout("lock_timeout"), 1)])
def test_f34_a_payload_stays_only_if_it_can_be_told_later(
    agent: CodingAgent, error: Exception, left: int
) -> None:
    with locked(journal_of(agent)):
        agent.types("Prices in euros")

    def take_in(_event: HostEvent, _key: str) -> HostAnswer:
        raise error

    session = cast("HostSession", SimpleNamespace(record=agent.record, take_in=take_in))
    with pytest.raises(type(error)):
        take_in_spooled(session, session_files())
    assert len(spool_of(agent)) == left
    agent.before()
    assert len(words_in(journal_of(agent))) == left


def test_f34_a_list_that_ends_its_hook_is_given_up_and_words_are_not(agent: CodingAgent) -> None:
    with locked(journal_of(agent)):
        agent.types("Prices in euros")
        agent.lists("TodoWrite", todos=[{"content": "new", "status": "pending"}])
    told = list[str]()

    def take_in(event: HostEvent, _key: str) -> HostAnswer:
        told.append(event.moment)
        if event.moment == "prompt":
            return HostAnswer()
        raise KeyboardInterrupt  # as a kill: nothing is done afterwards

    session = cast("HostSession", SimpleNamespace(record=agent.record, take_in=take_in))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            take_in_spooled(session, session_files())
    take_in_spooled(session, session_files())
    assert told == ["prompt", "post-tool", "post-tool"]
    assert spool_of(agent) == []


def test_f34_of_failures_that_waited_only_the_last_is_answered(agent: CodingAgent) -> None:
    warning = "<three-strike-warning>"
    with locked(journal_of(agent)):
        for _ in range(6):
            assert warning not in agent.fails("no such file", command="x").model
    told = agent.fails("no such file", command="x").model
    assert told.count(warning) == 1
    assert "occurred 7 times" in told
    assert failures_of(agent) == {"no such file": 7}


def test_f34_words_that_cannot_be_stored_are_never_lost_silently(
    agent: CodingAgent, state: Path
) -> None:
    agent.start()
    lock = lock_of(agent)
    lock.unlink()
    lock.mkdir()
    (state / "outlast" / "hook-failures").write_text("")  # nor can it be noted what was told
    for words in ("Prices in euros", "Dates in UTC"):
        assert "could not follow this session" in agent.types(words).user
    lock.rmdir()
    assert not agent.types("go on").user


def test_f34_words_are_told_at_once_where_nothing_can_be_kept(agent: CodingAgent) -> None:
    spool = lock_of(agent).parent / "spool"
    spool.rmdir()
    spool.write_text("")
    agent.types("Prices in euros")
    assert words_in(journal_of(agent)) == {"Prices in euros": 1}


@pytest.mark.slow
@pytest.mark.soak
def test_f34_many_hooks_at_once_lose_nothing(agent: CodingAgent, state: Path) -> None:
    agent.start()
    once = CodingAgent(agent.home, hook=Program(state))

    def send(number: int) -> None:
        if number % 2:
            once.types(f"word {number}")
        else:
            once.fails(f"broken {chr(97 + number % 26)}{chr(97 + number // 26 % 26)}", command="x")

    with ThreadPoolExecutor(min(AT_ONCE, 200)) as pool:
        list(pool.map(send, range(AT_ONCE)))
    agent.before()
    assert words_in(journal_of(agent)) == {
        f"word {number}": 1 for number in range(AT_ONCE) if number % 2
    }
    assert sum(failures_of(agent).values()) == (AT_ONCE + 1) // 2
    assert spool_of(agent) == []


@pytest.mark.slow
@pytest.mark.soak
def test_f34_killed_hooks_lose_nothing_that_they_kept(agent: CodingAgent, state: Path) -> None:
    chance = random.Random(34)  # noqa: S311 - not for secrets
    program = Program(state)
    answered = set()
    for number in range(AT_ONCE):
        payload = {"session_id": "s1", "cwd": str(agent.home), "prompt": f"word {number}"}
        process = subprocess.Popen(  # noqa: S603 - our own program
            [*program.command, "prompt", "claude-code"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=program.environment,
            cwd="/",
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        try:
            process.wait(timeout=chance.uniform(0, 0.4))
            answered.add(f"word {number}")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
    kept = {
        json.loads(each.read_bytes())["prompt"]
        for each in spool_of(agent)
        if each.suffix == ".prompt"
    }
    agent.before()
    said = words_in(journal_of(agent))
    assert answered | kept <= set(said)
    assert set(said.values()) <= {1}
    assert not [each for each in spool_of(agent) if each.suffix == ".prompt"]
