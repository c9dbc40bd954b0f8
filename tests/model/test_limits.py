"""M9: what single values may look like, wherever they enter."""

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Check, Plan
from outlast.errors import InvalidArgument
from outlast.model import commands as c
from outlast.model.limits import (
    check_actor,
    check_commit_labels,
    check_form,
    check_name,
    check_ref,
    check_text,
    check_tuple,
    display_key,
    json_words,
    shorten_name,
    wrong_type_error,
)
from outlast.model.model import PERSON, Task
from outlast.model.state import PlanState
from tests.making import make_plan
from tests.model.timed_plan import TimedPlan


class Word(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    ("length", "ends"), [(999, "字"), (1_000, "字"), (1_001, "…"), (5_000, "…")]
)
def test_m9_a_name_that_is_too_long_can_be_shortened(length: int, ends: str) -> None:
    name = shorten_name("字" * length)
    assert (len(name), name[-1]) == (min(length, 1_000), ends)


def test_m9_a_name_has_at_most_1000_characters() -> None:
    plan = make_plan()
    assert plan.add("字" * 1000).name == "字" * 1000
    with pytest.raises(InvalidArgument, match="name: expected at most 1,000 characters, got 1,001"):
        plan.add("字" * 1001)


@pytest.mark.parametrize("line_break", ["\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028"])
@pytest.mark.parametrize("around", ["a{}b", "{}a", "a{}"])
def test_m9_a_name_stands_on_one_line(line_break: str, around: str) -> None:
    with pytest.raises(InvalidArgument, match="name: expected a single line"):
        make_plan().add(around.format(line_break))


@pytest.mark.parametrize("blank", ["", " ", "\t \u3000"])
def test_m9_a_name_is_not_blank(blank: str) -> None:
    with pytest.raises(InvalidArgument, match="name: expected some text"):
        make_plan().add(blank)


@pytest.mark.parametrize(
    "name",
    [
        "Human",
        "HUMAN ",
        "ｈｕｍａｎ",
        "human\u200b",
        "@human",
        "human (mira)",
        "human（五）",
        "(human)",
    ],
)
def test_u7_a_name_that_reads_like_a_person_is_no_agents(name: str) -> None:
    with pytest.raises(InvalidArgument, match="reads like a person"):
        make_plan().acting_as(name)


@pytest.mark.parametrize("name", [PERSON, "human-helper", "humane", "智能体", "(bot)", "()"])
def test_u7_other_names_are_names_of_actors(name: str) -> None:
    assert check_actor(name) == name


def test_m9_other_invisible_characters_are_kept() -> None:
    assert make_plan().add("tab\there \x1b[31m").name == "tab\there \x1b[31m"


TEXTS: list[tuple[str, Callable[[Plan, str], object]]] = [
    ("reasoning", lambda plan, text: plan.add("x", reasoning=text)),
    ("reasoning", lambda plan, text: plan.update(1, reasoning=text)),
    ("active_form", lambda plan, text: plan.add("x", active_form=text)),
    ("kind", lambda plan, text: plan.add("x", kind=text)),
    ("result", lambda plan, text: plan.complete(1, text)),
    ("error", lambda plan, text: plan.fail(1, text)),
    ("reason", lambda plan, text: plan.skip(1, text)),
    ("reason", lambda plan, text: plan.pause(text)),
    ("goal", lambda plan, text: plan.acting_as(PERSON).edit(goal=text)),
    ("notes", lambda plan, text: plan.edit_phase("main", notes=text)),
]


@pytest.mark.parametrize(("argument", "use"), TEXTS)
def test_m9_a_text_has_at_most_64_kb(argument: str, use: Callable[[Plan, str], object]) -> None:
    use(make_plan("a"), "é" * 32768)
    for text in ("é" * 32769, "x" * 65537):
        with pytest.raises(InvalidArgument, match=f"{argument}: expected at most 65,536 bytes"):
            use(make_plan("a"), text)


@pytest.mark.parametrize(("argument", "use"), [*TEXTS, ("name", lambda plan, t: plan.add(t))])
def test_m9_lone_surrogates_are_refused(argument: str, use: Callable[[Plan, str], object]) -> None:
    with pytest.raises(InvalidArgument, match=f"{argument}: .*lone surrogate at position 2"):
        use(make_plan("a"), "ab\ud800")


