"""The work of several agents in lines: each names its task, nothing mixes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from outlast.agent import events as v
from outlast.cli.live.event_lines import WorkNarrator
from outlast.context.chat_model import Call
from outlast.model.model import Question

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STYLES = (2, "Make styles")


def lines(narrator: WorkNarrator, *events: v.Event) -> list[str]:
    return [line for event in events for line in narrator.lines_for(event)]


def test_u10_lines_of_two_agents_name_their_tasks_and_do_not_mix() -> None:
    assert lines(
        WorkNarrator("en"),
        v.Streamed('{"tasks": []}'),
        v.WorkStarted(1, "Make\x1b pages", "shell", lane="1.1"),
        v.WorkStarted(2, "Make styles", "shell", 2, "2.2"),
        v.PlanMoved(3, "running", 0, 2, "Make pages"),
        v.Streamed("mak", "1.1", 1),
        v.Streamed("red\n\n", "2.2", 2),
        v.Streamed("ing\nthe rest", "1.1", 1),
        v.WorkEnded(1, "Make pages", "shell", "SUCCESS", summary="Two pages", lane="1.1"),
        v.Streamed('{"decision": "next"}\n', "1.1", 1),
        v.WorkEnded(2, "Make styles", "shell", error="too slow\nmore", lane="2.2"),
    ) == [
        "▶ 1 Make\\x1b pages (shell)",
        "▶ 2 Make styles (shell, attempt 2)",
        "  2│ red",
        "  1│ making",
        "  1│ the rest",
        "◂ 1 Make pages: SUCCESS: Two pages",
        "✖ 2 Make styles: too slow",
    ]


def test_x2_what_the_checks_and_the_decision_say_is_shown_with_the_task() -> None:
    assert lines(
        WorkNarrator("en"),
        v.ChecksStarted(*STYLES),
        v.ChecksEnded(*STYLES, 0, 1, "test -s style.css: exit code 1"),
        v.Decided(*STYLES, "retry", "A check fails", "outlast"),
        v.ChecksEnded(*STYLES, 1, 1),
        v.Decided(*STYLES, "next", "All checks pass", "outlast", 1, 3),
        v.ChecksEnded(3, "Pack", error="not approved"),
        v.Decided(3, "Pack", "retry", "The list is empty", "agent"),
        v.Decided(3, "Pack", "next", done=2, total=3),
        v.Decided(4, "Ship", "replan", "Another way"),
        v.Decided(5, "Test", "abort"),
    ) == [
        "✖ 2 Make styles: test -s style.css: exit code 1",
        "● [1/3] 2 Make styles  ✔ 1/1",
        "✖ 3 Pack: not approved",
        "↻ 3 Pack: The list is empty",
        "● [2/3] 3 Pack",
        "⇄ 4 Ship: Another way",
        "✖ 5 Test",
    ]


@pytest.mark.parametrize("ended", [{"status": "FAILED"}, {"error": "too slow"}])
def test_u10_a_display_that_hides_output_shows_its_end_when_an_attempt_fails(
    ended: dict[str, Any],
) -> None:
    narrator = WorkNarrator("en", shows_output=False)
    output = "".join(f"line {number}\n" for number in range(9))
    shown = lines(
        narrator,
        v.WorkStarted(*STYLES, "shell"),
        v.Streamed(f"{output}last", task=2),
        v.WorkEnded(*STYLES, "shell", **ended),
    )
    tail = [f"  2│ line {number}" for number in range(5, 9)]
    assert shown == [
        "▶ 2 Make styles (shell)",
        *tail,
        "  2│ last",
        f"✖ 2 Make styles: {next(iter(ended.values()))}",
    ]
    assert lines(
        narrator,
        v.WorkStarted(1, "A", "shell"),
        v.Streamed("x\n", task=1),
        v.WorkEnded(1, "A", "shell", "SUCCESS"),
    ) == ["▶ 1 A (shell)", "◂ 1 A: SUCCESS"]


def test_x8_the_lines_of_agents_are_chinese() -> None:
    started = v.WorkStarted(2, "做样式", "shell", 2)
    assert WorkNarrator("zh").lines_for(started) == ["▶ 2 做样式（shell、第 2 次尝试）"]


def test_r1_06_a_question_is_printed_unless_the_prompt_does_that() -> None:
    asked = v.Asked(Question(7, "What now?\nAnswer retry", NOW), "2.1", 2)
    assert WorkNarrator("en").lines_for(asked) == ["? 7  What now?", "    Answer retry"]
    assert WorkNarrator("en", asking=True).lines_for(asked) == []


def test_u10_calls_of_an_agent_of_ours_name_its_task() -> None:
    call = Call("bash", {"command": "make"}, "1")
    narrator = WorkNarrator("en")
    assert narrator.lines_for(v.CallEnded(call, lane="2.1", task=2)) == ["  2│ ✔ bash make"]
    assert narrator.lines_for(v.Notified("From task_plan.md: added 4")) == [
        "! From task_plan.md: added 4"
    ]
