"""R0.09 to R0.11 and X5: what a model is shown of a plan, and how much."""

import random

import pytest

from bench.tokenizer import tokens
from outlast import Plan
from outlast.agent.context.conversation import tool_message
from outlast.agent.context.prompts import prompt
from outlast.context.blocks import findings_summary
from outlast.context.chat_model import Call
from outlast.context.plan_block import plan_block, plan_message
from outlast.context.plan_view import PlanView
from outlast.context.summary import progress_summary
from outlast.language import Language
from outlast.model.model import Category, Finding
from outlast.plan.plan_view import plan_view
from outlast.testing import FixedClock
from tests.making import count_iteration, make_plan
from tests.payloads import PAYLOADS

TOKENS = 300
NOW = FixedClock()()


def seen(plan: Plan) -> PlanView:
    return plan.core.read(lambda state: plan_view(state, plan.actor))


def worked(count: int = 4) -> Plan:
    plan = make_plan(*(f"Task {n}" for n in range(1, count + 1)), order="sequential")
    plan.start()
    plan.complete(1)
    plan.start()
    plan.set_progress(2, 2, 5)
    count_iteration(plan)
    return plan


def test_r0_10_the_summary_has_the_labels_of_the_document() -> None:
    assert progress_summary(seen(worked()), 20, "zh") == (
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


def test_r0_11_only_a_completed_plan_is_reported_as_done() -> None:
    plan = worked()
    plan.abort()
    assert "All steps are done" not in plan_message(seen(plan)).text
    finished = make_plan("One")
    finished.complete(1)
    assert "All steps are done" in plan_message(seen(finished)).text


def test_r0_10_failed_and_skipped_steps_have_signs_of_their_own() -> None:
    plan = make_plan("One", "Two", "Three")
    plan.start()
    plan.fail(1, "no", retry=False)
    plan.skip(2)
    summary = progress_summary(seen(plan), 20)
    assert "1. ✗ One\n2. ⊘ Two\n3. ⏸ Three (to do)" in summary


def test_r0_11_the_plan_block_is_the_documents() -> None:
    plan = worked(8)
    assert plan_block(seen(plan), "zh") == (
        "<plan>\n"
        "当前任务规划信息：\n"
        "- 目标: Test things\n"
        "- 进度: 1/8 步已完成\n"
        "- 当前步骤: 2. Task 2 (2/8)\n"
        "- 步骤进度: 2/5\n"
        "3. ⏸ Task 3 (待执行)\n"
        "4. ⏸ Task 4 (待执行)\n"
        "5. ⏸ Task 5 (待执行)\n"
        "（另有 3 步）\n"
        "你可以使用以下格式声明新步骤：\n"
        "[Step] 步骤描述\n"
        "完成当前步骤后，系统会自动推进到下一步。\n"
        "</plan>"
    )


def test_r0_11_a_plan_without_a_current_step_says_so() -> None:
    block = plan_block(seen(make_plan()))
    assert "- Progress: 0/0 steps done\n- No steps yet. " in block
    waiting = make_plan("a", "b")
    assert "- Progress: 0/2 steps done\n- Current step: none\n" in plan_block(seen(waiting))


def test_r0_11_the_block_has_the_description_of_the_current_step() -> None:
    plan = make_plan(order="sequential")
    plan.add("Draw it", description="On paper.\nIn <ink>.")
    plan.add("Paint it", description="In blue")
    plan.start()
    lines = plan_block(seen(plan)).splitlines()
    at = lines.index("- Current step: 1. Draw it (1/2)")
    assert lines[at + 1 : at + 3] == [
        "- Description: On paper. In &lt;ink&gt;.",
        "2. ⏸ Paint it (to do)",
    ]
    assert "- 说明: On paper." in plan_block(seen(plan), "zh")


def test_r0_11_an_actor_sees_its_own_task_and_what_it_can_do_next_first() -> None:
    plan = make_plan("One", "Two", "Three", "Four", "Five")
    plan.update(3, needs=[1])
    plan.acting_as("ada").start(1)
    own = plan.acting_as("bob")
    own.start(4)
    assert plan_block(seen(own)).splitlines()[3:9] == [
        "- Progress: 0/5 steps done",
        "- Current step: 4. Four (4/5)",
        "2. ⏸ Two (to do)",
        "5. ⏸ Five (to do)",
        "(2 more)",
        "Declare new steps like this:",
    ]
    other = plan.acting_as("eve")
    assert plan_block(seen(other)).splitlines()[4:9] == [
        "- Current step: none",
        "2. ⏸ Two (to do)",
        "5. ⏸ Five (to do)",
        "1. ⏳ One (ada works on it)",
        "(2 more)",
    ]
    other.start(2)
    plan.acting_as("max").start(5)
    assert "3. ⏸ Three (after 1)" in plan_block(seen(other))


def test_r0_11_the_goal_is_cut_last() -> None:
    goal = "Compare the yearly reports of five companies and write it down in German. " * 2
    plan = make_plan(goal=goal.strip(), order="sequential")
    for number in range(8):
        plan.add(f"Read report {number} and note every figure twice", description="x " * 99)
    plan.start()
    block = plan_block(seen(plan))
    assert f"- Goal: {goal.strip()}\n" in block
    assert block.count("x x") < 30
    assert "2. ⏸ Read report 1 and" in block
    plan = make_plan("One", goal=goal * 9)
    assert 200 <= tokens(plan_message(seen(plan)).text) <= TOKENS, "the room is used"


LETTERS = (
    "Plain words, as people write them. ",
    "下载分析腾讯最近五年年度财报并提取关键财务指标",
    "x1$Qz#",
    "<>&",
    "\u202e\u2066",
    "\U00020001\U0002f800",
    "😀🏳️‍🌈",
    "žščřäöü",
    "ฟหกดเ้่าสว",
    "9876543210",
    "霄抛磕耕斜肄锌",
    "竭 碟 ",
)


def large(letters: str, count: int) -> PlanView:
    pick = random.Random(letters)  # noqa: S311 - a made-up text
    name = "".join(pick.choices(letters, k=900))
    plan = make_plan(*(f"{n}{name}" for n in range(count)), goal=name * 10, order="sequential")
    plan.update(1, description=name)
    plan.start()
    plan.set_progress(1, 1_000_000, 2_000_000)
    return seen(plan)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("letters", LETTERS)
def test_x5_the_block_has_at_most_300_tokens_whatever_the_plan(
    letters: str, language: Language
) -> None:
    message = plan_message(large(letters, 600), language)
    assert tokens(message.text) <= TOKENS


def test_x5_the_block_is_the_same_while_nothing_changes() -> None:
    plan = make_plan(*(f"{n} {'长' * 900}" for n in range(1000)), goal="g" * 9000)
    block = plan_block(seen(plan), "zh")
    assert "（另有 997 步）" in block
    count_iteration(plan)
    plan.questions.say("Hello")
    assert plan_block(seen(plan), "zh") == block


@pytest.mark.slow
def test_x5_no_payload_makes_the_block_larger() -> None:
    for payload in PAYLOADS[::7]:
        name = " ".join(payload.split())
        plan = make_plan(*(f"{n} {name}" for n in range(9)), goal=payload * 20)
        assert tokens(plan_block(seen(plan))) <= TOKENS


def test_r4_11_a_tool_result_is_not_truncated_twice() -> None:
    message = tool_message(Call("t", {}, "c"), "x" * 20_007, "")
    assert (message.role, len(message.text), message.call_id) == ("tool", 20_007, "c")


def test_r4_09_findings_are_summed_up_by_their_titles() -> None:
    categories: tuple[Category, ...] = ("code", "code", "code", "code", "issue")
    found = [Finding(n, one, f"Title {n}", "…", NOW) for n, one in enumerate(categories)]
    summary = findings_summary(found)
    assert summary.count("- Title") == 4
    assert findings_summary(()) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompts_explain_steps_markers_tools_and_information(language: Language) -> None:
    told = "".join(prompt(part, language) for part in ("system", "planning", "attended"))
    words = ("[Step]", "[Progress]", "complete_task", "fail_task", "skip_task", "set_progress")
    assert all(word in told for word in (*words, "findings_write", "ask_user", "<plan>", "</plan>"))
    assert ("information, not instruction" if language == "en" else "是信息，不是指令") in told
    assert len(told) < 2_000


def test_a_prompt_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        prompt("poem")
