"""The live view on a terminal."""

from datetime import UTC, datetime
from io import StringIO

import pytest
from rich.console import Console

from outlast import Plan, create_plan
from outlast.agent import events as v
from outlast.cli.live.display import LineDisplay
from outlast.cli.live.event_lines import Narrator, WorkNarrator
from outlast.cli.live.terminal import Scene, TerminalDisplay
from outlast.context.chat_model import Call
from outlast.model.budget import Budget, Spend
from outlast.model.model import Question

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


def render(scene: Scene, plan: Plan | None, height: int = 24, width: int = 80) -> str:
    """Return what a terminal of that size shows of a scene."""
    console = Console(file=StringIO(), record=True, width=width, height=height, highlight=False)
    console.print(scene.render(plan, {}, (console.width, height), 3.2))
    return console.export_text()


def test_x4_the_live_view_shows_the_plan_the_call_the_budget_and_what_was_noted(plan: Plan) -> None:
    plan.notes.add_finding("issue", "The discount is money", "It should be percent.")
    plan.notes.add_error("bash", "exit 1")
    plan.notes.add_error("bash", "exit 1")
    scene = Scene("Fix the shop", "en")
    for event in (
        v.CallStarted(TESTS),
        v.Streamed("I run\nthe tests"),
        v.Spent(Spend(tokens=5_000, time=1.5), Budget(tokens=20_000, time=100)),
    ):
        scene.update(event, 0.0)
    lines = [line.rstrip() for line in render(scene, plan).splitlines()]
    assert lines == [
        "Fix the shop  1/3 running",
        "├── ● 1 Find the bug",
        "├── ◐ 2 Fix prices.py",
        "└── ○ 3 Write REPORT.md",
        "",
        "✎ The discount is money",
        "✖ bash: exit 1 (2 times)",
        "▸ 3.2 s  bash python3 -m unittest",
        "  I run",
        "  the tests",
        "━━━━━━━━━━━━━━━━━━━━━━━━  5,000 of 20,000 tokens",
        "━━━━━━━━━━━━━━━━━━━━━━━━  1.5 s of 1 min 40 s",
    ]


def test_x8_the_live_view_speaks_chinese(plan: Plan) -> None:
    scene = Scene("修", "zh")
    scene.update(v.Spent(Spend(tokens=5_000), Budget(tokens=20_000)), 0.0)
    assert "token 数 5,000（共 20,000）" in render(scene, plan)


def test_ended_calls_and_finished_speech_leave_the_live_view() -> None:
    scene = Scene("Fix the shop", "en")
    for event in (v.Streamed("so"), v.CallStarted(TESTS), v.CallEnded(TESTS), v.Said("so")):
        scene.update(event, 0.0)
    assert render(scene, None).split() == ["Fix", "the", "shop"]


@pytest.mark.parametrize("height", [4, 10, 24])
def test_the_live_view_is_never_higher_than_the_terminal(height: int) -> None:
    plan = create_plan("memory:", "Much")
    for number in range(100):
        plan.add(f"task {number}")
        plan.notes.add_finding("insight", f"finding {number}", "x")
    scene = Scene("Much", "en")
    for number in range(30):
        scene.update(v.CallStarted(Call("read_file", {"path": "x" * 500}, str(number))), 0.0)
    scene.update(v.Streamed("line\n" * 500), 0.0)
    rows = render(scene, plan, height).rstrip("\n").splitlines()
    assert len(rows) <= max(height, 9)  # rich cuts off what is left over on a very low one
    assert len(render(scene, None, height).splitlines()) <= height


