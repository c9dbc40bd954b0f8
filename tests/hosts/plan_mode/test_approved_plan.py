"""Plans that were approved in the plan mode of a coding agent."""

from __future__ import annotations

import re
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import create_plan
from outlast.hosts.plan_mode.approved_plan import (
    LARGEST_TEXT,
    MOST_TASKS,
    ApprovedPlan,
    parse_approved_plan,
)
from outlast.model.commands import NewTask
from outlast.model.limits import NAME_CHARACTERS
from outlast.model.model import Check
from outlast.redact.text_fields import TEXT_BYTES
from tests.hosts.approved_plans import PLANS

LINES = st.sampled_from(
    [
        *("# Title", "# Plan: x", "## Steps", "## Goal", "## Verification", "## Notes", "## Plan"),
        *("### 1. Add", "### 2. Test", "#### a", "## Phase 1: A", "**Step 1: b**", "**Goal**"),
        *(
            "- a",
            "  - b",
            "- [ ] c",
            "1. d",
            "2) e",
            "3. **f**: g",
            "**4.** h",
            "* `i`",
            "- ",
            "1. ",
        ),
        *(
            "",
            "",
            "text",
            "text:",
            "    indented",
            "---",
            "===",
            "```sh",
            "```",
            "pytest -q",
            "<!--",
        ),
        *(
            "- `make check`",
            "`npm test`",
            "-->",
            "## 步骤",
            "一、写",
            "第1步：读",
            "## 验证",
            "**目标**",
        ),
        *(
            "\ud800",
            "\x00",
            "a\x0bb",
            "- \u202e",
            "### ",
            "- **",
            "| a |",
            "> q",
            "Step 1: x",
            "- [ ]",
        ),
    ]
)
texts = st.lists(LINES | st.text(max_size=20), max_size=25).map("\n".join) | st.text()


def names(text: str) -> list[str]:
    return [task.name for task in parse_approved_plan(text).tasks]


def shown(plan: ApprovedPlan) -> str:
    lines = [f"# {plan.title}", *(f"> {line}".rstrip() for line in plan.goal.splitlines())]
    for task in plan.tasks:
        lines.append(f"- {task.name}")
        lines.extend(f"  {line}".rstrip() for line in task.description.splitlines())
        lines.extend(f"  $ {check.rule}" for check in task.checks)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("text", "expected"), PLANS.values(), ids=PLANS)
def test_the_tasks_of_an_approved_plan(text: str, expected: str) -> None:
    assert shown(parse_approved_plan(text)) == expected


@pytest.mark.parametrize(("text", "_"), PLANS.values(), ids=PLANS)
def test_line_endings_do_not_matter(text: str, _: str) -> None:
    assert parse_approved_plan(text.replace("\n", "\r\n")) == parse_approved_plan(text)


@pytest.mark.parametrize(("count", "left_out"), [(3, 0), (MOST_TASKS, 0), (MOST_TASKS + 7, 7)])
def test_x7_the_tasks_that_are_left_out_are_counted(count: int, left_out: int) -> None:
    plan = parse_approved_plan(
        "".join(f"{number}. Step {number}\n" for number in range(1, count + 1))
    )
    assert (len(plan.tasks), plan.left_out) == (count - left_out, left_out)


@given(texts)
def test_every_text_is_a_plan_within_the_limits(text: str) -> None:
    plan = parse_approved_plan(text)
    assert len(plan.tasks) <= MOST_TASKS
    assert bool(plan.tasks) == bool(text.strip())
    assert len(plan.goal) <= 2 * NAME_CHARACTERS + 4_000
    assert len(plan.title) <= NAME_CHARACTERS
    assert len(plan.title.splitlines()) == bool(plan.title)
    with create_plan("memory:", plan.goal or "a goal") as durable:
        assert len(durable.add_all(plan.tasks)) == len(plan.tasks)


@given(texts)
def test_a_plan_of_plans_is_no_larger_than_the_limits(text: str) -> None:
    plan = parse_approved_plan("\n".join([text, "## Steps", *(f"{n}. task" for n in range(999))]))
    assert len(plan.tasks) <= MOST_TASKS


