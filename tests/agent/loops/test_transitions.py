"""R0.05: when a reply without markers moves on from the current task."""

import pytest

from outlast.agent.loops.transitions import moves_on
from outlast.model.markers import WORDS_EN, WORDS_ZH

WORDS = (*WORDS_EN, *WORDS_ZH)
ENGLISH = ("Download five reports", ("Extract the key figures", "Write the summary"))
CHINESE = ("下载所有PDF文件到本地", ("提取关键财务指标", "撰写分析报告"))


@pytest.mark.parametrize(
    "reply",
    [
        "Now downloading the report of 2020.",
        "Now I download the second one. Then the third download follows.",
        "That failed. Let me try something.",
        "Let me try again.",
        "It is not done, so I continue with it",
        "It doesn't work, let me look",
        "Now at 40%",
        "Two remain, now the next one",
        "Downloads are running",
        "```\nnext\n```",
        "",
    ],
)
def test_r0_05_english_that_goes_on_with_the_task_is_no_transition(reply: str) -> None:
    assert not moves_on(reply, WORDS, *ENGLISH)


@pytest.mark.parametrize(
    "reply",
    [
        "Next, extract the figures.",
        "I downloaded all five reports. Now I extract the key figures",
        "All five reports are here, then: the figures",
        "Let me proceed",
        "Now extracting the key figures from the downloaded reports",
    ],
)
def test_r0_05_english_that_turns_to_something_else_is_a_transition(reply: str) -> None:
    assert moves_on(reply, WORDS, *ENGLISH)


@pytest.mark.parametrize(
    "reply",
    [
        "现在下载2020年的财报。",
        "现在下载第2个PDF。",
        "还没完成，继续",
        "继续，还剩3个",
        "下载失败，现在重试",
        "然后继续下载文件",
        "一切顺利",
    ],
)
def test_r0_05_chinese_that_goes_on_with_the_task_is_no_transition(reply: str) -> None:
    assert not moves_on(reply, WORDS, *CHINESE)


@pytest.mark.parametrize(
    "reply", ["接下来提取关键财务指标。", "文件都已下载，现在提取指标", "现在开始写报告", "继续"]
)
def test_r0_05_chinese_that_turns_to_something_else_is_a_transition(reply: str) -> None:
    assert moves_on(reply, WORDS, *CHINESE)


def test_r0_05_names_without_content_leave_it_to_the_words() -> None:
    assert moves_on("Now b", WORDS, "a", ("b",))
    assert moves_on("Now", WORDS, "", ())
    assert not moves_on("Hm", WORDS, "", ())