RULES: list[tuple[str, Callable[[Any], c.NewTask]]] = [
    ("checks", lambda rule: c.NewTask("x", checks=(Check("command", rule),))),
    ("run", lambda rule: c.NewTask("x", run=rule)),
    ("files", lambda rule: c.NewTask("x", files=(rule,))),
    ("protect", lambda rule: c.NewTask("x", protect=(rule,))),
]


@pytest.mark.parametrize(("argument", "made"), RULES)
def test_m9_a_rule_is_a_line_of_at_most_1000_characters(
    argument: str, made: Callable[[Any], c.NewTask]
) -> None:
    plan = TimedPlan()
    plan.do(c.AddTasks((made("字" * 1000),)))
    for rule in ("字" * 1001, "a\nb", "  ", "\ud800", 5):
        refusal = plan.refused("INVALID_ARGUMENT", c.AddTasks((made(rule),)))
        assert refusal["argument"] == argument


@pytest.mark.parametrize("field", ["files", "protect"])
def test_x2_a_pattern_that_leads_out_of_the_workspace_is_refused(field: str) -> None:
    plan = TimedPlan()
    for pattern in ("/etc/passwd", "../x", "tests/../../x", ".."):
        outside: dict[str, Any] = {field: ("tests/**", pattern)}
        refusal = plan.refused("INVALID_ARGUMENT", c.AddTasks((c.NewTask("x", **outside),)))
        assert (refusal["text"], refusal["argument"]) == ("pattern_outside", field)
        assert refusal["pattern"] == pattern
    inside: dict[str, Any] = {field: ("..x/a..b", "tests/**", "./x")}
    plan.do(c.AddTasks((c.NewTask("x", **inside),)))


@pytest.mark.parametrize("field", ["checks", "files", "protect"])
def test_m9_a_task_has_at_most_100_rules_of_a_kind(field: str) -> None:
    rule = Check("person", "look") if field == "checks" else "x"
    most: dict[str, Any] = {field: (rule,) * 100}
    more: dict[str, Any] = {field: (rule,) * 101}
    plan = TimedPlan()
    plan.do(c.AddTasks((c.NewTask("x", **most),)))
    for command in (c.AddTasks((c.NewTask("x", **more),)), c.EditTask(1, **more)):
        refusal = plan.refused("INVALID_ARGUMENT", command)
        assert (refusal["text"], refusal["limit"], refusal["count"]) == ("too_many", 100, 101)


@pytest.mark.parametrize("field", ["checks", "files", "protect"])
def test_m9_the_rules_of_a_task_from_elsewhere_are_looked_at_too(field: str) -> None:
    plan = TimedPlan()
    plan.state = PlanState(plan.now)
    task = Task(1, "x", **{field: ("\n",)})  # type: ignore[arg-type]
    refusal = plan.refused("INVALID_ARGUMENT", c.CreatePlan("plan_b", "Goal", tasks=(task,)))
    assert refusal["argument"] == f"tasks[0].{field}"


@pytest.mark.parametrize("value", [None, 3, 3.5, math.nan, b"x", ["x"], Word.A])
def test_m9_only_plain_strings_are_texts(value: Any) -> None:
    for check in (check_name, check_text):
        with pytest.raises(InvalidArgument, match="x: expected str"):
            check(value, "x")


@pytest.mark.parametrize("value", [True, 1.0, None, b"1", [1], math.nan])
def test_m9_a_bool_or_a_float_is_not_an_id(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="task: expected task id, got"):
        make_plan("a").task(value)


@pytest.mark.parametrize("value", [2**53 + 1, -(10**5000), "", "x" * 201], ids="abcd")
def test_m9_an_id_has_a_sane_size(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="task: expected a task id such as 3"):
        make_plan("a").task(value)


def test_m9_duplicate_dependencies_collapse() -> None:
    plan = make_plan("a", "b")
    assert plan.add("c", [2, "1", "step_2", 1]).needs == (2, 1)