def test_a_blank_text_has_no_tasks() -> None:
    assert parse_approved_plan(" \n\t\n") == ApprovedPlan("", "", ())


def test_a_text_without_a_word_is_one_task() -> None:
    assert names("---\n") == names("```\n```") == ["Plan"]


def test_lone_surrogates_are_replaced() -> None:
    plan = parse_approved_plan("# A\ud800\n1. b\udc00\n   c\ud83d\n2. \ud83d\ude00")
    assert plan.title == "A\ufffd"
    assert plan.tasks == (NewTask("b\ufffd", description="c\ufffd"), NewTask("\U0001f600"))


def test_a_long_text_is_read_up_to_its_limit() -> None:
    text = f"1. a\n2. b\n{' ' * LARGEST_TEXT}\n3. c"
    assert names(text) == ["a", "b"]


def test_long_names_and_descriptions_are_cut() -> None:
    word = "x" * (NAME_CHARACTERS + 1)
    (task, _) = parse_approved_plan(f"1. {word}\n2. b").tasks
    assert task == NewTask(f"{word[:-2]}…", description=word)
    long = "漢" * TEXT_BYTES
    (task, _) = parse_approved_plan(f"1. a\n   {long}\n2. b").tasks
    assert task.description == long[: TEXT_BYTES // 3]


def test_a_long_goal_is_cut_after_a_line() -> None:
    plan = parse_approved_plan("\n".join(["line " * 30] * 40))
    assert len(plan.goal) < 4_000
    assert plan.goal.endswith("line")
    assert len(parse_approved_plan("x" * 5_000).goal) == 4_000


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Add `a_b` to `c.py`", "Add a_b to c.py"),
        ("Use ``a`b``", "Use a`b"),
        ("**Add** the *new* __form__ of _it_", "Add the new form of it"),
        ("Keep snake_case and 2*3*4", "Keep snake_case and 2*3*4"),
        ("See [the docs](https://example.com/a_b) and ![x](y.png)", "See the docs and x"),
        ("~~Old~~ new <!-- hidden --> text<br>", "Old new text"),
        ("Step 3: Add it", "Add it"),
        ("**Step 3:** Add it", "Add it"),
        ("**2. Add it**", "Add it"),
        ("Use 2.5 MB at most", "Use 2.5 MB at most"),
        ("2.5 MB at most", "2.5 MB at most"),
        ("**Add the form** (later)", "Add the form"),
        ("**Add the whole form**: with a field", "Add the whole form"),
        ("**API**: add a field", "API: add a field"),
        ("`a.py`: add a field", "a.py: add a field"),
        ("**按钮**：放在设置页", "按钮"),
        ("A stray ** sign", "A stray sign"),
        ("Done.", "Done"),
        ("a\x00b\x1b[31m", "a b [31m"),
    ],
)
def test_a_name_is_plain_text(line: str, name: str) -> None:
    assert names(f"## Steps\n- {line}\n- b") == [name, "b"]


def test_a_long_line_is_cut_after_its_first_sentence() -> None:
    rest = (
        "It is read by `a. b` and by all of the programs that are listed in the file of the names."
    )
    line = f"Add the field `x. y` to the form. {rest}"
    (task, _) = parse_approved_plan(f"1. {line}\n2. b").tasks
    assert task == NewTask("Add the field x. y to the form", description=rest)
    endless = "word " * 50
    assert names(f"1. {endless}\n2. b") == [endless.strip(), "b"]


def test_an_item_without_a_name_takes_it_from_the_text_below() -> None:
    assert names("1. <!-- x -->\n   Add a field\n2. b") == ["Add a field", "b"]
    assert names("1. <!-- x -->\n2. b\n3. c") == ["b", "c"]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Plan: add a field", "Add a field"),
        ("# Implementation Plan for the *form*", "The form"),
        ("# 实施计划：导出", "导出"),
        ("# Fix tests", "Fix tests"),
        ("# 测试工具", "测试工具"),
        ("## Add a field", "Add a field"),
        ("# 1. Add a field", "1. Add a field"),
    ],
)
def test_the_first_heading_is_the_title(heading: str, title: str) -> None:
    assert parse_approved_plan(f"{heading}\n\n1. a\n2. b").title == title


