"""Which plan is meant by a key, a beginning of a key, a message, or none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.errors import DamagedJournal, InvalidArgument, InvalidDocument, PlanNotFound
from outlast.model.commands import ClaimPlan
from outlast.model.execute import return_commit
from outlast.model.plan_choice import PlanQuery
from outlast.plan.archive import archive_plan, drop_plan
from outlast.plan.home.find import plan_home_at
from outlast.plan.plans import Plans
from outlast.store.port import Notice
from tests.plan.places import SEED, drop

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.plan.home.find import PlanHome

PLACES = ["{}", "sqlite:///{}/plans.db"]
BROKEN = b'{"steps": ['


def make(where: str, **goals: str) -> PlanHome:
    for key, goal in goals.items():
        create_plan(where, goal, key).close()
    return plan_home_at(where)


def current(home: PlanHome, *, ended: bool = False) -> str:
    plans = Plans(home)
    with plans.find(PlanQuery(ended=ended)) as plan:
        return plans.key_of(plan)


def resolve_key(home: PlanHome, beginning: str) -> str:
    return Plans(home).choose(PlanQuery(key=beginning))


def resolve_variable(home: PlanHome, key: str) -> str:
    return Plans(home).choose(PlanQuery(variable=key))


def refuse_archived(home: PlanHome, key: str) -> None:
    Plans(home).refuse_archived(key)


def choose_key(home: PlanHome, message: str, notices: list[Notice], *, resume: bool = False) -> str:
    query = PlanQuery(message=message, resumes=resume)
    return Plans(home, notices=notices).choose(query)


def find_key_to_continue(home: PlanHome, notices: list[Notice]) -> str:
    try:
        return Plans(home, notices=notices).choose(PlanQuery(spends=True))
    except PlanNotFound as error:
        if error.text not in ("no_plan_yet", "no_open_plan"):
            raise
        return ""


def is_unfinished(home: PlanHome, key: str) -> bool:
    return Plans(home).choose(PlanQuery(kept=key, message="another goal")) == key


def make_current(home: PlanHome, key: str) -> None:
    Plans(home).make_current(key)


def test_u2_the_current_plan_comes_before_the_one_that_was_changed_last(tmp_path: Path) -> None:
    home = make(str(tmp_path), one="One", two="Two")
    assert current(home) == "two"
    make_current(home, "one")
    assert current(home) == current(home, ended=True) == "one"
    with open_plan(tmp_path, "one") as plan:
        plan.abort()
    assert (current(home), current(home, ended=True)) == ("two", "one")


def test_u2_a_current_plan_that_is_no_plan_does_not_count(tmp_path: Path) -> None:
    view = drop(tmp_path, BROKEN, "other")
    home = make(str(tmp_path), one="One")
    make_current(home, "other")
    assert current(home) == "one"
    assert view.read_bytes() == BROKEN
    unmerged = tmp_path / ".outlast" / "plans" / "unmerged" / "task_plan.md"
    unmerged.parent.mkdir()
    unmerged.write_text("# A\n<<<<<<< ours\n- [ ] a\n=======\n- [ ] b\n>>>>>>> theirs\n")
    make_current(home, "unmerged")
    with pytest.raises(InvalidDocument):
        current(home)


def test_u2_a_damaged_current_plan_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    home = make(str(tmp_path), one="One", two="Two")
    make_current(home, "one")
    (tmp_path / ".outlast" / "plans" / "one" / "journal.jsonl").write_bytes(b"nothing\n")
    with pytest.raises(DamagedJournal):
        current(home)


@pytest.mark.parametrize("place", PLACES)
def test_u2_a_key_may_be_shortened_to_a_unique_beginning(tmp_path: Path, place: str) -> None:
    home = make(place.format(tmp_path), ship="A", ships="B", write="C")
    assert [resolve_key(home, name) for name in ("ship", "ships", "w")] == [
        "ship",
        "ships",
        "write",
    ]
    assert resolve_key(home, "x") == "x", "opening it reports the keys"
    with pytest.raises(PlanNotFound, match="2 plans begin with shi: ship, ships"):
        resolve_key(home, "shi")
    with pytest.raises(InvalidArgument):
        resolve_key(home, " ")


@pytest.mark.parametrize("place", PLACES)
def test_u2_a_key_of_an_archived_plan_is_answered_with_its_name(tmp_path: Path, place: str) -> None:
    where = place.format(tmp_path)
    home = make(where, ship="A", other="B", **{"ship-2": "C"})
    open_plan(where, "ship").abort()
    name = archive_plan(where, "ship")
    for refuse in (resolve_key, refuse_archived):
        with pytest.raises(PlanNotFound, match=f"outlast restore {name}") as caught:
            refuse(home, "ship")
        assert caught.value.details["candidates"] == ["other", "ship-2"]
    refuse_archived(home, "other")
    assert resolve_key(home, "shi") == "ship-2"


@pytest.mark.parametrize("place", PLACES)
def test_u2_the_key_in_the_variable_is_never_shortened(tmp_path: Path, place: str) -> None:
    where = place.format(tmp_path)
    home = plan_home_at(where)
    with pytest.raises(PlanNotFound, match="No plan found"):
        resolve_variable(home, "ship")
    home = make(where, ships="A", gone="B")
    assert resolve_variable(home, "ships") == "ships"
    with pytest.raises(PlanNotFound, match="There is no plan ship, which OUTLAST_PLAN names"):
        resolve_variable(home, "ship")
    name = drop_plan(where, "gone")
    with pytest.raises(PlanNotFound, match=f"outlast restore {name}"):
        resolve_variable(home, "gone")


@pytest.mark.parametrize("place", PLACES)
def test_u1_a_message_chooses_the_plan(tmp_path: Path, place: str) -> None:
    where, notices = place.format(tmp_path), list[Notice]()
    home = make(where)
    for message in ("Paint it", "continue", "cancel"):
        assert choose_key(home, message, notices) == ""
    home = make(where, old="Paint it", paint="Paint it", sell="Sell it")
    assert choose_key(home, " Paint  it", notices) == "paint", "it was changed last"
    assert choose_key(home, "Wash it", notices) == ""
    assert choose_key(home, "Wash it", notices, resume=True) == "sell"
    assert choose_key(home, "continue", notices) == "sell"
    for key in ("sell", "paint"):
        open_plan(where, key).abort()
    assert choose_key(home, "Paint it", notices) == "old"
    assert choose_key(home, "continue", notices) == "old"
    assert choose_key(home, "cancel", notices) == "old"
    open_plan(where, "old").abort()
    assert choose_key(home, "Paint it", notices) == ""
    assert choose_key(home, "not done yet", notices) == "old"
    assert notices == []


def test_u1_the_current_plan_comes_first_and_is_not_cancelled_after_its_end(tmp_path: Path) -> None:
    home, notices = make(str(tmp_path), old="Paint it", new="Paint it"), list[Notice]()
    make_current(home, "old")
    assert choose_key(home, "Paint it", notices) == "old"
    open_plan(tmp_path, "old").abort()
    assert choose_key(home, "Paint it", notices) == "new"
    for phrase in ("continue", "cancel"):
        assert choose_key(home, phrase, notices) == "old"
    with pytest.raises(PlanNotFound, match="Plan old has ended; open plans: new;"):
        choose_key(home, "Use blue", notices, resume=True)
    open_plan(tmp_path, "new").abort()
    assert choose_key(home, "Use blue", notices, resume=True) == "old"
    make_current(home, "new")
    create_plan(tmp_path, "Third", "third").close()
    make_current(home, "third")
    assert choose_key(home, "Use blue", notices, resume=True) == "third"


def test_u2_what_spends_goes_on_with_the_current_plan_or_the_only_unfinished_one(
    tmp_path: Path,
) -> None:
    view, notices = drop(tmp_path, BROKEN, "other"), list[Notice]()
    home = plan_home_at(tmp_path)
    with pytest.raises(InvalidDocument):
        Plans(home).find(PlanQuery(spends=True))
    make(str(tmp_path), one="One")
    make_current(home, "other")
    assert find_key_to_continue(home, notices) == "one", "the current plan is none"
    assert [details["path"] for _, details in notices] == [str(view)]
    make(str(tmp_path), two="Two")
    with pytest.raises(PlanNotFound, match="No plan is the current one; open plans: two, one;"):
        find_key_to_continue(home, [])
    make_current(home, "one")
    assert find_key_to_continue(home, []) == "one"
    open_plan(tmp_path, "one").abort()
    with pytest.raises(PlanNotFound, match="Plan one has ended; open plans: two;"):
        find_key_to_continue(home, [])
    open_plan(tmp_path, "two").abort()
    assert find_key_to_continue(home, []) == ""


def test_u1_a_plan_that_is_still_leased_keeps_its_goal(tmp_path: Path) -> None:
    home = make(str(tmp_path), ship="Ship it")
    with open_plan(tmp_path, "ship") as plan:
        plan.core.commit((ClaimPlan("agent", 60),), return_commit)
        plan.abort()
    assert choose_key(home, "Ship it", []) == "ship"


def test_r0_12_what_cannot_be_read_is_named_and_no_goal(tmp_path: Path) -> None:
    view, notices = drop(tmp_path, BROKEN, "other"), list[Notice]()
    assert choose_key(plan_home_at(tmp_path), "Ship it", notices) == ""
    assert [(key, details["path"]) for key, details in notices] == [
        ("plan_file_unreadable", str(view))
    ]


@pytest.mark.parametrize("place", PLACES)
def test_u1_a_plan_that_is_gone_is_not_unfinished(tmp_path: Path, place: str) -> None:
    where = place.format(tmp_path)
    home = make(where, one="One", two="Two")
    open_plan(where, "two").abort()
    assert [is_unfinished(home, key) for key in ("one", "two", "gone")] == [True, False, False]


def test_u1_a_plan_of_another_program_is_found_by_its_goal(tmp_path: Path) -> None:
    drop(tmp_path, SEED.read_bytes(), "chat")
    goal = open_plan(tmp_path, "chat").goal
    assert choose_key(plan_home_at(tmp_path), goal, []) == "chat"
