"""A4, R0.01: no key leads out of a workspace or to another key's plan, by whichever entry."""

import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast import create_plan, open_plan
from outlast.errors import InvalidArgument, InvalidStatus, PlanNotFound
from outlast.model.commands import CreatePlan
from outlast.model.limits import NAME_CHARACTERS
from outlast.model.state import PlanState
from outlast.plan.home.layouts import LAYOUTS
from outlast.plan.home.workspace import Workspace
from outlast.plan.plan_list import list_plans
from outlast.plans import archive_plan, restore_plan
from outlast.store.port import Layout
from outlast.system.clock import now
from outlast.system.keys import directory_name, key_of
from tests.cli.processes import environment
from tests.plan.places import SEED, drop, find_plan, names
from tests.store.faults import QuickDisk
from tests.system.test_keys import NASTY


def inside(tmp_path: Path) -> Path:
    workspace = tmp_path / "a" / "b" / "workspace"
    workspace.mkdir(parents=True)
    return workspace


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a4_every_key_has_its_own_plan_inside_the_workspace(layout: Layout, tmp_path: Path) -> None:
    workspace = inside(tmp_path)
    made: dict[str, str] = {}
    refused: list[str] = []
    for key in NASTY:
        try:
            with create_plan(workspace, "Goal", key, layout=layout) as plan:
                made[key] = plan.id
        except InvalidArgument:
            refused.append(key)
    base = workspace.joinpath(*LAYOUTS[layout])
    assert len([path for path in base.iterdir() if path.is_dir()]) == len(made) > 80
    assert all(not _is_a_line(key) for key in refused)
    assert names(workspace) == [LAYOUTS[layout][0]]
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a" / "b") == ["workspace"]
    assert sorted(plan.key for plan in list_plans(str(workspace))) == sorted(made)
    for key, plan_id in made.items():
        with open_plan(workspace, key) as found, find_plan(str(workspace), key) as again:
            assert found.id == again.id == plan_id
            assert found.key == key


@pytest.mark.parametrize("key", NASTY, ids=range(len(NASTY)))
def test_a4_a_key_without_a_plan_finds_and_makes_nothing(key: str, tmp_path: Path) -> None:
    workspace = inside(tmp_path)
    create_plan(workspace, "Goal", "the only one").close()
    drop(tmp_path, SEED.read_bytes(), "outside")
    before = sorted(tmp_path.rglob("*"))
    for look in (open_plan, find_plan):
        with pytest.raises((PlanNotFound, InvalidArgument)):
            look(str(workspace), key)
    assert sorted(tmp_path.rglob("*")) == before


def test_r0_01_a_directory_tells_its_key_and_nothing_else_does() -> None:
    for key in NASTY:
        name = directory_name(key)
        has_digest = re.search("~[0-9a-f]{40}$", name)
        assert key_of(name) == key or (has_digest and key_of(name) == "")
    for name in (
        "",
        ".",
        "..",
        "A",
        "%zz",
        "%4",
        "%41b%",
        "a.",
        "-a",
        "É",
        "%ff",
        "%61",
        "a~b",
        "\udc80",
    ):
        assert key_of(name) == "", name


def _is_a_line(key: str) -> bool:
    return key.isprintable() and not key.isspace() and len(key) <= NAME_CHARACTERS


@pytest.mark.parametrize("place", ["files", "database"])
def test_u9_a_clash_gets_a_number(place: str, tmp_path: Path) -> None:
    where = str(tmp_path) if place == "files" else f"sqlite:///{tmp_path / 'plans.db'}"
    goals = ["Ship the thing", "Ship the thing!", "ship THE thing"]
    goals += ["发布新版本", "发布新版本", "?", "!"]
    keys = ["ship-the-thing", "ship-the-thing-2", "ship-the-thing-3"]
    keys += ["发布新版本", "发布新版本-2", "plan", "plan-2"]
    plans = [create_plan(where, goal) for goal in goals]
    assert [plan.key for plan in plans] == keys
    plans[1].abort("")
    for plan in plans:
        plan.close()
    name = archive_plan(where, "ship-the-thing-2")
    with create_plan(where, "Ship the thing") as plan:
        assert plan.key == "ship-the-thing-2", "a plan that was dropped leaves its key"
    with pytest.raises(InvalidStatus, match="drop it first"):
        restore_plan(where, name)


