"""F19: an open plan refuses a history that is not the one it knew, and follows one that is."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from outlast import AgentLoop, AsyncPlan, Plan, create_plan, open_plan
from outlast.agent.events import Notified
from outlast.errors import HistoryDiverged
from outlast.language import explain
from outlast.model.commands import AddTasks, EditTask, NewTask
from outlast.model.execute import return_commit
from outlast.models import Call
from outlast.plan.home.find import home_of
from outlast.store.port import Request
from outlast.system.clock import now
from outlast.testing import ScriptedModel, Turn

if TYPE_CHECKING:
    from pathlib import Path

Use = Callable[[Plan], Any]
DATABASE = "plans.db"


class Home:
    """Plans in a directory or a database, as files that somebody can copy and put back."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.is_database = path, kind == "sqlite"
        self.is_in_place = kind == "files in place"
        path.mkdir()

    @property
    def where(self) -> str:
        return f"sqlite:///{self.path / DATABASE}" if self.is_database else str(self.path)

    def create(self, key: str = "a", goal: str = "Goal") -> None:
        with create_plan(self.where, goal, key) as plan:
            plan.add("first")

    def open(self, key: str = "a") -> Plan:
        return open_plan(self.where, key)

    def add(self, *names: str) -> None:
        with self.open() as plan:
            for name in names:
                plan.add(name)

    def copy(self, path: Path) -> Home:
        """Return a copy, to which no process has a connection."""
        shutil.copytree(self.path, path)
        copied = Home.__new__(Home)
        copied.path, copied.is_database, copied.is_in_place = path, self.is_database, False
        return copied

    def file(self, key: str = "a") -> Path:
        return (
            self.path / DATABASE
            if self.is_database
            else self.path / ".outlast" / "plans" / key / "journal.jsonl"
        )

    def put(self, content: bytes, key: str = "a") -> None:
        """Put other content in place of a journal or of the database, as another program does."""
        path = self.file(key)
        if self.is_in_place and self.is_database:
            self._put_rows(content)
            return
        if self.is_in_place:
            path.write_bytes(content)
            return
        new = path.with_name("restored")
        new.write_bytes(content)
        new.rename(path)
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)

    def _put_rows(self, content: bytes) -> None:
        """Let SQLite write the pages of another database into this one, as a restore does."""
        other = self.path / "other.db"
        other.write_bytes(content)
        with (
            closing(sqlite3.connect(other)) as source,
            closing(sqlite3.connect(self.file())) as own,
        ):
            source.backup(own)

    def content(self, key: str = "a") -> bytes:
        return self.file(key).read_bytes()


@pytest.fixture(params=["files", "files in place", "sqlite"])
def home(tmp_path: Path, request: pytest.FixtureRequest) -> Home:
    made = Home(tmp_path / "home", request.param)
    made.create()
    made.add("second")
    return made


def submit(plan: Plan) -> object:
    request = Request((AddTasks((NewTask("new"),)),), "ann", now())
    return plan.core.store.submit(request, return_commit).result(30)


async def read_in_a_loop(plan: Plan) -> object:
    return await AsyncPlan(plan).tasks()


USES: dict[str, Use] = {
    "read": lambda plan: plan.tasks(),
    "commit": lambda plan: plan.add("new"),
    "submit": submit,
    "subscribe": lambda plan: plan.history.subscribe(lambda _: None),
    "undo": lambda plan: plan.undo(),
    "async": lambda plan: asyncio.run(read_in_a_loop(plan)),
}


def as_it_was(_branch: Home) -> str:
    return "history_rolled_back"


def same_length(branch: Home) -> str:
    branch.add("other")
    return "history_diverged"


def longer(branch: Home) -> str:
    branch.add("other", "and more")
    return "history_diverged"


def another_plan(branch: Home) -> str:
    shutil.rmtree(branch.path)
    branch.path.mkdir()
    branch.create(goal="Another")
    branch.add(*(f"task {number}" for number in range(9)))
    return "history_foreign"


HISTORIES = [as_it_was, same_length, longer, another_plan]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", HISTORIES)
def test_f19_a_held_plan_refuses_another_history(
    home: Home, tmp_path: Path, make: Callable[[Home], str], use: str
) -> None:
    branch = home.copy(tmp_path / "branch")
    with home.open() as held:
        held.add("acknowledged")
        mark = held.core.store.mark_of(held.revision)
        text = make(branch)
        content = branch.content()
        home.put(content)
        for _ in range(2):
            with pytest.raises(HistoryDiverged) as caught:
                USES[use](held)
        assert caught.value.text == text
        assert (caught.value.details["revision"], caught.value.details["mark"]) == (4, mark)
        for language in ("en", "zh"):
            assert "outlast doctor" in explain(caught.value, language)
        assert home.content() == content
    assert home.content() == content
    with home.open() as plan:
        assert plan.revision >= 3


def commit_without_changes(plan: Plan) -> None:
    """Leave only a key: nothing is to be edited."""
    [task] = [task for task in plan.tasks() if task.name == "first"]
    request = Request((EditTask(task.id, name="first"),), "ann", now(), key="again")
    plan.core.store.commit(request, return_commit)


