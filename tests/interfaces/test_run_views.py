"""How people follow a loop: the live view, plain lines, and a line of JSON for each event."""

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from rich.console import Console

from outlast import Plan, create_plan
from outlast.domain.budget import Budget, Spend
from outlast.domain.model import Question
from outlast.interfaces.cli.live.event_lines import Narrator, called, problem
from outlast.interfaces.cli.live.lines import Lines
from outlast.interfaces.cli.live.stream import Stream
from outlast.interfaces.cli.live.view import LiveView, Scene
from outlast.interfaces.cli.render.amounts import amounts, figure
from outlast.ports import events as v
from outlast.ports.model import Call

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x08\x9b31m\u202e\u200b[red]b"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TESTS = Call("bash", {"command": "python3 -m unittest"}, "1")


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Mend the shop")
    for name in ("Find the mistake", "Mend prices.py", "Write REPORT.md"):
        made.add(name)
    made.complete(1)
    made.start(2)
    return made


def seen(scene: Scene, plan: Plan | None, height: int = 24, width: int = 80) -> str:
    """Return what a terminal of that size shows of a scene."""
    console = Console(file=StringIO(), record=True, width=width, height=height, highlight=False)
    console.print(scene.drawn(plan, {}, (console.width, height), 3.2))
    return console.export_text()


def test_x4_the_live_view_shows_the_plan_the_call_the_budget_and_what_was_noted(plan: Plan) -> None:
    plan.note("issue", "The discount is money", "It should be percent.")
    plan.log_error("bash", "exit 1")
    plan.log_error("bash", "exit 1")
    scene = Scene("Mend the shop", "en")
    for event in (
        v.CallStarted(TESTS),
        v.Streamed("I run\nthe tests"),
        v.Spent(Spend(tokens=5_000, time=1.5), Budget(tokens=20_000, time=100)),
    ):
        scene.tell(event, 0.0)
    lines = [line.rstrip() for line in seen(scene, plan).splitlines()]
    assert lines == [
        "Mend the shop  1/3 running",
        "├── ● 1 Find the mistake",
        "├── ◐ 2 Mend prices.py",
        "└── ○ 3 Write REPORT.md",
        "",
        "✎ The discount is money",
        "✖ bash: exit 1 (2 times)",
        "▸ 3.2 s  bash python3 -m unittest",
        "  I run",
        "  the tests",
        "━━━━━━━━━━━━━━━━━━━━━━━━  tokens 5,000 / 20,000",
        "━━━━━━━━━━━━━━━━━━━━━━━━  time 1.5 s / 1 min 40 s",
    ]


def test_x8_the_live_view_speaks_chinese(plan: Plan) -> None:
    scene = Scene("修", "zh")
    scene.tell(v.Spent(Spend(tokens=5_000), Budget(tokens=20_000)), 0.0)
    assert "词元 5,000 / 20,000" in seen(scene, plan)


def test_what_has_ended_or_was_said_leaves_the_live_view() -> None:
    scene = Scene("Mend the shop", "en")
    for event in (v.Streamed("so"), v.CallStarted(TESTS), v.CallEnded(TESTS), v.Said("so")):
        scene.tell(event, 0.0)
    assert seen(scene, None).split() == ["Mend", "the", "shop"]


@pytest.mark.parametrize("height", [4, 10, 24])
def test_the_live_view_is_never_higher_than_the_terminal(height: int) -> None:
    plan = create_plan("memory:", "Much")
    for number in range(100):
        plan.add(f"task {number}")
        plan.note("insight", f"finding {number}", "x")
    scene = Scene("Much", "en")
    for number in range(30):
        scene.tell(v.CallStarted(Call("read_file", {"path": "x" * 500}, str(number))), 0.0)
    scene.tell(v.Streamed("line\n" * 500), 0.0)
    rows = seen(scene, plan, height).rstrip("\n").splitlines()
    assert len(rows) <= max(height, 9)  # rich cuts off what is left over on a very low one
    assert len(seen(scene, None, height).splitlines()) <= height


def test_a6_nothing_reaches_a_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    plan = create_plan("memory:", HOSTILE)
    plan.add(HOSTILE)
    plan.note("issue", HOSTILE, HOSTILE)
    plan.log_error(HOSTILE, HOSTILE)
    call = Call(HOSTILE, {HOSTILE: HOSTILE}, "1")
    question = Question(1, HOSTILE, NOW)
    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=300)
    view = LiveView(Scene(HOSTILE, "en"), lambda: plan, console, Narrator())
    events = (
        *(v.Streamed(HOSTILE), v.CallStarted(call), v.CallEnded(call, HOSTILE, HOSTILE)),
        *(v.Said(HOSTILE), v.Notified(HOSTILE), v.Asked(question)),
        v.PlanMoved(1, "running", 0, 1, HOSTILE),
    )
    for event in events:
        view.tell(event)
        view.tick()
        Lines(Narrator()).tell(event)
        Stream().tell(event)
    view.close()
    for hostile in ("\x07", "\x08", "\x9b", "\u202e", "\u200b", "\x1b]", "\x1b[2J"):
        assert hostile not in out.getvalue() + capsys.readouterr().out


