"""Plain lines, and one line of JSON for each event."""

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from rich.console import Console

from outlast import Plan, create_plan
from outlast.agent import events as v
from outlast.cli.live.display import JsonStreamDisplay, LineDisplay
from outlast.cli.live.event_lines import Narrator, WorkNarrator
from outlast.cli.live.terminal import Scene, TerminalDisplay
from outlast.context.chat_model import Call
from outlast.model.model import Question

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x08\x9b31m\u202e\u200b[red]b"
VISIBLE = r"a\x1b]0;owned"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TESTS = Call("bash", {"command": "python3 -m unittest"}, "1")


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Fix the shop")
    for name in ("Find the bug", "Fix prices.py", "Write REPORT.md"):
        made.add(name)
    made.complete(1)
    made.start(2)
    return made


def test_a6_nothing_reaches_a_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    plan = create_plan("memory:", HOSTILE)
    plan.add(HOSTILE)
    plan.notes.add_finding("issue", HOSTILE, HOSTILE)
    plan.notes.add_error(HOSTILE, HOSTILE)
    call = Call(HOSTILE, {HOSTILE: HOSTILE}, "1")
    question = Question(1, HOSTILE, NOW)
    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=300)
    display = TerminalDisplay(Scene(HOSTILE, "en"), lambda: plan, console, Narrator())
    events = (
        *(v.Streamed(HOSTILE), v.CallStarted(call), v.CallEnded(call, HOSTILE, HOSTILE)),
        v.CallRefused(call, "hook", HOSTILE),
        *(v.Said(HOSTILE), v.Notified(HOSTILE), v.Asked(question)),
        v.PlanMoved(1, "running", 0, 1, HOSTILE),
    )
    for event in events:
        display.show_event(event)
        display.tick()
    display.close()
    for event in events:  # now standard output is no longer the display's
        LineDisplay(Narrator()).show_event(event)
        JsonStreamDisplay().show_event(event)
    for shown in (out.getvalue(), capsys.readouterr().out):
        assert VISIBLE in shown, "it was there to be shown"
        for hostile in ("\x07", "\x08", "\x9b", "\u202e", "\u200b", "\x1b]", "\x1b[2J"):
            assert hostile not in shown


def test_a6_nothing_of_an_agent_reaches_a_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    plan = create_plan("memory:", HOSTILE)
    for task in (1, 2):
        plan.add(HOSTILE)
        plan.acting_as(f"agent/{task}").start(task)
    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=300)
    narrator = WorkNarrator("en", shows_output=False)
    scene = Scene(HOSTILE, "en", agents=True)
    display = TerminalDisplay(scene, lambda: plan, console, narrator)
    printed = LineDisplay(WorkNarrator("en"))
    events: list[v.Event] = []
    for task in (1, 2):
        about = (task, HOSTILE)
        events += (
            v.WorkStarted(*about, HOSTILE, 2),
            v.Streamed(f"{HOSTILE}\n{HOSTILE}", task=task),
            v.CallStarted(Call(HOSTILE, {HOSTILE: HOSTILE}, "1"), task=task),
            v.Asked(Question(1, HOSTILE, NOW), task=task),
            v.WorkEnded(*about, HOSTILE, "FAILED", HOSTILE, HOSTILE),
            v.ChecksEnded(*about, 0, 1, HOSTILE, HOSTILE),
            v.Decided(*about, "retry", HOSTILE, HOSTILE),
        )
    for event in events:
        display.show_event(event)
        display.draw_question(Question(1, HOSTILE, NOW), HOSTILE)
        display.tick()
    display.close()
    for event in events:  # now standard output is no longer the display's
        printed.show_event(event)
    for shown in (out.getvalue(), capsys.readouterr().out):
        assert VISIBLE in shown, "it was there to be shown"
        for hostile in ("\x07", "\x08", "\x9b", "\u202e", "\u200b", "\x1b]", "\x1b[2J"):
            assert hostile not in shown


def test_plain_lines_show_each_thing_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineDisplay(Narrator())
    moved = v.PlanMoved(3, "running", 1, 3, "Fix prices.py")
    failed = v.CallEnded(TESTS, error="\nexit 1\nmore")
    for event in (
        *(moved, v.Streamed("I run "), v.Streamed("them"), v.CallStarted(TESTS), failed, moved),
        v.CallRefused(TESTS, "hook", "ours:deny"),
        v.CallRefused(TESTS, "permission", "no"),
        *(v.Streamed("Done."), v.Said("Done."), v.Notified("80 % used", "budget")),
        v.TodoUpdated(()),
        v.Stopped("completed", "finished", "said elsewhere"),
    ):
        lines.show_event(event)
    assert capsys.readouterr().out.splitlines() == [
        "◐ [1/3] Fix prices.py",
        "  I run them",
        "✖ bash python3 -m unittest: exit 1",
        "✖ bash python3 -m unittest: ours:deny",
        "  Done.",
        "! 80 % used",
    ]


def test_the_stream_has_every_event_with_its_type(capsys: pytest.CaptureFixture[str]) -> None:
    stream = JsonStreamDisplay()
    stream.show_event(v.CallStarted(TESTS))
    stream.show_event(v.Asked(Question(1, "Which?\x1b", NOW)))
    started, asked = map(json.loads, capsys.readouterr().out.splitlines())
    assert started["type"] == "tool_call_start"
    assert started["call"]["params"] == {"command": "python3 -m unittest"}
    assert (asked["type"], asked["question"]["text"]) == ("question", "Which?\x1b")


def test_u3_lines_wait_while_a_person_types_and_follow_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = LineDisplay(Narrator())
    with lines.pause():
        with lines.pause():
            lines.show_event(v.Said("first"))
        lines.show_event(v.Said("second"))
        assert capsys.readouterr().out == ""
    printed = capsys.readouterr().out
    assert printed.index("first") < printed.index("second")
