"""Rows of plans: who works on them and since when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from outlast.console.call import Call
from outlast.console.render.plan_rows import draw_rows
from outlast.model.model import Task
from outlast.stores import ListedPlan
from outlast.system.clock import now


@pytest.mark.parametrize(
    ("ago", "english", "chinese"),
    [
        (timedelta(0), "ada, <1 min", "ada，不到 1 分钟前开始"),
        (timedelta(seconds=-5), "ada, <1 min", "ada，不到 1 分钟前开始"),  # another machine's clock
        (timedelta(minutes=59), "ada, 59 min", "ada，59 分钟前开始"),
        (timedelta(hours=3, minutes=50), "ada, 3 h", "ada，3 小时前开始"),
        (timedelta(days=1, hours=1), "ada, 1 day", "ada，1 天前开始"),
        (timedelta(days=1200), "ada, 1,200 days", "ada，1,200 天前开始"),
    ],
)
def test_u2_the_time_since_a_task_was_started_has_one_unit(
    ago: timedelta, english: str, chinese: str
) -> None:
    task = Task(3, "Pay", actor="ada", status="in_progress", started_at=now() - ago)
    plan = ListedPlan("shop", "Buy", "running", 1, 4, current=task, condition="running")
    for lang, words in (("en", english), ("zh", chinese)):
        row = draw_rows([plan], Call("list", {}, {"lang": lang}))
        assert row.endswith(f" · 3 Pay · {words}")


def test_u2_a_row_names_the_next_task_or_the_run_and_no_idle_worker() -> None:
    def row(plan: ListedPlan) -> str:
        return draw_rows([plan], Call("list", {}, {"lang": "en"})).splitlines()[1]

    task = Task(3, "Pay", actor="ada", status="in_progress")
    assert row(ListedPlan("k", condition="idle", next=task)).endswith("idle · next: 3 Pay")
    assert row(ListedPlan("k", condition="running", worker="agent")).endswith("· agent at work")
    assert row(ListedPlan("k", condition="running", current=task)).endswith("· 3 Pay · ada at work")
    assert row(ListedPlan("k", condition="paused", current=task)).endswith("paused · 3 Pay")
    ended = ListedPlan("k", status="failed", condition="aborted", current=task)
    assert row(ended).endswith("0/0  aborted")