@pytest.mark.parametrize(
    "heading", ["# Plan", "# Implementation Plan", "## Steps", "# 计划", "**Steps**"]
)
def test_a_plan_without_a_title_has_that_of_its_goal_or_its_first_task(heading: str) -> None:
    assert parse_approved_plan(f"{heading}\n1. a\n2. b").title == "a"
    assert parse_approved_plan(f"Add it. Now.\n\n{heading}\n1. a\n2. b").title == "Add it"


def test_a_goal_says_nothing_that_only_announces_a_list() -> None:
    assert parse_approved_plan("I will do this:\n\n1. a\n2. b").goal == ""
    assert parse_approved_plan("Add it.\n\nThe steps：\n\n1. a\n2. b").goal == "Add it."


def test_a_goal_that_names_the_title_does_not_repeat_it() -> None:
    assert parse_approved_plan("# Add it\nWe add it today.\n1. a").goal == "We add it today."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Steps\n1. a\n## 3. Notes\n1. b", ["a"]),
        ("## 1. A\nx\n## 2. B\n## 3. Testing\n`pytest`", ["A", "B"]),
        ("## Steps\n### 1. A\n### 2. Testing\n`pytest`", ["A", "Testing"]),
        ("## Step 1: Overview\n## Step 2: B", ["Overview", "B"]),
        ("## 1. A\n### 1.1 B\n### 1.2 C\n## 2. D", ["B", "C", "D"]),
        ("## Step 1: A\n### 1.1 B\n### 1.2 C\n## Step 2: D", ["A", "D"]),
        ("## 1. A\n**1. b**\n**2. c**\n## 2. D", ["A", "D"]),
        ("## Phase 1: A\n**Step 1: b**\n**Step 2: c**\n## Phase 2: D", ["b", "c", "D"]),
        ("## Phase 1: A\n1. b\n## Phase 2: D\n- [ ] e\n- [ ] f", ["A", "e", "f"]),
        ("# T\n## 1. A\ntext", ["T"]),
        ("## Steps\n### A\n1. b\n2. c\n### D\ntext", ["b", "c", "D"]),
        ("## Steps\n1. a\n2. b\n### C", ["a", "b"]),
        ("## Plan\n### A\n### Steps\n1. b\n2. c", ["b", "c"]),
        ("## Steps\n### Tests\n- a\n- b", ["Steps"]),
        ("## Steps\n- a\n- b\n### C\n- c", ["a", "b", "c"]),
        ("## Steps\n- a\n- b\n### C\n- c\n### D\n- d", ["C", "D"]),
        ("## Approach\n1. a\n2. b\n## Steps\n- c", ["a", "b"]),
        ("## Approach\n- a\n- b", ["a", "b"]),
        ("# T\n## A\n1. a\n2. b\n3. c\n## B\n1. d\n2. e\n### C\n1. f\n2. g", list("abcde")),
        ("- [ ] a\n- b\n- [ ] c", ["a", "b", "c"]),
        ("# T\n## A\n- [ ] a\n## B\n- [ ] b\n## Notes\n- [ ] c", ["a", "b"]),
        ("- a\n# T\n## A\n- b\n## B\n- c", ["A", "B"]),
        ("## Goal\n- [ ] a\n- [ ] b", ["a", "b"]),
        ("# Plan\n1. a\n2. b", ["a", "b"]),
        ("# Plan\n- a\n- b", ["a", "b"]),
        ("# A\n## Goal\nx\n## B\ny\n## C", ["A"]),
        ("（1）甲\n（2）乙", ["甲", "乙"]),
        ("① 甲\n② 乙", ["甲", "乙"]),
        ("第一步：甲\n第二步：乙", ["甲", "乙"]),
        ("## 阶段一：甲\n## 阶段二：乙", ["甲", "乙"]),
        ("**第1步：甲**\n写\n**第2步：乙**", ["甲", "乙"]),
        ("1. a\n\n---\n\n2. b", ["a", "b"]),
        ("1. a\n2. [x] b\n   1. c", ["a", "b"]),
        ("- - -\n* a\n* b\n***", ["a", "b"]),
        ("```\n1. a\n2. b\n```\n- c\n- d", ["c", "d"]),
        ("A\n===\nB\n---\n- a", ["a"]),
        ("---\nno front matter", ["no front matter"]),
    ],
)
def test_which_headings_and_lists_are_tasks(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_text_after_a_list_belongs_to_no_task() -> None:
    text = "1. a\n   b\n\n   c\n2. d\ne\n\n- f\n\nThat is all."
    assert parse_approved_plan(text).tasks == (
        NewTask("a", description="b\n\nc"),
        NewTask("d", description="e\n\n- f"),
    )


def checks(text: str) -> dict[str, list[str]]:
    plan = parse_approved_plan(text)
    assert all(check.kind == "command" for task in plan.tasks for check in task.checks)
    return {task.name: [check.rule for check in task.checks] for task in plan.tasks}


def test_the_commands_of_a_plan_are_checks_of_its_last_task_or_of_one_that_verifies() -> None:
    plan = "1. Add it\n2. {}\n3. {}\n\n## Testing\n`pytest`"
    assert checks(plan.format("B", "C")) == {"Add it": [], "B": [], "C": ["pytest"]}
    assert checks(plan.format("Run the tests", "C"))["Run the tests"] == ["pytest"]
    assert checks(plan.format("验证", "Test it"))["Test it"] == ["pytest"]


def test_a_task_that_verifies_has_the_commands_that_it_names() -> None:
    text = (
        "1. Verify with `ruff check .`\n   `mypy`\n2. B `tox`\n   Test: `npm test`\n3. make check"
    )
    assert [*checks(text).values()] == [["ruff check .", "mypy"], ["npm test"], ["make check"]]


def test_a_command_is_proposed_once_and_not_too_many() -> None:
    lines = [f"- `pytest {n}` `pytest {n}`" for n in range(99)]
    rules = checks("\n".join(["1. a", "2. Test with `pytest 0`", "## Verification", *lines]))
    assert rules["Test with pytest 0"] == [f"pytest {n}" for n in range(20)]


def test_no_commands_come_from_other_sections() -> None:
    assert checks("1. a `pytest`\n2. b\n## Notes\n`pytest`") == {"a pytest": [], "b": []}


@pytest.mark.parametrize(
    "part",
    [
        *("# a\n", "### 1. x\n", "**Step 1: y**\n", "- a\n", "## Steps\n", "\n", "## 验证\n", "**"),
        *(
            "1. `",
            "[",
            "<!--\n",
            "```\n",
            "# a #",
            "- ",
            "> ",
            "_a ",
            "~~",
            " ",
            "[a](",
            "1",
            "*a* ",
        ),
        *("`", "#"),
    ],
)
def test_f15_no_plan_takes_long_to_read(part: str) -> None:
    signal.alarm(20)
    try:
        assert len(parse_approved_plan(part * (100_000 // len(part))).tasks) <= MOST_TASKS
    finally:
        signal.alarm(0)


def test_a_check_of_an_approved_plan_is_a_command() -> None:
    (task,) = parse_approved_plan("- a\n\n## Tests\n`pytest`").tasks
    assert task.checks == (Check("command", "pytest"),)


def test_an_underlined_heading_is_read_as_a_marked_one() -> None:
    rest = "Steps\n-----\n\n1. Read\n2. Write\n\nNotes\n-----\n\n1. Nothing to do\n"
    underlined = parse_approved_plan(f"Ship it\n=======\n\n{rest}")
    marked = re.sub("(.+)\n-----\n", r"## \1\n", rest)
    assert underlined == parse_approved_plan(f"# Ship it\n\n{marked}")
    assert underlined.title == "Ship it"
    assert [task.name for task in underlined.tasks] == ["Read", "Write"]
