"""One door to plans in a workspace: create, open, find."""

import inspect
import logging
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import AgentLoop, AsyncPlan, Check, Plan, PlanManager, create_plan, open_plan
from outlast.errors import (
    CheckNotApproved,
    InvalidArgument,
    NewerFormat,
    PlanExists,
    PlanNotFound,
    StoreError,
)
from outlast.plans import drop_plan, open_archived
from outlast.sessions import PlanningService
from outlast.store.journal import add_checksum
from tests.plan.places import elsewhere

NASTY = [
    "telegram:123/..",
    "..",
    ".",
    "a/b",
    "A",
    "a",
    "%41",
    "~",
    "CON",
    "键",
    "x" * 500,
    "e\u0301",
    "é",
]


def journal(workspace: Path, name: str) -> Path:
    return workspace / ".outlast" / "plans" / name / "journal.jsonl"


def test_x1_a_plan_outlasts_its_process(tmp_path: Path) -> None:
    plan = create_plan(str(tmp_path), "Ship it", "ship")
    plan.add("Build")
    plan.complete(1, "built")
    again = open_plan(str(tmp_path), "ship")
    assert again.tasks() == plan.tasks()
    assert (again.id, again.key, again.revision) == (plan.id, "ship", plan.revision)
    again.add("Publish")
    assert plan.task(2).name == "Publish"


def test_r0_01_keys_never_leave_the_workspace_nor_share_a_directory(tmp_path: Path) -> None:
    for key in NASTY:
        create_plan(str(tmp_path), f"goal of {key}", key)
    plans = tmp_path / ".outlast" / "plans"
    assert len(list(plans.iterdir())) == len(NASTY)
    assert [entry.name for entry in tmp_path.iterdir()] == [".outlast"]
    for key in NASTY:
        assert open_plan(str(tmp_path), key).goal == f"goal of {key}"


def test_x1_a_key_is_made_from_the_goal(tmp_path: Path) -> None:
    plan = create_plan(str(tmp_path), "Add OAuth to the login, please, and soon")
    assert plan.key == "add-oauth-to-the"
    assert create_plan(str(tmp_path), "登录").key == "登录"


