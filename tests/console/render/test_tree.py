"""The coloured tree."""

from io import StringIO

import pytest
from rich.console import Console

from outlast import Plan, create_plan
from outlast.console.render.outline import outline
from outlast.console.render.tree import plan_tree, render_glance
from outlast.language import Language
from tests.making import make_plan


def render(plan: Plan, tongue: Language = "en") -> str:
    out = StringIO()
    Console(file=out, width=100, color_system=None).print(plan_tree(plan, tongue))
    return out.getvalue()


def worked_plan() -> Plan:
    plan = make_plan("Open", "Look [red]", goal="Buy")
    plan.add("Pay", [2])
    plan.complete(1, "opened")
    plan.fail(2, "boom")
    return plan


def test_the_tree_shows_state_results_errors_and_what_waits() -> None:
    assert render(worked_plan()) == (
        "Buy  1/3 running\n"
        "├── ● 1 Open  → opened\n"
        "├── ○ 2 Look [red]  ! boom\n"
        "└── ○ 3 Pay  needs 2\n"
    )


def test_x8_the_tree_speaks_chinese() -> None:
    assert "需先完成 2" in render(worked_plan(), "zh")


def test_phases_are_branches() -> None:
    plan = make_plan("a")
    plan.add_phase("Later")
    plan.add("z", phase="later")
    assert render(plan) == (
        "Test things  0/2 idle\n├── Main Tasks\n│   └── ○ 1 a\n└── Later\n    └── ○ 2 z\n"
    )


def test_r4_02_the_default_phase_has_a_title_in_both_languages() -> None:
    plan = make_plan("a")
    plan.add_phase("Later")
    assert "├── 主要任务\n" in render(plan, "zh")
    assert "\n主要任务\n" in plan.core.read(lambda state: outline(state, "zh", plan.core.now()))
    plan.edit_phase("main", title="First")
    assert "├── First\n" in render(plan, "zh")


def test_a6_control_characters_are_spelled_out() -> None:
    shown = render(make_plan("\x1b[31mred", goal="\x1b[0m"))
    assert shown == "\\x1b[0m  0/1 idle\n└── ○ 1 \\x1b[31mred\n"


def test_x6_the_actor_of_a_task_is_shown_when_several_are_at_work() -> None:
    plan = make_plan("a", "b")
    plan.start(1)
    assert render(plan).endswith("├── ◐ 1 a\n└── ○ 2 b\n")
    plan.acting_as("ada").start(2)
    assert render(plan).endswith("├── ◐ 1 a  @tester\n└── ◐ 2 b  @ada\n")


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Ship it", "ship")
    made.add("a")
    return made


def test_a_glance_shows_a_part_of_a_long_plan(plan: Plan) -> None:
    assert "more" not in render_glance(plan, "en", {})
    for _ in range(99):
        plan.add("b")
    plan.start(50)
    lines = render_glance(plan, "en", {}).splitlines()
    assert (len(lines), "(80 more)" in lines[-1]) == (22, True)
    assert any("50" in line for line in lines)