def test_a_view_can_rest_while_somebody_is_asked(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    view = LiveView(Scene("g", "en"), lambda: plan, console, Narrator())
    with view.resting():
        console.print("asked")
    view.tick()
    view.close()
    assert out.getvalue().index("asked") < out.getvalue().rindex("Mend prices.py")


def test_plain_lines_tell_each_thing_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(Narrator())
    moved = v.PlanMoved(3, "running", 1, 3, "Mend prices.py")
    failed = v.CallEnded(TESTS, error="\nexit 1\nmore")
    for event in (
        *(moved, v.Streamed("I run "), v.Streamed("them"), v.CallStarted(TESTS), failed, moved),
        *(v.Streamed("Done."), v.Said("Done."), v.Notified("80 % used", "budget")),
        v.TodoUpdated(()),
        v.Stopped("completed", "finished", "said elsewhere"),
    ):
        lines.tell(event)
    assert capsys.readouterr().out.splitlines() == [
        "◐ [1/3] Mend prices.py",
        "  I run them",
        "✖ bash python3 -m unittest: exit 1",
        "  Done.",
        "! 80 % used",
    ]


def test_r0_03_how_a_paused_plan_goes_on_is_told_once() -> None:
    narrator, how = Narrator(), "Type 'continue' to resume."
    events = (
        *(v.Notified(how, "paused"), v.Streamed("At the post office.")),
        *(v.Said(f"At the post office.\n\n{how}"), v.Said(how)),
    )
    assert [line for event in events for line in narrator.told(event)] == [
        f"! {how}",
        "  At the post office.",
    ]


def test_the_stream_has_every_event_with_its_type(capsys: pytest.CaptureFixture[str]) -> None:
    stream = Stream()
    stream.tell(v.CallStarted(TESTS))
    stream.tell(v.Asked(Question(1, "Which?\x1b", NOW)))
    started, asked = map(json.loads, capsys.readouterr().out.splitlines())
    assert started["type"] == "tool_call_start"
    assert started["call"]["params"] == {"command": "python3 -m unittest"}
    assert (asked["type"], asked["question"]["text"]) == ("question", "Which?\x1b")


def test_a_call_is_told_by_what_it_is_about() -> None:
    tasks = [{"name": "a"}, {"content": "b"}, {"x": "c"}, "d"]
    assert called(Call("add_tasks", {"tasks": tasks})) == "add_tasks a, b, c, d"
    assert called(Call("complete_task", {"task": 2, "result": "x"})) == "complete_task 2"
    assert called(Call("plan_read")) == "plan_read"
    assert len(called(Call("bash", {"command": "x" * 999}))) < 100
    assert Narrator().told(v.Streamed("x")) == []


def test_amounts_are_short() -> None:
    assert amounts(Spend(1, 1_234, 0.0123, 3_661, 2, 0), "en") == [
        *("model calls 1", "tokens 1,234", "$0.0123", "time 1 h 1 min", "tool calls 2")
    ]
    assert [figure("money", 2.5), figure("seconds", 75)] == ["2.50", "1 min 15 s"]


def test_a_view_that_has_rested_draws_over_nothing(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    view = LiveView(Scene("g", "en"), lambda: plan, console, Narrator())
    view.tick()
    with view.resting():
        with view.resting():  # as Ctrl-C does while somebody is asked
            rested = out.tell()
        assert out.getvalue()[rested:] == ""
    view.tick()
    assert "\x1b[1A" not in out.getvalue()[rested:]
    view.close()
    closed = out.tell()
    console.print("after")
    assert out.getvalue()[closed:] == "after\n"


def test_a_long_line_hangs_beside_its_mark(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, width=20, height=24)
    view = LiveView(Scene("g", "en"), lambda: plan, console, Narrator())
    view.tell(v.Notified("one two three four five six"))
    view.close()
    assert out.getvalue().splitlines()[:2] == ["! one two three four", "  five six"]


def test_the_smallest_terminals_show_what_matters(plan: Plan) -> None:
    scene = Scene("Mend the shop", "en")
    scene.tell(v.CallStarted(TESTS), 0.0)
    scene.tell(v.Spent(Spend(tokens=5_000), Budget(tokens=20_000)), 0.0)
    assert [line.rstrip() for line in seen(scene, plan, 6, 24).splitlines()] == [
        "Mend the s…  1/3 running",
        "├── ● 1 Find the mistake",
        "└── ◐ 2 Mend prices.py",
        "▸ 3.2 s  bash python3 -…",
        "━━━━━━━━  tokens 5,000 …",
    ]


def test_who_is_asked_is_not_told_the_question_before() -> None:
    question = v.Asked(Question(3, "Which one?\nred\x1b / blue", NOW))
    assert Narrator().told(question) == ["? 3  Which one?", "    red\\x1b / blue"]
    assert Narrator(asking=True).told(question) == []


def test_what_a_program_said_last_is_told_of_its_failure() -> None:
    for said, told in (
        (
            "Exit code 1. Output:\n...\nFAILED (failures=1)\n",
            "Exit code 1. Output: FAILED (failures=1)",
        ),
        ("first\nsecond", "first"),
        ("only this:", "only this:"),
        ("", ""),
    ):
        assert problem(said) == told