def test_x1_a_plan_is_made_once(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    with pytest.raises(
        PlanExists, match=r"There is already a plan at .*; use that plan, or choose another key"
    ):
        create_plan(str(tmp_path), "Ship it again", "ship")
    assert open_plan(str(tmp_path), "ship").goal == "Ship it"


def test_u2_an_open_plan_needs_no_key(tmp_path: Path) -> None:
    with pytest.raises(PlanNotFound, match=r"No plan found for .*; create one"):
        open_plan(str(tmp_path))
    done = create_plan(str(tmp_path), "Done", "done")
    done.add("a")
    done.complete(1)
    with pytest.raises(PlanNotFound, match="ended plans: done"):
        open_plan(str(tmp_path))
    create_plan(str(tmp_path), "One", "one")
    assert open_plan(str(tmp_path)).key == "one"
    create_plan(str(tmp_path), "Two", "two")
    assert open_plan(str(tmp_path)).key == "two"
    open_plan(str(tmp_path), "one").add("a")
    assert open_plan(str(tmp_path)).key == "one"
    with pytest.raises(PlanNotFound) as caught:
        open_plan(str(tmp_path), "three")
    assert caught.value.details["candidates"] == ["done", "one", "two"]


def test_x1_where_no_plan_is_at_all_none_is_listed(tmp_path: Path) -> None:
    for key in (None, "ship"):
        with pytest.raises(PlanNotFound, match=r"No plan found for .*; create one"):
            open_plan(tmp_path, key)
    with pytest.raises(PlanNotFound, match=r"^There is no plan at memory:$"):
        open_plan("memory:")


@pytest.mark.parametrize(
    "use", [lambda: create_plan(":memory:", "g"), lambda: open_plan(":memory:")]
)
def test_the_name_that_sqlite_gives_memory_is_explained(use: Callable[[], Plan]) -> None:
    with pytest.raises(InvalidArgument, match="memory: is a plan in memory") as refused:
        use()
    assert refused.value.text == "not_memory"


def test_a5_files_are_private_and_stay_out_of_git(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    home = tmp_path / ".outlast"
    assert (home / ".gitignore").read_text() == "*\n"
    for path in [home, *home.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_opening_never_creates(tmp_path: Path) -> None:
    with pytest.raises(PlanNotFound):
        open_plan(str(tmp_path), "nothing")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="There is no directory"):
        open_plan(str(tmp_path / "missing"))
    with pytest.raises(InvalidArgument, match="where: expected str"):
        create_plan(7, "goal")  # type: ignore[arg-type]


def test_a_bad_goal_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="goal: expected"):
        create_plan(str(tmp_path), "\ud800")
    with pytest.raises(InvalidArgument, match="key: expected"):
        create_plan(str(tmp_path), "goal", "\ud800")
    with pytest.raises(InvalidArgument, match="key: "):
        create_plan(str(tmp_path), "goal", "", layout="outlast")
    assert list(tmp_path.iterdir()) == []


def test_f6_a_torn_end_is_mended_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    with journal(tmp_path, "ship").open("ab") as file:
        file.write(b'{"revision":3')
    with caplog.at_level(logging.WARNING, "outlast"):
        assert open_plan(str(tmp_path), "ship").revision == 2
    assert "An incomplete last line of 13 bytes was set aside" in caplog.text


def test_f17_a_newer_form_is_refused_and_left_alone(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    path = journal(tmp_path, "ship")
    path.write_bytes(add_checksum(b'{"outlast":"journal","format":2,"key":"ship"}'))
    before = path.read_bytes()
    with pytest.raises(NewerFormat, match="update Outlast"):
        open_plan(str(tmp_path), "ship")
    assert path.read_bytes() == before


def test_a_model_works_on_a_plan_in_files(tmp_path: Path) -> None:
    manager = PlanManager(create_plan(str(tmp_path), "Ship it", "ship"))
    manager.initializePlan("Ship it", [{"name": "a"}, {"name": "b", "dependencies": [1]}])
    manager.completeTask(1, "x")
    again = PlanManager(open_plan(str(tmp_path), "ship"))
    assert again.to_dict() == manager.to_dict()
    assert again.startNextTask()["data"]["task"]["id"] == 2
    elsewhere(tmp_path, "ship", 3)
    assert manager.getTaskById(5)["data"]["task"]["name"] == "other 2"
    assert again.to_dict() == manager.to_dict()


@pytest.mark.parametrize("is_created", [True, False])
def test_u7_a_program_acts_as_an_agent_unless_it_says_otherwise(
    is_created: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    plan = create_plan(tmp_path, "Make it", "k")
    if not is_created:
        plan.close()
        plan = open_plan(tmp_path, "k")
    made = Check("file", "made.txt")
    (tmp_path / "made.txt").touch()
    with plan:
        plan.add("one", checks=[made])
        assert (plan.actor, plan.history.commits(1)[0].author) == ("agent", "agent")
        assert plan.checks.unapproved() == {1: (made,)}
        for attempt in (plan.complete, plan.checks.approve):
            with pytest.raises((CheckNotApproved, InvalidArgument)):
                attempt(1)
        with pytest.raises(InvalidArgument, match="human"):
            plan.complete(1, force=True)
        person = plan.acting_as("human")
        assert person.checks.approve().count == 1
        person.add("two", checks=[Check("file", "other.txt")])
        assert plan.checks.unapproved() == {}
        assert plan.complete(1).how == "proved"


def test_u7_every_public_entry_point_acts_as_an_agent() -> None:
    entries = (AgentLoop, AsyncPlan.create, AsyncPlan.open, PlanManager, PlanManager.from_dict)
    for entry in (*entries, PlanningService, create_plan, open_plan, open_archived, drop_plan):
        assert inspect.signature(entry).parameters["actor"].default == "agent", entry


def test_u7_inside_a_coding_agent_a_program_is_no_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with create_plan(tmp_path, "Make it", "k", actor="human") as plan:
        plan.add("one", checks=[Check("person", "it looks right")])
        plan.add("two")
    monkeypatch.setenv("CLAUDECODE", "1")
    for where in (tmp_path, "memory:", f"sqlite:///{tmp_path}/plans.db"):
        with pytest.raises(InvalidArgument, match="claude-code runs this"):
            create_plan(where, "Make more", actor="human")
    file = tmp_path / ".outlast/plans/k/task_plan.md"
    file.write_text(file.read_text().replace("[ ] ○ **2** two", "[x] ● **2** two"))
    with open_plan(tmp_path, "k", actor="human") as plan:
        assert (plan.status, plan.task(2).status) == ("running", "completed")
        assert plan.history.commits(1)[0].author == "unattributed"
        for attempt in (
            lambda: plan.add("three"),
            lambda: plan.complete(1, force=True),
            lambda: plan.checks.confirm(1),
            plan.checks.approve,
        ):
            with pytest.raises(InvalidArgument, match="CLAUDECODE is set"):
                attempt()
        assert plan.acting_as("bot").add("three").id == 3


def test_u7_a_program_names_the_person_it_acts_for(tmp_path: Path) -> None:
    for where in (tmp_path, f"sqlite:///{tmp_path}/plans.db"):
        with create_plan(where, "Make it", "k") as plan:
            ada = plan.acting_as("human", person="Ada 五")
            ada.add("one")
            ada.acting_as("bot").add("two")
            ada.with_lease(ada.claim(1), "once").add("three")
        with open_plan(where, "k", actor="human") as plan:
            plan.add("four")
            commits = plan.history.commits()
        names = [(commit.author, commit.person) for commit in reversed(commits)]
        person = ("human", "Ada 五")
        assert names[1:] == [person, ("bot", ""), person, person, ("human", "")]
    with pytest.raises(InvalidArgument, match="person"):
        plan.acting_as("human", person="a\nb")
