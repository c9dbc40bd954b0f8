"""A4, R0.01: no key leads out of a workspace or to another key's plan, by whichever entry."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.adapters.stores.layouts import LAYOUTS
from outlast.domain.limits import NAME_CHARACTERS
from outlast.errors import InvalidArgument, PlanNotFound
from outlast.ports.store import Layout
from outlast.system.keys import directory_name, key_of
from outlast.wiring.plan_list import list_plans
from outlast.wiring.plans import find_plan
from tests.system.test_keys import NASTY
from tests.wiring.places import SEED, drop, names


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
        assert key_of(name) in (key, "")
        assert (key_of(name) == key) == ("~" not in name and not _is_half(key))
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
        "é",
        "%ff",
        "%61",
        "a~b",
        "\udc80",
    ):
        assert key_of(name) == "", name


def _is_a_line(key: str) -> bool:
    return key.isprintable() and not key.isspace() and len(key) <= NAME_CHARACTERS


def _is_half(key: str) -> bool:
    """Whether a key has half of a character in it, which no plan's key has."""
    return any("\ud800" <= character <= "\udfff" for character in key)


def test_x1_made_up_keys_that_are_taken_are_made_up_again(tmp_path: Path) -> None:
    plans = [create_plan(tmp_path, "a") for _ in range(150)]
    assert len({plan.key for plan in plans}) == 150
    assert all(plan.key.startswith("a-") for plan in plans)
    for plan in plans:
        plan.close()
