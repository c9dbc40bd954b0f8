"""M8, R0.09, R0.12: what a message of a person means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model.intents import (
    Intent,
    classify_message,
    is_continue,
    is_goal,
    is_same_goal,
    parse_done_answer,
)

flags = st.booleans()
around = st.text(st.sampled_from(" \t\n!?.,…。！？，、「」“”'*\u3000"), max_size=4)


def meant(message: str, *, paused: bool = True, question: bool = False) -> str:
    return classify_message(message, paused=paused, question=question).kind


def test_m8_a_message_is_understood_in_this_order() -> None:
    for question in (True, False):
        assert meant("/plan", question=question) == "slash"
        assert meant("取消当前任务", question=question) == "cancel"
    assert meant("continue", question=True) == "answer"
    assert meant("not done yet", question=True) == "answer"
    assert meant("continue") == "continue"
    assert meant("continue", paused=False) == "message"
    assert meant("not done yet") == "not_done"
    assert meant("not done yet", paused=False) == "not_done"
    assert meant("Write a report") == "message"


@pytest.mark.parametrize(
    ("message", "command", "text"),
    [
        ("/plan", "plan", ""),
        ("  /PLAN  ", "plan", ""),
        ("/cancel now \n please ", "cancel", "now \n please"),
        ("／help", "help", ""),
        ("/帮助 计划", "帮助", "计划"),
    ],
)
def test_m8_a_slash_command_has_a_name_and_the_rest(message: str, command: str, text: str) -> None:
    expected = Intent("slash", text, command)
    assert classify_message(message, paused=True, question=True) == expected


@pytest.mark.parametrize("message", ["/etc/passwd is broken", "/", "// a", "/1", "a /plan", "/ x"])
def test_m8_not_all_that_begins_with_a_slash_is_a_command(message: str) -> None:
    assert meant(message) == "message"


@pytest.mark.parametrize(
    "message", ["Cancel.", "取消", "取消任务！", "cancel the current task", "CANCEL THE TASK"]
)
def test_m8_a_cancel_phrase_stands_alone(message: str) -> None:
    assert meant(message, question=True) == "cancel"
    assert meant(f"{message} and more") == "message"


@given(st.text(), flags, flags)
def test_m8_every_message_means_one_thing(message: str, paused: bool, question: bool) -> None:  # noqa: FBT001
    found = classify_message(message, paused=paused, question=question)
    assert (found.kind == "slash") == bool(found.command)
    assert found.kind != "continue" or (paused and not question)
    assert found.kind != "answer" or question
    assert found.kind == "slash" or found.text == message.strip()


def test_m8_a_blank_message_answers_nothing() -> None:
    assert meant("  ", question=True) == "message"


@given(
    st.sampled_from(["继续", "continue", "go on", "resume", "proceed", "Go  On", "CONTINUE"]),
    around,
    around,
)
def test_r0_09_so_many_words_mean_to_go_on(words: str, before: str, after: str) -> None:
    assert meant(before + words + after) == "continue"


@pytest.mark.parametrize(
    "message",
    [
        "请继续执行",
        "继续任务吧",
        "好的，继续执行下一步",
        "不要停，继续执行",
        "没问题。继续执行",
        "ＣＯＮＴＩＮＵＥ",
        "please 继续执行 the current one",
        "the current 继续任务",
    ],
)
def test_r0_09_these_mean_to_go_on(message: str) -> None:
    assert is_continue(message)


@pytest.mark.parametrize(
    "message",
    [
        "don't continue",
        "do not continue",
        "never resume",
        "不要继续执行",
        "不要 继续任务",
        "别继续执行了",
        "先不继续执行",
        "暂停继续执行",
        "无须继续执行",
        "Don't 继续执行",
        "don’t 继续任务",
        "继续执行？不要继续执行",
        "continue with the second report",
        "继续写报告",
        "discontinue",
        "继续，但先看看",
        "",
    ],
)
def test_r0_09_these_do_not(message: str) -> None:
    assert not is_continue(message)
    assert meant(message) == "message"


@given(
    st.sampled_from(["不要", "别", "先别", "不想", "没有", "do not ", "don't ", "never "]),
    st.sampled_from(["继续执行", "继续任务"]),
    around,
)
def test_r0_09_negation_defeats_it(no: str, order: str, after: str) -> None:
    assert not is_continue(no + order + after)


@given(st.sampled_from(["还没完成", "not done yet", "Not Done Yet"]), around, around)
def test_r0_12_not_done_yet_is_a_statement(words: str, before: str, after: str) -> None:
    is_question = bool({"?", "？"} & {*after})
    assert meant(before + words + after, paused=False) == ("message" if is_question else "not_done")
    assert meant(f"{words} x") == "message"


@pytest.mark.parametrize("answer", ["done", "Yes!", "y", "完成。", "是的", "已完成"])
def test_m8_an_attempt_that_took_place_is_done(answer: str) -> None:
    assert parse_done_answer(answer) == "done"


@pytest.mark.parametrize("answer", ["not done", "No.", "没有", "否", "还没完成", "Not done yet!"])
def test_m8_an_attempt_that_did_not_is_lost(answer: str) -> None:
    assert parse_done_answer(answer) == "lost"


@pytest.mark.parametrize("answer", ["", "perhaps", "yes and no", "没有问题", "undone"])
def test_m8_another_answer_does_not_say(answer: str) -> None:
    assert parse_done_answer(answer) is None


@pytest.mark.parametrize(
    ("message", "goal"),
    [
        ("Finish the report. The intro is not done yet.", True),
        ("Write the docs; the old ones are not finished", True),
        ("写文档；旧的还没完成", True),
        ("Continue the migration of the database", True),
        ("Not done: the intro is missing", False),
        ("It is not done", False),
        ("还没完成，缺少简介", False),
        ("continue", False),
        ("请继续执行数据库迁移", False),
        ("cancel", False),
        ("/plan", False),
    ],
)
def test_u1_a_goal_may_mention_what_is_not_done(message: str, *, goal: bool) -> None:
    assert is_goal(message) is goal


@pytest.mark.parametrize(
    ("goal", "other", "same"),
    [
        ("Ship it", " Ship\t it\n", True),
        ("发布 新版本", "发布\u3000新版本", True),
        ("Café", "Cafe\u0301", True),
        ("Ship it", "ship it", False),
        ("Ship it", "Ship it.", False),
        ("ﬁle", "file", False),
        ("Ship it", "Shipit", False),
    ],
)
def test_u1_the_same_goal_is_equal_but_for_white_space_and_composed_characters(
    goal: str,
    other: str,
    same: bool,  # noqa: FBT001 - of the parameters
) -> None:
    assert is_same_goal(goal, other) is is_same_goal(other, goal) is same
