"""One door to plans in a database: `sqlite:///FILE`."""

import asyncio
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

from outlast import PlanManager, create_plan, open_plan
from outlast.agent.tools.choice import built_in_tools
from outlast.errors import DamagedJournal, InvalidArgument, PlanExists, PlanNotFound, StoreError
from outlast.plan.home.find import database_at, is_url
from outlast.plan.plan_list import list_plans, repair_plan
from tests.plan.places import names

WRONG = [
    "sqlite:",
    "sqlite:plans.db",
    "sqlite:/plans.db",
    "sqlite://plans.db",
    "sqlite:///",
    "sqlite:////",
    "sqlite:///plans/",
    "sqlite:///:memory:",
    "sqlite:///plans.db?mode=ro",
    "sqlite:///plans.db#key",
    "sqlite:///plans\0.db",
]


@contextmanager
def inside(directory: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def test_x1_a_plan_in_a_database_outlasts_its_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    with create_plan(url, "Ship it", "ship") as plan:
        plan.add("Build")
        plan.complete(1, "built")
        with open_plan(url, "ship") as again:
            assert again.tasks() == plan.tasks()
            assert (again.id, again.key, again.revision) == (plan.id, "ship", plan.revision)
            again.add("Publish")
        assert plan.task(2).name == "Publish"
    assert names(tmp_path) == ["plans.db"]
    assert stat.S_IMODE((tmp_path / "plans.db").stat().st_mode) == 0o600


def test_x1_three_slashes_lead_from_here_and_four_from_the_root(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    with inside(tmp_path):
        create_plan("sqlite:///plans.db", "Here", "a").close()
        create_plan("sqlite:///below/plans.db", "Below", "a").close()
    assert open_plan(f"sqlite:///{tmp_path}/plans.db").goal == "Here"
    assert open_plan(f"sqlite:///{tmp_path}/below/plans.db").goal == "Below"
    with inside(tmp_path / "below"):
        assert open_plan("sqlite:///../plans.db").goal == "Here"


@pytest.mark.parametrize("url", WRONG)
def test_m9_a_wrong_url_is_said_to_be_one(url: str, tmp_path: Path) -> None:
    with inside(tmp_path):
        for attempt in (open_plan, list_plans, lambda where: create_plan(where, "Goal")):
            with pytest.raises(InvalidArgument) as caught:
                attempt(url)
            assert (caught.value.text, caught.value.details["value"]) == ("bad_database_url", url)
            assert "sqlite:///FILE" in str(caught.value)
        assert names(tmp_path) == []


def test_x1_odd_names_of_files_are_taken_as_they_are(tmp_path: Path) -> None:
    for name in ("a b.db", "50%25.db", "键.db", "a&mode=ro", "x;y"):
        url = f"sqlite:///{tmp_path}/{name}"
        create_plan(url, "Goal", "k").close()
        assert open_plan(url).goal == "Goal"
        assert (tmp_path / name).exists()


def test_x1_only_a_text_is_a_url(tmp_path: Path) -> None:
    assert is_url("sqlite:whatever")
    assert not is_url(tmp_path)
    assert not is_url("memory:")
    assert database_at(f"sqlite:///{tmp_path}/x.db").path == str(tmp_path.resolve() / "x.db")


def test_u2_without_a_key_it_is_the_plan_of_a_database_that_was_changed_last(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    with pytest.raises(PlanNotFound) as caught:
        open_plan(url)
    assert (caught.value.text, names(tmp_path)) == ("no_plan_there", [])
    create_plan(url, "First", "first").close()
    assert open_plan(url).key == "first"
    with create_plan(url, "Second") as second:
        second_key = second.key
    assert second_key == "second"
    assert open_plan(url).key == second_key
    with open_plan(url, "first") as first:
        first.add("a")
        assert open_plan(url).key == "first"
        first.abort()
    assert open_plan(url).key == second_key
    with pytest.raises(PlanNotFound):
        open_plan(url, "third")
    with pytest.raises(PlanExists):
        create_plan(url, "Again", "first")


class Place:
    """A path of another library."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __fspath__(self) -> str:
        return self._path


@pytest.mark.parametrize("kind", [str, Path, Place])
def test_x1_functions_on_a_workspace_take_paths_of_every_kind(
    kind: Callable[[Path], Any], tmp_path: Path
) -> None:
    where = kind(tmp_path)
    with create_plan(where, "Ship", "ship") as plan:
        plan.add("One")
    assert [plan.key for plan in list_plans(where)] == ["ship"]
    assert repair_plan(where, "ship") == []
    read_file = built_in_tools(where)[0]
    (tmp_path / "note").write_text("hello", encoding="utf-8")
    assert "hello" in asyncio.run(read_file.run({"path": "note"}))
    with pytest.raises(PlanNotFound, match="No plan found"):
        repair_plan(kind(Path("/")), "ship")


@pytest.mark.parametrize("function", [list_plans, lambda start: repair_plan(start, "a")])
def test_m9_what_is_no_path_is_refused(function: Callable[[Any], object]) -> None:
    with pytest.raises(InvalidArgument, match="start: "):
        function(3)


def test_r0_01_the_plans_of_a_database_at_a_glance(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    assert list_plans(url) == []
    for key in ("a", "b"):
        with create_plan(url, f"Goal {key}", key) as plan:
            plan.add("one")
            plan.add("two")
            plan.complete(1)
    found = list_plans(url, thorough=True)
    assert [(plan.key, plan.title, plan.done, plan.total) for plan in found] == [
        ("a", "Goal a", 1, 2),
        ("b", "Goal b", 1, 2),
    ]
    assert [plan.problem for plan in found] == [None, None]


def test_f6_a_damaged_plan_is_read_and_said_to_be_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    with create_plan(url, "Goal", "a") as plan:
        plan.add("one")
        plan.add("two")
    create_plan(url, "Other", "b").close()
    with closing(connect(tmp_path / "plans.db", isolation_level=None)) as connection:
        connection.execute("update commits set line = x'00' where plan = 1 and place = 3")
    with caplog.at_level(logging.WARNING, "outlast"), open_plan(url, "a") as plan:
        assert [task.name for task in plan.tasks()] == ["one"]
        with pytest.raises(DamagedJournal) as caught:
            plan.add("three")
    assert "damaged at its commit 3" in str(caught.value)
    assert "damaged at its commit 3" in caplog.text
    for thorough in (False, True):
        damaged, whole = list_plans(url, thorough=thorough)
        assert isinstance(damaged.problem, DamagedJournal)
        assert (damaged.notices, whole.problem) == ((), None)


def test_m9_a_database_has_one_layout_and_needs_its_directory(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument):
        create_plan(f"sqlite:///{tmp_path}/plans.db", "Goal", layout="sessions")
    with pytest.raises(StoreError):
        create_plan(f"sqlite:///{tmp_path}/nowhere/plans.db", "Goal")
    with pytest.raises(StoreError):
        create_plan(f"sqlite:///{tmp_path}", "Goal")
    assert names(tmp_path) == []


def test_r2_a_manager_works_on_a_plan_in_a_database(tmp_path: Path) -> None:
    plan = create_plan(f"sqlite:///{tmp_path}/plans.db", "Goal", "a")
    manager = PlanManager(plan)
    assert manager.addTask("one", [], "why")["success"]
    assert open_plan(f"sqlite:///{tmp_path}/plans.db").task(1).name == "one"
    plan.close()