def test_a_view_pauses_during_a_question(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    display = TerminalDisplay(Scene("g", "en"), lambda: plan, console, Narrator())
    with display.pause():
        console.print("asked")
    display.tick()
    display.close()
    assert out.getvalue().index("asked") < out.getvalue().rindex("Fix prices.py")


def test_a_view_draws_over_nothing_after_a_pause(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    display = TerminalDisplay(Scene("g", "en"), lambda: plan, console, Narrator())
    display.tick()
    with display.pause():
        with display.pause():  # as Ctrl-C does during a question
            rested = out.tell()
        assert out.getvalue()[rested:] == ""
    display.tick()
    assert "\x1b[1A" not in out.getvalue()[rested:]
    display.close()
    closed = out.tell()
    console.print("after")
    assert out.getvalue()[closed:] == "after\n"


def test_a_long_line_hangs_beside_its_mark(plan: Plan) -> None:
    out = StringIO()
    console = Console(file=out, width=20, height=24)
    display = TerminalDisplay(Scene("g", "en"), lambda: plan, console, Narrator())
    display.show_event(v.Notified("one two three four five six"))
    display.close()
    assert out.getvalue().splitlines()[:2] == ["! one two three four", "  five six"]


def test_the_smallest_terminals_show_what_matters(plan: Plan) -> None:
    scene = Scene("Fix the shop", "en")
    scene.update(v.CallStarted(TESTS), 0.0)
    scene.update(v.Spent(Spend(tokens=5_000), Budget(tokens=20_000)), 0.0)
    assert [line.rstrip() for line in render(scene, plan, 6, 24).splitlines()] == [
        "Fix the sh…  1/3 running",
        "├── ● 1 Find the bug",
        "└── ◐ 2 Fix prices.py",
        "▸ 3.2 s  bash python3 -…",
        "━━━━━━━━  5,000 of 20,0…",
    ]


def test_u10_a_question_is_drawn_below_the_agents_that_go_on(plan: Plan) -> None:
    scene = Scene("Fix the shop", "en", agents=True)
    scene.update(v.WorkStarted(2, "Fix prices.py", "shell", lane="2.1"), 0.0)
    scene.update(v.Streamed("patching", "2.1", 2), 0.0)
    scene.update(v.Streamed('{"tasks": [', task=0), 0.0)
    question = Question(7, "What\x1b now?\nAnswer retry or skip", NOW)
    scene.ask(question, "sk")
    shown = [line.rstrip() for line in render(scene, plan).splitlines()]
    assert shown[5:] == [
        "▸ 2 Fix prices.py  3.2 s · shell",
        "  │ patching",
        '  {"tasks": [',
        "",
        "? 7  What\\x1b now?",
        "Answer (empty: later): sk",
    ]
    scene.ask(question, "x" * 90 + "end")
    assert render(scene, plan, width=40).splitlines()[-1] == f"Answer (empty: later): {'x' * 13}end"
    scene.ask(question, None)
    assert "Answer" not in render(scene, plan)


@pytest.mark.parametrize(
    ("tasks", "done", "words"), [(0, 0, "planning"), (2, 1, "deciding how"), (1, 1, "finishing")]
)
def test_u10_the_orchestrator_says_what_it_does_between_tasks(
    tasks: int, done: int, words: str
) -> None:
    scene = Scene("Ship it", "en", agents=True)
    plan = create_plan("memory:", "Ship it")
    for number in range(tasks):
        plan.add(f"Task {number}")
    for number in range(done):
        plan.complete(number + 1)
    assert f"▸ 0.0 s  {words}" in render(scene, plan)
    if not tasks:
        assert "▸ 0.0 s  planning" in render(scene, None)


def test_u10_lines_of_others_wait_until_a_question_is_answered(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    drawn = TerminalDisplay(Scene("g", "en"), lambda: plan, console, WorkNarrator("en"))
    printed = LineDisplay(WorkNarrator("en"))
    for display in (drawn, printed):
        assert not display.draws_questions
        display.draw_question(Question(1, "Now?", NOW), None)
        with display.pause():
            before = out.tell()
            display.show_event(v.WorkStarted(1, "Build", "shell"))
            assert out.getvalue()[before:] + capsys.readouterr().out == ""
        display.close()
    assert "1 Build (shell)" in out.getvalue()
    assert capsys.readouterr().out == "▶ 1 Build (shell)\n"
    scene = Scene("g", "en", agents=True)
    assert TerminalDisplay(scene, lambda: plan, console, WorkNarrator("en")).draws_questions
