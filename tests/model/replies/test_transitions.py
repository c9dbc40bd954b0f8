"""R0.05: when a reply without markers moves on from the current task."""

import pytest

from outlast.model.markers import WORDS_EN, WORDS_ZH
from outlast.model.replies.transitions import announces_next, moves_on

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


@pytest.mark.parametrize(
    ("sentence", "only"),
    [
        ("接下来开始处理。", True),
        ("现在提取关键财务指标", True),
        ("继续", True),
        ("现在让我看看", True),
        ("现在密钥是钥匙", False),
        ("然后下载了所有PDF文件", False),
        ("接下来下载所有PDF文件", False),
        ("接下来有 42 个", False),
        ("提取关键财务指标", False),
    ],
)
def test_r0_06_a_sentence_can_only_announce_the_next_task(sentence: str, only: bool) -> None:  # noqa: FBT001
    assert announces_next(sentence, *CHINESE) is only


def test_r0_06_figures_in_the_name_of_the_next_task_are_no_news() -> None:
    assert announces_next("Now write report 4", "Check it", ("Write report 4",))
    assert not announces_next("Now report 4 says 77", "Sum", ("Check report 4",))


@pytest.mark.parametrize(
    "reply",
    [
        "下载完成，没有错误。接下来提取关键财务指标",
        "没有出现任何错误，接下来提取关键财务指标",
        "全部下载，未出错。接下来提取指标",
        "无失败、无报错。接下来提取指标",
    ],
)
def test_r0_05_chinese_that_reports_no_error_reports_success(reply: str) -> None:
    assert moves_on(reply, WORDS, *CHINESE)


@pytest.mark.parametrize(
    "reply",
    [
        "All files downloaded without errors. Next, extract the key figures.",
        "Done with no failures and no errors. Next, extract the key figures.",
        "0 errors, without any errors or failures. Now the key figures",
        "The transfer was error-free and nothing failed. Now the key figures",
        "It didn't fail. Now the key figures",
    ],
)
def test_r0_05_english_that_reports_no_error_reports_success(reply: str) -> None:
    assert moves_on(reply, WORDS, *ENGLISH)


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("没有成功。接下来提取关键财务指标", CHINESE),
        ("没有错误信息，但是下载失败。接下来提取关键财务指标", CHINESE),
        ("没有找到文件。接下来提取关键财务指标", CHINESE),
        ("10 errors. Next, extract the key figures.", ENGLISH),
        ("Not without errors. Next, extract the key figures.", ENGLISH),
        ("No errors so far, but it has not ended. Next, the key figures.", ENGLISH),
        ("No file, error 404. Next, extract the key figures.", ENGLISH),
    ],
)
def test_r0_05_what_else_the_reply_reports_still_counts(
    reply: str, names: tuple[str, tuple[str, ...]]
) -> None:
    assert not moves_on(reply, WORDS, *names)