@pytest.mark.parametrize("layout", ["sessions", "code-agent"])
def test_u9_a_plan_in_another_layout_has_its_key_too(layout: Layout, tmp_path: Path) -> None:
    create_plan(tmp_path, "Ship it", layout=layout).close()
    with create_plan(tmp_path, "Ship it") as plan:
        assert plan.key == "ship-it-2"


@pytest.mark.parametrize("place", ["files", "database"])
def test_u9_plans_created_at_once_get_different_keys(place: str, tmp_path: Path) -> None:
    where = str(tmp_path) if place == "files" else f"sqlite:///{tmp_path / 'plans.db'}"
    start = threading.Barrier(8)

    def create(_: int) -> str:
        start.wait()
        with create_plan(where, "Ship the thing") as plan:
            return plan.key

    with ThreadPoolExecutor(8) as threads:
        keys = list(threads.map(create, range(8)))
    numbered = {"ship-the-thing", *(f"ship-the-thing-{number}" for number in range(2, 9))}
    assert set(keys) == numbered


KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60)


@given(st.lists(KEYS.filter(_is_a_line), min_size=1, max_size=4, unique=True))
@settings(max_examples=25)
def test_u9_the_list_of_plans_has_every_key_again(keys: list[str]) -> None:
    with TemporaryDirectory() as directory:
        workspace = Workspace(directory, QuickDisk())
        decomposed = Workspace(directory, DecomposingDisk())
        for key in keys:
            command = CreatePlan("plan_test", "Goal", key)
            workspace.create(command, "ann", now(), layout="outlast").close()
        assert sorted(workspace.plan_keys()) == sorted(decomposed.plan_keys()) == sorted(keys)
        for key in keys:
            archived = workspace.archive(key, now(), _allow)
            assert (archived.key, len(archived.name.encode()) < 255) == (key, True)
        assert sorted(plan.key for plan in decomposed.archived_plans()) == sorted(keys)
        assert all(workspace.known_layout(key) == "outlast" for key in keys)


def _allow(state: PlanState, at: datetime) -> None:
    """Let any plan be archived."""


class DecomposingDisk(QuickDisk):
    """A file system that lists names in NFD, as HFS+ does."""

    def list_directory(self, path: str) -> list[str]:
        return [normalize("NFD", name) for name in super().list_directory(path)]

    def open(self, path: str, flags: int, mode: int) -> int:
        return super().open(normalize("NFC", path), flags, mode)

    def exists(self, path: str) -> bool:
        return super().exists(normalize("NFC", path))


def test_u9_a_directory_in_another_normal_form_is_not_the_plan_of_the_key(tmp_path: Path) -> None:
    create_plan(tmp_path, "Goal", "caf\u00e9").close()
    plans = tmp_path / ".outlast" / "plans"
    (plans / "caf\u00e9").rename(plans / "cafe\u0301")
    assert Workspace(str(tmp_path), QuickDisk()).plan_keys() == []


_CREATE = """
from outlast import create_plan
from outlast.errors import StoreError
try:
    create_plan(".", "\\u53d1\\u5e03")
except StoreError as error:
    print(error.text, error.details["encoding"])
"""


def test_u9_a_locale_without_the_characters_of_a_key_is_named(tmp_path: Path) -> None:
    ascii_only = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    command = [sys.executable, "-c", _CREATE]
    printed = subprocess.check_output(command, cwd=tmp_path, env=ascii_only, text=True)  # noqa: S603 - our own
    assert printed == "key_not_encodable ascii\n"
    assert names(tmp_path) == []
