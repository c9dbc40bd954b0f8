"""Events in lines."""

from datetime import UTC, datetime

import pytest

from outlast.agent import events as v
from outlast.cli.live.event_lines import Narrator, describe_call
from outlast.console.render.shorten import problem_line
from outlast.context.chat_model import Call
from outlast.language import Language, text
from outlast.model.model import Question

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_r0_03_how_to_resume_a_paused_plan_is_shown_once() -> None:
    narrator, how = Narrator(), "The plan is paused."
    events = (
        *(v.Notified(how, "paused"), v.Streamed("At the post office.")),
        *(v.Said(f"At the post office.\n\n{how}"), v.Said(how)),
    )
    assert [line for event in events for line in narrator.lines_for(event)] == [
        f"! {how}",
        "  At the post office.",
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_r0_03_the_command_line_does_not_say_to_type_continue(lang: Language) -> None:
    notice = text("loop_limit", lang, done=1, total=2)
    [line] = Narrator().lines_for(v.Notified(notice, "paused"))
    assert line.startswith("! ")
    assert "1/2" in line
    assert text("loop_limit_hint", lang) in notice
    assert text("loop_limit_hint", lang) not in line


def test_a_call_is_described_by_its_main_parameter() -> None:
    tasks = [{"name": "a"}, {"content": "b"}, {"x": "c"}, "d"]
    assert describe_call(Call("add_tasks", {"tasks": tasks})) == "add_tasks a, b, c, d"
    assert describe_call(Call("complete_task", {"task": 2, "result": "x"})) == "complete_task 2"
    assert describe_call(Call("plan_read")) == "plan_read"
    assert len(describe_call(Call("bash", {"command": "x" * 999}))) < 100
    assert Narrator().lines_for(v.Streamed("x")) == []


def test_a_question_is_not_shown_before_it_is_asked() -> None:
    question = v.Asked(Question(3, "Which one?\nred\x1b / blue", NOW))
    assert Narrator().lines_for(question) == ["? 3  Which one?", "    red\\x1b / blue"]
    assert Narrator(asking=True).lines_for(question) == []


def test_a_failure_is_shown_with_the_last_line_of_output() -> None:
    for output, line in (
        (
            "Exit code 1. Output:\n...\nFAILED (failures=1)\n",
            "Exit code 1. Output: FAILED (failures=1)",
        ),
        ("first\nsecond", "first"),
        ("only this:", "only this:"),
        ("", ""),
    ):
        assert problem_line(output) == line
