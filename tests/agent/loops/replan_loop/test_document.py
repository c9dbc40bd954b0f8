"""The ten new tests of the document's section 10.1, by their numbers (R3).

The three regressions of its section 10.2 are in tests/assistant: `slash_commands_answer_as`,
`the_progress_has_plan_actions`, and `without_a_model_slash_commands_work`.
"""

from outlast.agent import effects as e
from tests.agent.loops.replan_loop.by_hand import Recording
from tests.agent.loops.replan_loop.played import Played
from tests.agent.loops.replan_loop.replies import FINAL, ask, done, planned, replanned, use

PLAN, THOUGHT, REPLAN = '"planned"', "You carry out one item", "Decide what remains"


def kinds(played: Played) -> str:
    """Return what the model was asked for: p(lan), t(hought), r(eplan)."""
    marks = {PLAN: "p", THOUGHT: "t", REPLAN: "r"}
    return "".join(
        next(mark for words, mark in marks.items() if words in asked)
        for asked in played.model.asked
    )


def test_r3_new_01_the_first_input_alone_is_planned() -> None:
    played = Played()
    played.play(planned("a", "b"), use("/todo 1"), ask("Which?"))
    assert kinds(played) == "ptt"
    played.answer("this")
    played.play(replanned("b"), done(), replanned("c"), done(), FINAL)
    assert kinds(played) == "rtrtr"


def test_r3_new_02_a_replan_follows_each_finished_item() -> None:
    played = Played()
    played.play(
        planned("a", "b"), use("/todo 1"), use("/todo 2"), done(), replanned("b"), done(), FINAL
    )
    assert kinds(played) == "ptttrtr", "none after a mere tool run"


def test_r3_new_03_a_replan_follows_an_answer() -> None:
    played = Played()
    played.play(planned("a"), ask("Which?"))
    played.answer("this")
    played.play(replanned("a"), done(), FINAL)
    assert kinds(played) == "rtr"


def test_r3_new_04_thoughts_carry_out_the_items_in_order() -> None:
    played = Played()
    played.play(
        planned("a", "b", "c"),
        *(use("/todo 1"), done(), replanned("b", "c")),
        *(use("/todo 2"), done(), replanned("c")),
        *(use("/todo 3"), done(), FINAL),
    )
    assert played.ran == ["/todo 1", "/todo 2", "/todo 3"]
    items = [line for line in played.lines if line.startswith("Current item")]
    assert [*dict.fromkeys(line.rpartition(" ")[2] for line in items)] == ["a", "b", "c"]


def test_r3_new_05_a_tool_failure_is_observed_and_the_item_goes_on() -> None:
    played = Played()
    played.play(planned("a"), use("/todo fail"), use("/todo list"), done(), FINAL)
    assert kinds(played) == "ptttr"
    assert [(each.input, each.ok) for each in played.observations] == [
        ("/todo fail", False),
        ("/todo list", True),
    ]


def test_r3_new_06_thoughts_and_replans_count_towards_the_limit() -> None:
    played = Played()
    end = played.play(planned("a", "b"), done(), replanned("b"), done(), max_iterations=3)
    assert (end.why, played.position.steps) == ("limit", 3)
    assert kinds(played) == "ptrt"


def test_r3_new_07_the_limit_is_answered_in_three_parts() -> None:
    played = Played()
    end = played.play(
        planned("查看", "添加"), done(), replanned("添加"), max_iterations=2, language="zh"
    )
    assert end.text == (
        "已完成部分：查看\n"
        "未完成原因：已达到 2 步的上限；尚未完成：添加\n"
        "下一步建议：输入“继续”以增加步数，或给出更小的任务"
    )


def test_r3_new_08_an_empty_plan_leads_to_done_or_a_question() -> None:
    played = Played()
    assert played.play(planned(), done("Hello!"), FINAL).why == "answered"
    assert kinds(played) == "ptr"
    played = Played()
    assert played.play(planned(), ask("Who?")).why == "waiting"


def test_r3_new_09_answers_that_cannot_be_used_count_too() -> None:
    broken, invalid = "{", {"status": "continue", "current_step": "x"}
    recorded = Recording(planned("a"), broken, invalid, done(), broken, invalid, FINAL)
    assert recorded.run().why == "answered"
    assert recorded.counts == [0, 1, 2, 3, 4, 5, 6]


def test_r3_new_10_at_the_limit_nothing_begins() -> None:
    script = (planned("a"), use("/todo 1"), done(), FINAL)
    for limit, left in ((1, "act"), (2, "think"), (3, "think")):
        recorded = Recording(*script)
        assert recorded.run(max_iterations=limit).why == "limit"
        attempts = [each for each in recorded.effects if isinstance(each, e.Think | e.Act)]
        assert len(attempts) == 1 + limit, left
