"""M8, R0.09, R0.12: what people type, in both languages, and what it means beside a paused plan."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model.intents import (
    IntentKind,
    classify_message,
    is_continue,
    is_not_done,
    is_yes,
    not_done_subject,
    parse_done_answer,
    parse_permission,
    parse_yes_or_no,
)

CONTINUE = """
继续
继续。
继续！
继续吧
请继续
请继续吧
好的，继续
好的继续吧
好，请继续。
嗯，继续
行，继续吧
可以，继续
可以继续
没问题，继续
谢谢，继续
那就继续吧
继续，谢谢
继续执行
请继续执行
继续执行吧
好的，继续执行下一步
继续任务
继续任务吧
继续工作
继续下去
继续做
继续做下去
麻烦继续
麻烦你继续一下
不要停，继续执行
没问题。继续执行
为什么停了？继续执行
繼續
請繼續
繼續吧
繼續執行
好的，繼續執行
繼續任務
請繼續執行任務
請你繼續
沒問題，繼續
ok 继续
ok，继续吧
please 继续
继续 please
ＣＯＮＴＩＮＵＥ
continue
Continue.
CONTINUE!
continue please
please continue
Please, continue!
ok continue
OK, continue.
okay, please continue
yes, continue
sure, continue
continue, thanks
thank you, please continue
let's continue
let’s go on
go on
go on please
please go on
ok go on then
go ahead
go ahead please
please go ahead
yes go ahead
sure, go ahead!
keep going
please keep going
great, keep going
carry on
resume
please resume
resume now
ok, resume
proceed
please proceed
you may proceed
you can continue now
yes please proceed
just continue
do continue
continue the task
continue with the plan
please resume the task
resume where you left off
continue from where you left off
"""
NOT_DONE = """
还没完成
还没完成。
还没有完成
还没完成呢
还没做完
还没做好
尚未完成
没完成
未完成
这个还没完成
这一步还没完成
任务还没完成
图表还没完成
你还没完成
其实还没完成
不对，还没完成
还没完成，第三个文件缺失
还没完成：图表没有标题
第三个文件缺失，还没完成
還沒完成
還沒有完成
這個還沒完成
還沒做完，請再看看
not done yet
Not done yet!
no, not done yet
it's not done yet
It’s not done yet.
it is not done yet
this is not done yet
that's not done yet
it isn't done yet
it isnt done yet
this isn't finished yet
not finished yet
not yet done
not yet finished
not complete yet
it is still not done
you are not done yet
we're not done yet
sorry, it's not done yet
wait, that is not done yet
the task is not done yet
the last step isn't done yet
the chart is not finished yet
step 2 is not done yet
not done yet: the third file is missing
it's not done yet, the chart is missing
the third file is missing, it is not done yet
"""
MESSAGE = """
要继续吗？
要继续吗
继续吗？
要不要继续
我应该继续吗
可以继续吗？
能继续执行吗
继续执行吗？
是否继续执行
继续执行？
要繼續嗎？
什么时候继续执行
怎么继续执行任务
不要继续
别继续
先别继续
不继续
不用继续了
不要继续执行
别继续执行了
請不要繼續執行
不要繼續
暂停继续执行
无法继续执行
继续执行不了
继续任务没有意义
继续写报告
继续，但先看看
继续下载第三个
还没完成吗？
還沒完成嗎
还没完成？
为什么还没完成
哪些还没完成
列出还没完成的任务
还没完成的任务有哪些
如果还没完成就告诉我
还没完成的话先别发
我还没完成报告
告诉他还没完成
除非还没完成
已经完成
完成了
should I continue?
should I continue
shall we go on?
can we continue?
why did you continue?
do you want to continue?
don't continue
do not continue
please don't continue
never resume
don't go on
do not proceed
please do not proceed
no, don't go ahead
stop, do not continue
continue with the second report
continue in German
resume my subscription page
go on a trip
go ahead and delete everything
proceed with caution
discontinue
is it not done yet?
not done yet?
why is it not done yet
list what is not done yet
which ones are not done yet
if it is not done yet, tell me
the ones that are not done yet
don't say it's not done yet
I am not done yet with my report
tell me when it's done
done
it is done
取消吗？
cancel?
don't cancel
不要取消
cancel the subscription page
Write a report
"""
CANCEL = """
取消
取消。
取消任务
取消当前任务
请取消
取消吧
取消任務
取消當前任務
cancel
Cancel.
please cancel
cancel it
cancel it please
ok, cancel the task
cancel the current task
"""


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


PHRASES: list[tuple[str, IntentKind]] = [
    *((line, "continue") for line in lines(CONTINUE)),
    *((line, "not_done") for line in lines(NOT_DONE)),
    *((line, "message") for line in lines(MESSAGE)),
    *((line, "cancel") for line in lines(CANCEL)),
]


def test_r0_09_the_table_of_phrases_is_long() -> None:
    assert len(PHRASES) == len(dict(PHRASES)) >= 200


@pytest.mark.parametrize(("message", "kind"), PHRASES)
def test_r0_09_r0_12_what_a_phrase_means(message: str, kind: IntentKind) -> None:
    assert classify_message(message, paused=True, question=False).kind == kind


@pytest.mark.parametrize(
    "message", [line for line in lines(CONTINUE) if not {*"，,。？"} & {*line}]
)
@pytest.mark.parametrize("no", ["不要", "别", "don't ", "do not ", "never ", "不"])
def test_r0_09_a_negation_before_it_defeats_it(no: str, message: str) -> None:
    assert not is_continue(no + message)


@given(st.sampled_from([*lines(CONTINUE), *lines(NOT_DONE)]))
def test_r0_12_a_long_message_is_never_a_phrase(message: str) -> None:
    story = " and so the story of the five reports goes on, page after page," * 2
    assert not is_not_done(message + story)
    assert not is_continue(story + " continue")


@pytest.mark.parametrize(
    "answer",
    [
        *("yes", "Yes!", "y", "ok", "sure", "yes please", "go", "go ahead", "begin", "start"),
        *("Yes, begin.", "ok, go", "do it", "continue", "please start", "let's go"),
        *("是", "是的", "好", "好的", "可以", "行", "开始", "开始吧", "好的，开始吧", "请开始"),
        *("開始吧", "对，开始", "没问题", "继续", "可以，开始执行"),
    ],
)
def test_r0_03_this_answer_begins(answer: str) -> None:
    assert is_yes(answer)


@pytest.mark.parametrize(
    "answer",
    [
        *("no", "n", "not yet", "yes?", "yes but skip the second", "begin with the second", ""),
        *(
            "don't start",
            "不",
            "不要",
            "不是",
            "别开始",
            "先不开始",
            "开始吗",
            "好吗？",
            "先看看",
            "thanks",
        ),
        "x" * 200,
    ],
)
def test_r0_03_this_answer_does_not(answer: str) -> None:
    assert not is_yes(answer)


@given(st.text(st.sampled_from("好的请继续可以那就你ok please'- ?？没完成还不是"), max_size=100))
def test_f15_no_message_takes_long_to_understand(message: str) -> None:
    classify_message(message, paused=True, question=False)
    assert isinstance(is_yes(message), bool)


@pytest.mark.parametrize(
    "answer",
    [
        *("yes", "Yes, please!", "y", "ok", "okay", "sure", "go ahead", "do it", "allow", "always"),
        *(
            "是",
            "是的",
            "是的。",
            "好",
            "好的",
            "好的，谢谢",
            "可以",
            "行",
            "同意",
            "允许",
            "没问题",
            "總是",
        ),
    ],
)
def test_m8_this_answer_is_a_yes_wherever_it_is_asked_for(answer: str) -> None:
    assert parse_yes_or_no(answer) is True
    assert parse_permission(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "No!",
        "n",
        "nope",
        "no thanks",
        "no, by size",
        "don't",
        "不",
        "不要",
        "不是",
        "否",
        "不行，太贵",
    ],
)
def test_m8_this_answer_is_a_no(answer: str) -> None:
    assert parse_yes_or_no(answer) is False
    assert not parse_permission(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "yes?",
        "no?",
        "yes, no",
        "yes but later",
        "perhaps",
        "好吗？",
        "是不是",
        "no way to know",
    ],
)
def test_m8_this_answer_is_unclear(answer: str) -> None:
    assert parse_yes_or_no(answer) is None
    assert not parse_permission(answer)


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("step 1 is not done yet", "step 1"),
        ("Sorry, step two isn't done", "step two"),
        ("第1步还没完成", "第1步"),
        ("the fetch step is not done yet", "fetch"),
        ("图表还没完成", "图表"),
        ("not done yet", ""),
        ("还没完成", ""),
        ("这一步还没完成", ""),
        ("it's not done yet, the chart is missing", ""),
    ],
)
def test_r0_12_what_a_message_says_is_not_done(message: str, subject: str) -> None:
    assert is_not_done(message)
    assert not_done_subject(message) == subject


@pytest.mark.parametrize(
    "part",
    [
        "继续",
        "继续下去",
        "开始",
        "好的",
        "好",
        "是",
        "ok ",
        "go on ",
        "yes ",
        "no ",
        "还没",
        "the a ",
        "没",
        "了",
    ],
)
def test_f15_no_repeated_phrase_takes_long_to_understand(part: str) -> None:
    signal.alarm(60)
    try:
        for message in (f"{part * (98 // len(part))}x", f"{part * 20_000}x"):
            classify_message(message, paused=True, question=False)
            assert not is_yes(message)
            assert parse_yes_or_no(message) is None
            assert parse_done_answer(message) is None
    finally:
        signal.alarm(0)
