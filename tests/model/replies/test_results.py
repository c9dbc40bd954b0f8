"""R0.06: what a completion without a result of its own records."""

from datetime import UTC, datetime

import pytest

from outlast.model import commands as c
from outlast.model.budget import NOTHING
from outlast.model.changes.facts import add_said
from outlast.model.execute import return_commit
from outlast.model.history.rebuild import commits_from_snapshot
from outlast.model.ledger import DELEGATE, THINK, DoneAttempt
from outlast.model.model import LastRun
from outlast.model.replies.results import made_result, words_about
from outlast.model.state import PlanState
from outlast.store.port import Request
from outlast.stores import MemoryStore

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)

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


def test_r0_06_a_completion_makes_its_result_of_what_was_said_and_a_repair_keeps_that() -> None:
    store = MemoryStore(NOW)

    def commit(*commands: c.Command) -> None:
        store.commit(Request(commands, "ann", NOW), return_commit)

    commit(c.CreatePlan("plan_test", "Goal", begun=True))
    commit(c.AddTasks((c.NewTask("a"),)))
    run = c.RememberRun(LastRun("m", "ann", "zh", 5))
    commit(run, c.Start("ann"), c.BeginAttempt(1, THINK, "3 messages"))
    commit(c.EndAttempt("1#1", "done", said="FACT-42", spent=NOTHING))
    rebuilt = PlanState(NOW)
    store.read(lambda state: commits_from_snapshot(rebuilt, state))
    assert rebuilt.ledger.said == {1: ("FACT-42",)}
    commit(
        c.BeginAttempt(1, "act", 'read {"path":"a"}'), c.EndAttempt("1#2", "done", spent=NOTHING)
    )
    commit(c.Complete(1, "ann"))
    assert store.read(lambda state: (state.task(1).result, state.ledger.said)) == (
        "FACT-42；工具：read a",
        {},
    )
