"""R0.06: what a completion without a result of its own records."""

import pytest

from outlast.model.changes.facts import add_said
from outlast.model.ledger import DELEGATE, THINK, DoneAttempt
from outlast.model.results import made_result, words_about

ZH = ("搜索财报PDF链接", ("下载所有文件", "提取关键指标"))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("找到了五个链接 a.pdf。接下来开始下载。", "找到了五个链接 a.pdf。"),
        ("现在找到了五个链接", "现在找到了五个链接"),
        ("[完成] 搜索财报PDF链接", ""),
        ("都在 out/ 里。\n[完成] 五个链接", "五个链接 都在 out/ 里。"),
        ("[Step] 别的\n```\ncode\n```\n", ""),
        ("- a.pdf\n- a.pdf\n- b.pdf", "- a.pdf - b.pdf"),
        ("x" * 3_000, "x" * 1_999 + "…"),
    ],
)
def test_r0_06_a_reply_says_something_about_its_task(reply: str, said: str) -> None:
    assert words_about(reply, *ZH) == said


def test_r0_06_a_result_is_made_of_words_newest_first_and_of_tools_with_their_objects() -> None:
    done = (
        DoneAttempt("1#1", THINK, "3 messages"),
        DoneAttempt("1#2", "act", 'read {"n":3,"path":"a.txt"}'),
        DoneAttempt("1#3", "act", 'read {"path":" b.txt "}'),
        DoneAttempt("1#4", "act", 'write {"text":"sha256:12"}'),
        DoneAttempt("1#5", "act", 'cut {"path":"a'),
        DoneAttempt("1#6", "act", "list [1]"),
        DoneAttempt("1#7", DELEGATE, "shell make"),
    )
    assert made_result(("old", "new"), done, "en") == (
        "new; old; tools: read a.txt, b.txt, write, cut, list"
    )
    assert made_result((), done[1:3], "zh") == "工具：read a.txt, b.txt"
    assert made_result((), done[:1], "en") is None
    whole = made_result(("x" * 3_000,), done[1:2], "en") or ""
    assert len(whole) == 2_000
    assert whole.endswith("…; tools: read a.txt"), "words give way to tools"


def test_r0_06_as_much_is_kept_of_what_was_said_as_a_result_has() -> None:
    assert add_said(("a", "b"), "a") == ("b", "a")
    assert add_said(("x" * 1_500, "y" * 400), "z" * 400) == ("y" * 400, "z" * 400)
