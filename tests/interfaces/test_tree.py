"""The coloured tree."""

from io import StringIO

from rich.console import Console

from outlast import Plan
from outlast.interfaces.cli.render.tree import plan_tree
from outlast.texts import Language
from tests.making import make_plan


def shown(plan: Plan, tongue: Language = "en") -> str:
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
    assert shown(worked_plan()) == (
        "Buy  1/3 running\n"
        "├── ● 1 Open  → opened\n"
        "├── ○ 2 Look [red]  ! boom\n"
        "└── ○ 3 Pay  waits for 2\n"
    )


def test_x8_the_tree_speaks_chinese() -> None:
    assert "等待 2" in shown(worked_plan(), "zh")


def test_phases_are_branches() -> None:
    plan = make_plan("a")
    plan.add_phase("Later")
    plan.add("z", phase="later")
    assert shown(plan) == (
        "Test things  0/2 idle\n├── Main Tasks\n│   └── ○ 1 a\n└── Later\n    └── ○ 2 z\n"
    )


def test_a6_control_characters_are_spelled_out() -> None:
    assert "\x1b" not in shown(make_plan("\x1b[31mred", goal="\x1b[0m"))


def test_x6_who_works_on_a_task_is_said_where_several_are_at_work() -> None:
    plan = make_plan("a", "b")
    plan.start(1)
    assert shown(plan).endswith("├── ◐ 1 a\n└── ○ 2 b\n")
    plan.acting_as("ada").start(2)
    assert shown(plan).endswith("├── ◐ 1 a  @tester\n└── ◐ 2 b  @ada\n")