@given(st.text())
def test_m9_what_is_accepted_can_be_written_on_one_line_of_utf8(text: str) -> None:
    try:
        name = check_name(text, "name")
    except InvalidArgument:
        return
    assert name.encode().decode().splitlines() == [text]
    assert name.strip()


@given(st.one_of(st.integers(), st.text(max_size=250)))
def test_m9_an_accepted_id_can_always_be_shown(value: int | str) -> None:
    try:
        assert f"{check_ref(value, 'x')}".encode()
    except InvalidArgument as error:
        assert error.details["argument"] == "x"  # noqa: PT017 - either way is right


@pytest.mark.parametrize(("current", "total"), [(-1, 2), (3, 2), (0, 0), (True, 2), (1, 2.0)])
def test_m9_progress_is_within_its_bounds(current: Any, total: Any) -> None:
    with pytest.raises(InvalidArgument, match="progress: expected whole numbers"):
        make_plan("a").set_progress(1, current, total)


@pytest.mark.parametrize("pattern", ["(", "a{2}{3}", "[", "(?P<a>x)(?P<a>y)", "a{99999999999}"])
def test_x2_a_file_check_with_a_pattern_that_is_none_is_refused_when_it_is_given(
    pattern: str,
) -> None:
    plan = make_plan()
    bad = Check("file", f"out.txt ~ {pattern}")
    with pytest.raises(InvalidArgument) as added:
        plan.add("One", checks=[bad])
    assert added.value.text == "bad_check_pattern"
    assert added.value.details["pattern"] == pattern
    plan.add("Two", checks=[Check("file", "out.txt ~ ^[ok]+$"), Check("file", "a ~(")])
    with pytest.raises(InvalidArgument, match="checks: "):
        plan.update(1, checks=[bad])
    assert [task.name for task in plan.tasks()] == ["Two"]


def test_x2_a_pattern_that_python_warns_about_is_a_pattern() -> None:
    check_form(
        Check("file", "notes.md ~ [[x]"), "checks"
    )  # a `FutureWarning`, which is an error here


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        (Check("python", "ready"), "bad_check_function"),
        (Check("python", "ready:"), "bad_check_function"),
        (Check("python", "a.py:f(1)"), "bad_check_function"),
        (Check("python", "-m:x"), "bad_check_function"),
        (Check("report", "session"), "bad_check_field"),
        (Check("report", "results ~ ("), "bad_check_pattern"),
    ],
)
def test_x2_a_check_of_a_wrong_form_is_refused(check: Check, problem: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        check_form(check, "checks")
    assert refused.value.text == problem


@pytest.mark.parametrize("rule", ["ready:done", "tests.ready:Checks.done", "_a:b1"])
def test_x2_a_python_check_names_a_function(rule: str) -> None:
    check_form(Check("python", rule), "checks")


def test_m9_the_labels_of_a_commit_are_names_and_texts() -> None:
    check_commit_labels("agent/7", "because", "key-1", "Mira")
    for labels in (
        ("", "", "", ""),
        ("a", "\ud800", "", ""),
        ("a", "", "x\ny", ""),
        ("a", "", "", " "),
    ):
        with pytest.raises(InvalidArgument):
            check_commit_labels(*labels)


def test_r2_07_a_list_in_the_place_of_a_tuple_is_told_what_it_should_be() -> None:
    for value, expected in ([3], "tuple"), (3, "list"):
        with pytest.raises(InvalidArgument) as refused:
            check_tuple(value, "needs")
        assert refused.value.details["expected"] == expected
    check_tuple((3,), "needs")


def test_r2_07_a_wrong_type_is_named_in_the_words_of_json() -> None:
    error = json_words(wrong_type_error("name", "str", 7))
    assert error.details == {"argument": "name", "expected": "string", "got": "integer"}
    other = InvalidArgument("name_blank", argument="name")
    assert json_words(other) is other


def test_a4_a_key_of_a_foreign_object_is_safe_in_a_message() -> None:
    assert display_key("a五" * 99) == ("a\\u4e94" * 40)
    assert display_key(7) == "integer"
    assert display_key(object()) == "object"