def read_what_another_committed(plan: Plan) -> None:
    home = home_of(plan.core.store)
    assert home is not None
    with closing(home[0].open(home[1], now())) as store:
        store.commit(Request((AddTasks((NewTask("read"),)),), "bo", now()), return_commit)
    plan.tasks()


LAST_COMMITS: dict[str, Callable[[Plan], object]] = {
    "own": lambda plan: plan.add("mine"),
    "own, submitted": submit,
    "own, only a key": commit_without_changes,
    "own, then read": lambda plan: (plan.add("mine"), plan.tasks()),
    "own, after an undo": lambda plan: (plan.add("mine"), plan.undo()),
}


@pytest.fixture(params=["files", "files in place", "sqlite", "sqlite in place"])
def any_home(tmp_path: Path, request: pytest.FixtureRequest) -> Home:
    kind, _, is_in_place = request.param.partition(" ")
    made = Home(tmp_path / "home", kind)
    made.is_in_place = bool(is_in_place)
    made.create()
    return made


@pytest.mark.parametrize("use", ["read", "commit", "submit"])
@pytest.mark.parametrize("more", [(), ("longer",)])
@pytest.mark.parametrize("last", LAST_COMMITS)
def test_f19_a_history_that_diverges_at_the_holders_last_commit_is_refused(
    any_home: Home, tmp_path: Path, last: str, more: tuple[str, ...], use: str
) -> None:
    branch = any_home.copy(tmp_path / "branch")
    held = any_home.open()
    LAST_COMMITS[last](held)
    branch.add(*(f"other {number}" for number in range(held.revision - 2)), "last", *more)
    content = branch.content()
    any_home.put(content)
    for _ in range(2):
        with pytest.raises(HistoryDiverged):
            USES[use](held)
    held.close()
    with any_home.open() as plan:
        names = {task.name for task in plan.tasks()}
        assert "last" in names
        assert not {"mine", "new"} & names


def test_f19_a_database_that_diverges_at_what_was_only_read_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", "sqlite")
    home.create()
    branch = home.copy(tmp_path / "branch")
    with home.open() as held:
        read_what_another_committed(held)
        branch.add("other")
        home.put(branch.content())
        with pytest.raises(HistoryDiverged):
            held.tasks()


@pytest.mark.parametrize("use", USES)
def test_f19_two_held_plans_whose_journals_were_swapped_are_refused(
    tmp_path: Path, use: str
) -> None:
    home = Home(tmp_path / "home", "files")
    for key in ("a", "b"):
        home.create(key)
    with home.open("a") as first, home.open("b") as second:
        contents = home.content("a"), home.content("b")
        home.put(contents[1], "a")
        home.put(contents[0], "b")
        for plan in (first, second):
            with pytest.raises(HistoryDiverged) as caught:
                USES[use](plan)
            assert caught.value.text == "history_foreign"
        assert (home.content("b"), home.content("a")) == contents


@pytest.mark.parametrize("use", USES)
def test_f19_a_held_plan_follows_an_identical_copy(home: Home, use: str) -> None:
    with home.open() as held:
        assert held.revision == 3
        home.put(home.content())
        USES[use](held)
        assert held.task(1).name == "first"
        assert held.notices == []


@pytest.mark.parametrize("use", USES)
def test_f19_a_held_plan_follows_a_continuation(home: Home, tmp_path: Path, use: str) -> None:
    with home.open() as held:
        held.add("acknowledged")
    branch = home.copy(tmp_path / "branch")
    with home.open() as held:
        delivered: list[int] = []
        held.history.subscribe(lambda commit: delivered.append(commit.revision))
        assert held.revision == 4
        branch.add("by another", "writer")
        home.put(branch.content())
        USES[use](held)
        names = [task.name for task in held.tasks()]
        assert names[:4] == ["first", "second", "acknowledged", "by another"]
        newest = held.revision
    assert delivered == list(range(5, newest + 1))


def test_f19_a_subscriber_gets_no_commit_of_another_history(
    home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    branch = home.copy(tmp_path / "branch")
    with home.open() as held:
        held.add("acknowledged")
        delivered: list[int] = []
        end = held.history.subscribe(lambda commit: delivered.append(commit.revision))
        branch.add("other", "and more", "and more still")
        home.put(branch.content())
        end()
        end()
    assert delivered == []
    told = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert any("while the plan was open" in each for each in told), "a look in between tells more"


def test_f19_a_running_agent_leaves_another_history_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", "files")
    home.create()
    branch = home.copy(tmp_path / "branch")
    branch.add("of the branch")
    content, events = branch.content(), list[Any]()

    def check_out() -> str:
        """Check out a branch."""
        home.put(content)
        return "checked out"

    turns = (Turn("checked out", "All is done."), Turn(calls=(Call("check_out", {}, "c1"),)))
    agent = AgentLoop(
        model=ScriptedModel(turns),
        tools=[check_out],
        plan=home.open(),
        on_event=events.append,
        yes=True,
    )
    with pytest.raises(HistoryDiverged):
        asyncio.run(agent.run("Goal"))
    assert home.content() == content
    [notice] = [event.text for event in events if isinstance(event, Notified)]
    assert "while the plan was open" in notice
    assert "continues" not in notice
    with home.open() as plan:
        assert [task.name for task in plan.tasks()] == ["first", "of the branch"]
