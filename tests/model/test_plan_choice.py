"""Which plan is meant: the rules, without a disk (U1, U2)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.errors import (
    DamagedJournal,
    InvalidArgument,
    InvalidDocument,
    PlanNotFound,
    WrongUsage,
)
from outlast.model.plan_choice import (
    NEVER,
    UNREADABLE,
    Place,
    PlanEntry,
    PlanQuery,
    ServerQuery,
    choose_for_call,
    choose_for_session,
    choose_plan,
)

if TYPE_CHECKING:
    from outlast.errors import OutlastError

FOREIGN = InvalidDocument(UNREADABLE, path="plan.json", key="x", problem="")
GONE = PlanNotFound("plan_not_found", key="x", where="", candidates=[])
DAMAGED = DamagedJournal("journal_damaged", path="", line=1)


def entry(  # noqa: PLR0913 - one keyword for each fact
    key: str,
    goal: str = "",
    changed: int = 0,
    *,
    ended: bool = False,
    leased: bool = False,
    title: str = "",
    error: OutlastError | None = None,
) -> PlanEntry:
    at = NEVER + timedelta(seconds=changed)
    return PlanEntry(key, not ended, at, goal, title, leased, error=error)


def place(*entries: PlanEntry, current: str = "", **more: Any) -> Place:
    plans = {each.key: each for each in entries}
    return Place(plans, lambda: current, "here", "root", **more)


def choose(where: Place, **query: Any) -> str:
    return choose_plan(PlanQuery(**query), where)


def choose_served(query: ServerQuery, where: Place) -> str:
    return choose_for_session(query, where) or choose_for_call(query, where)


def refusal(where: Place, **query: Any) -> tuple[str, dict[str, Any]]:
    with pytest.raises(PlanNotFound) as caught:
        choose(where, **query)
    return caught.value.text, caught.value.details


OLD, NEW = entry("old", "Paint it", 1), entry("new", "Sell it", 2)
OVER = entry("over", "Wash it", 3, ended=True)


@pytest.mark.parametrize(
    ("current", "ended", "key"),
    [
        ("", False, "new"),
        ("", True, "new"),
        ("old", False, "old"),
        ("over", False, "new"),
        ("over", True, "over"),
    ],
)
def test_u2_without_a_name_it_is_the_current_plan_else_the_one_changed_last(
    *, current: str, ended: bool, key: str
) -> None:
    assert choose(place(OLD, NEW, OVER, current=current), ended=ended) == key


def test_u2_where_no_plan_is_open_the_error_names_what_there_is() -> None:
    assert refusal(place())[0] == "no_plan_yet"
    assert refusal(place(is_database=True))[0] == "no_plan_there"
    text, details = refusal(place(OVER, entry("x", error=FOREIGN), current="over"))
    assert (text, details["candidates"]) == ("no_open_plan", ["over"])
    assert choose(place(OVER), ended=True) == "over"


def test_u2_a_file_that_is_no_plan_counts_only_alone_and_damage_counts_as_unfinished() -> None:
    foreign, damaged = entry("x", error=FOREIGN), entry("broken", error=DAMAGED)
    assert choose(place(foreign, OLD, current="x")) == "old"
    assert choose(place(foreign, current="x")) == "x", "to open it tells what is wrong"
    assert choose(place(damaged, OLD)) == "old"
    assert choose(place(damaged, OLD, current="broken")) == "broken"
    assert choose(place(damaged, OVER)) == "broken"


def test_u2_a_typed_key_comes_first_and_may_be_shortened() -> None:
    where = place(entry("ship"), entry("ships"), entry("write"), current="write")
    assert [choose(where, key=key) for key in ("ship", "ships", "w", "x")] == [
        "ship",
        "ships",
        "write",
        "x",
    ]
    assert choose(where, key="w", option="write", variable="ship", attached="ship") == "write"
    with pytest.raises(WrongUsage):
        choose(where, key="w", option="ship")
    text, details = refusal(where, key="shi")
    assert (text, details["candidates"]) == ("key_ambiguous", ["ship", "ships"])
    with pytest.raises(InvalidArgument):
        choose(where, key="")


def test_u2_a_key_in_the_archive_comes_before_a_longer_one() -> None:
    where = place(entry("ship-2"), archived=lambda: {"ship": "ship-1999"})
    for field in ("key", "variable"):
        text, details = refusal(where, **{field: "ship"})
        assert (text, details["name"]) == ("plan_in_archive", "ship-1999")
    assert choose(where, key="shi") == "ship-2"


def test_u2_the_variable_is_never_shortened_and_the_session_comes_after_it() -> None:
    where = place(OLD, NEW, current="new")
    assert choose(where, variable="old", attached="new") == "old"
    assert refusal(where, variable="ol")[0] == "variable_plan_missing"
    assert refusal(place(), variable="ol")[1]["where"] == "root"
    assert choose(where, attached="old") == "old"
    assert choose(where, attached="gone") == "new"
    assert choose(where, attached="old", message="Sell it") == "old"


@pytest.mark.parametrize(
    ("message", "current", "resumes", "key"),
    [
        ("Paint  it", "", False, "old"),
        ("Tidy up", "", False, ""),
        ("Wash it", "", False, ""),
        ("continue", "", False, "new"),
        ("continue", "over", False, "over"),
        ("Tidy up", "old", True, "old"),
        ("Tidy up", "", True, "new"),
        ("not done yet", "old", False, "old"),
    ],
)
def test_u1_a_message_is_a_goal_or_about_the_current_plan(
    *, message: str, current: str, resumes: bool, key: str
) -> None:
    where = place(OLD, NEW, OVER, current=current)
    assert choose(where, message=message, resumes=resumes) == key


def test_u1_of_several_plans_with_a_goal_it_is_the_current_one_else_the_last() -> None:
    twins = (entry("a", "Go", 1), entry("b", "Go", 2), entry("c", "Go", 3, error=GONE))
    assert choose(place(*twins), goal="Go") == "b"
    assert choose(place(*twins, current="a"), message="Go") == "a"
    left = entry("left", "Go", ended=True, leased=True)
    assert choose(place(left), message="Go") == "left", "its run may have died at the end"
    assert choose(place(OLD), message="Paint ***", goal="Paint it") == "old", "as it is stored"
    assert choose(place(), message="continue") == ""


def test_u1_a_conversation_keeps_its_plan_until_that_ends_or_is_gone() -> None:
    where = place(OLD, NEW, OVER, entry("gone", error=GONE), current="new")
    assert choose(where, kept="old", message="Tidy up") == "old"
    for key in ("over", "gone", "never"):
        assert choose(where, kept=key, message="Sell it") == "new"


def test_u2_what_spends_never_goes_over_to_another_plan() -> None:
    assert choose(place(OLD, NEW, current="old"), spends=True) == "old"
    assert choose(place(OLD, OVER), spends=True) == "old", "the only one"
    text, details = refusal(place(OLD, NEW), spends=True)
    assert (text, details["candidates"]) == ("no_current_plan", ["new", "old"])
    text, details = refusal(place(OLD, OVER, current="over"), spends=True)
    assert (text, details["key"], details["other"]) == ("current_plan_ended", "over", "old")
    assert refusal(place(OVER, current="over"), spends=True)[0] == "no_open_plan"
    foreign = entry("x", error=FOREIGN)
    assert choose(place(foreign, OLD, current="x"), spends=True) == "old"


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ({}, "new"),
        ({"goal": "Sell it"}, "new"),
        ({"goal": "Tidy up"}, ""),
        ({"is_for_one_session": True}, ""),
        ({"is_for_one_session": True, "goal": "Sell it"}, "new"),
        ({"bound": "old"}, "old"),
        ({"bound": "old", "goal": "Tidy up"}, ""),
        ({"bound": "old", "goal": "Tidy up", "has_changed_bound": True}, "old"),
        ({"bound": "over", "goal": "Tidy up", "has_changed_bound": True}, ""),
        ({"bound": "gone"}, "new"),
        ({"attached": "old", "bound": "new"}, "old"),
        ({"attached": "old", "goal": "Tidy up"}, "old"),
        ({"attached": "over"}, "over"),
        ({"attached": "over", "goal": "Wash it"}, "over"),
        ({"attached": "over", "goal": "Sell it"}, "new"),
        ({"attached": "over", "bound": "old"}, "old"),
        ({"attached": "gone"}, "new"),
        ({"named": "ol", "attached": "new", "goal": "Tidy up"}, "old"),
    ],
)
def test_u1_a_call_of_a_server_is_about_the_first_of_four(query: dict[str, Any], key: str) -> None:
    where = place(OLD, NEW, OVER, current="new")
    assert choose_served(ServerQuery(**query), where) == key
    is_chosen = key and key != "new" and query.get("bound") != key
    assert choose_for_session(ServerQuery(**query), where) == (key if is_chosen else "")


def test_u1_a_plan_without_a_goal_takes_that_of_any_call_but_of_one_session() -> None:
    where = place(entry("empty"))
    assert choose_served(ServerQuery(goal="Go"), where) == "empty"
    assert choose_served(ServerQuery(goal="Go", is_for_one_session=True), where) == ""
    assert choose_served(ServerQuery(goal="Go"), place(entry("t", title="Go"))) == "t"
    damaged = place(entry("broken", error=DAMAGED))
    assert choose_served(ServerQuery(goal="Go"), damaged) == "broken", "to open it tells why"
    assert choose_served(ServerQuery(), place(OVER)) == ""


ENTRIES = st.builds(
    entry,
    st.sampled_from("abcd"),
    st.sampled_from(["", "Go", "Stay"]),
    st.integers(0, 3),
    ended=st.booleans(),
    leased=st.booleans(),
    error=st.sampled_from([None, None, FOREIGN, DAMAGED]),
)
PLACES = st.builds(
    lambda entries, current: place(
        *entries, current=current if current in {each.key for each in entries} else ""
    ),
    st.lists(ENTRIES, unique_by=lambda each: each.key),
    st.sampled_from(["", "a", "b"]),
)


QUERIES = st.builds(
    PlanQuery,
    ended=st.booleans(),
    spends=st.booleans(),
    message=st.sampled_from([None, "Go", "continue"]),
    resumes=st.booleans(),
)


@given(PLACES, QUERIES)
def test_u2_what_is_chosen_is_there_and_nothing_better_is(where: Place, query: PlanQuery) -> None:
    plans = [each for each in where.plans.values() if not each.is_foreign_file]
    unfinished = [each for each in plans if each.is_unfinished]
    is_new_goal = query.message == "Go" and not query.resumes
    current = where.plans.get(where.current())
    try:
        key = choose_plan(query, where)
    except PlanNotFound:
        key = ""
    if not key:
        is_unclear = query.spends or query.resumes
        assert is_new_goal or is_unclear or not unfinished, "one that is open is found"
    elif current in unfinished and not is_new_goal:
        assert key == where.current(), "the unfinished current plan comes first"
    elif is_new_goal:
        assert where.plans[key].goal == "Go"
        assert where.plans[key].is_unfinished or where.plans[key].is_leased
    elif key != where.current():
        assert where.plans[key] in (unfinished or plans or where.plans.values())
        assert all(other.updated_at <= where.plans[key].updated_at for other in unfinished)
