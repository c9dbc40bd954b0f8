"""What a chat shows of a turn."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import structs

from outlast.agent import events as v
from outlast.assistant.chat.display import JsonDisplay, Screen, TextDisplay
from outlast.assistant.tasks import PendingPlanTask
from outlast.context.chat_model import Call
from outlast.language import Language
from tests.assistant.chat.test_display_screen import Paper

WAITING = PendingPlanTask(
    key="k",
    goal="Arrange\x1b[2J\na " + "x" * 200,
    state="waiting",
    updated_at=datetime(2026, 1, 1, tzinfo=UTC),
    question_shown="Please confirm: a\x07?",
)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")


def replied(text: str, kind: v.ReplyKind) -> v.Replied:
    return v.Replied(v.AssistantReply(text, kind))


@pytest.mark.parametrize(
    ("language", "thinking", "tool", "working"),
    [
        ("en", "3.0 s  thinking  (Ctrl-C stops)", "1.0 s  todo  (Ctrl-C stops)", "working"),
        ("zh", "3.0 秒  思考中（Ctrl-C 停止）", "1.0 秒  todo（Ctrl-C 停止）", "处理中"),
    ],
)
def test_u10_a_model_that_thinks_shows_seconds(
    language: Language, thinking: str, tool: str, working: str
) -> None:
    paper, clock = Paper(), Clock()
    display = TextDisplay(Screen(paper), language, clock)

    def status(seconds: float) -> str:
        clock.seconds += seconds
        display.tick()
        return paper.getvalue().rpartition("\r\x1b[K")[2]

    display.begin_turn("Arrange a party")
    assert status(0.4) == ""
    display.show_event(v.Streamed('{"status": "planned"'))
    assert status(2.6) == thinking
    call = Call("todo", {}, "1")
    display.show_event(v.CallStarted(call))
    assert status(0.1) == ""
    assert status(0.9) == tool
    display.show_event(v.CallEnded(call))
    assert status(0.1) == ""
    display.show_event(v.Notified("Planned: 1 item", "progress"))
    assert status(0.1) == "Planned: 1 item\n"
    display.show_event(replied("Done.", "answer"))
    assert status(9).endswith("Done.\n\n")
    display.begin_turn("/todo list")
    assert working in status(1)


def test_r3_12_what_the_model_writes_is_never_shown() -> None:
    paper, printed = Paper(is_terminal=False), list[dict[str, Any]]()
    for display in (TextDisplay(Screen(paper), "en"), JsonDisplay(printed.append)):
        display.begin_turn("x")
        for event in (v.Streamed("secret thoughts"), v.Said("secret thoughts")):
            display.show_event(event)
        display.show_event(replied("Hello!", "answer"))
    assert paper.getvalue() == "Hello!\n"
    assert [each["type"] for each in printed] == ["reply"]


def test_a_turn_that_is_being_stopped_does_not_offer_to_stop_it() -> None:
    paper, clock = Paper(), Clock()
    display = TextDisplay(Screen(paper), "en", clock)
    display.begin_turn("x")
    display.stop_turn()
    display.show_event(v.Notified("Planned: 1 item", "progress"))
    clock.seconds = 3.0
    display.tick()
    assert paper.getvalue().splitlines() == ["Stopping …", "Planned: 1 item"]


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("answer", "\n\x1b[1mText\x1b[0m\n\n"),
        ("question", "\n\x1b[1;33mText\x1b[0m\n\n"),
        ("limit", "\nText\n\n"),
        ("command", "Text\n"),
        ("cancelled", "Text\n"),
        ("error", "\x1b[31mText\x1b[0m\n"),
        ("unavailable", "\x1b[31mText\x1b[0m\n"),
    ],
)
def test_what_a_task_led_to_is_set_apart(kind: v.ReplyKind, shown: str) -> None:
    paper = Paper()
    display = TextDisplay(Screen(paper, colours=True), "en")
    display.show_event(replied("Before", "command"))
    display.show_event(replied("Text", kind))
    assert paper.getvalue() == f"Before\n{shown}"


def test_a4_a_greeting_spells_control_characters_out() -> None:
    paper = Paper(is_terminal=False)
    display = TextDisplay(Screen(paper), "en")
    display.greet("m\x1b", [WAITING], ["Done: \x9b"])
    display.show_question(WAITING)
    assert paper.getvalue().splitlines() == [
        "Outlast assistant with m\\x1b. /help lists the commands, Ctrl-D leaves.",
        "",
        "Done: \\x9b",
        f"1 question is open, for the task: Arrange\\x1b[2J a {'x' * 86}…",
        "",
        "Please confirm: a\\x07?",
    ]


def test_a_greeting_advises_continue_only_where_it_is_no_answer() -> None:
    paper = Paper(is_terminal=False)
    paused = structs.replace(WAITING, state="paused", goal="Buy milk")
    TextDisplay(Screen(paper), "en").greet("m", [WAITING, paused])
    assert paper.getvalue().splitlines()[1:] == ["1 other task is paused; /plan shows all."]


def test_a_program_gets_events_only() -> None:
    printed = list[dict[str, Any]]()
    display = JsonDisplay(printed.append)
    display.greet("m", [])
    display.show_question(WAITING)
    display.begin_turn("x")
    display.tick()
    display.stop_turn()
    display.say("chat_stopping")
    display.show_reminders(["Buy milk"])
    assert printed == []
    display.show_event(v.Notified("Planned: 1 item", "progress"))
    display.show_event(replied("Done.", "answer"))
    assert printed == [
        {"type": "notification", "text": "Planned: 1 item", "kind": "progress"},
        {"type": "reply", "reply": {"text": "Done.", "kind": "answer"}},
    ]
