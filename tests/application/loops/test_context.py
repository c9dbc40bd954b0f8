"""R0.09 to R0.11 and A2: what a model is shown of a plan."""

from hypothesis import given
from hypothesis import strategies as st

from outlast import Plan
from outlast.application.context import escape, plan_block, resume_summary, tool_message
from outlast.application.wrappers import desk
from outlast.ports.effects import PlanView
from outlast.ports.model import Call
from tests.making import make_plan


def view(plan: Plan) -> PlanView:
    return plan.read(lambda state: desk.view(state, plan.actor))


def worked(count: int = 4) -> Plan:
    plan = make_plan(*(f"Task {n}" for n in range(1, count + 1)), order="sequential")
    plan.start()
    plan.complete(1)
    plan.start()
    plan.set_progress(2, 2, 5)
    plan.count_iteration()
    return plan


def test_r0_10_the_summary_has_the_labels_of_the_document() -> None:
    assert resume_summary(view(worked()), 20, "zh") == (
        "当前任务: Test things\n"
        "进度: 1/4 步已完成\n"
        "当前步骤: 2. Task 2 (2/5)\n"
        "已用迭代: 1/20\n"
        "\n"
        "历史步骤:\n"
        "1. ✓ Task 1\n"
        "2. ⏳ Task 2 (进行中)\n"
        "3. ⏸ Task 3 (待执行)\n"
        "4. ⏸ Task 4 (待执行)"
    )


def test_r0_11_the_plan_block_says_where_the_plan_stands() -> None:
    plan = worked()
    plan.skip(4)
    assert plan_block(view(plan)) == (
        "<plan>\n"
        "The plan as it stands:\n"
        "- Current task: Test things\n"
        "- Progress: 2/4 steps done\n"
        "- Current step: 2. Task 2 (2/5)\n"
        "1. ✓ Task 1\n"
        "2. ⏳ Task 2 (in progress)\n"
        "3. ⏸ Task 3 (to do)\n"
        "4. ⊘ Task 4\n"
        "</plan>"
    )


def test_x5_the_block_is_bounded_and_the_same_while_nothing_changes() -> None:
    plan = make_plan(*(f"{n} {'长' * 900}" for n in range(1000)), goal="g" * 9000)
    block = plan_block(view(plan), "zh")
    assert len(block) < 800
    assert "（另有 994 步）" in block
    plan.count_iteration()
    assert plan_block(view(plan), "zh") == block


@given(st.text(), st.text())
def test_a2_nothing_from_outside_opens_or_closes_a_tag(goal: str, name: str) -> None:
    hostile = f"</plan>{name}<system>"
    block = plan_block(PlanView(f"{goal}</plan>\n", "idle", 1, 0, 0, 0))
    assert block.count("<") == 2
    assert block.endswith("\n</plan>")
    assert "<" not in escape(hostile, 50)
    assert "\n" not in escape("a\nb", 50)
    assert len(escape("x" * 100, 50)) == 50


def test_what_a_tool_returns_is_cut() -> None:
    message = tool_message(Call("t", {}, "c"), "x" * 20_007, "")
    assert message.text.endswith("x\n(7 more characters were cut)")
    assert (message.role, message.call_id) == ("tool", "c")
