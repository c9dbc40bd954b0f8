"""The chat of a person, or of the lines in a pipe, with the assistant."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from outlast.agent.events import Event
from outlast.assistant.assistant import Assistant
from outlast.assistant.chat.chat import INTERRUPTED, Chat, Key, Lines
from outlast.assistant.chat.display import Screen, ScreenGone, TextDisplay
from outlast.assistant.tasks import PendingPlanTask
from outlast.testing import Turn
from tests.assistant.chat.party import ANSWER, GOAL, QUESTION, RESULT, party_turns
from tests.assistant.chat.test_display_screen import Paper
from tests.fake_model import FakeModel


class TypedBefore(Lines):
    """Lines that a person has typed before; it records which of them were answers."""

    def __init__(self, *typed: str | Key, is_live: bool = True) -> None:
        self.is_live, self.is_open = is_live, False
        self.answers: list[str] = []
        self.discarded = 0
        self._typed = list(typed)

    async def read(self, *, answering: bool) -> str | Key:
        await asyncio.sleep(0)
        typed = self._typed.pop(0) if self._typed else Key.END
        if answering and isinstance(typed, str):
            self.answers.append(typed)
        return typed

    async def interleave(self, show: Callable[[], None]) -> None:
        show()

    def interrupt(self) -> None:
        raise AssertionError

    def open(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False

    def discard_typed(self) -> None:
        self.discarded += 1


def party_model(on_request: Callable[[object], object] = lambda _: None) -> FakeModel:
    return FakeModel(turns=convert(party_turns("en"), list[Turn]), on_request=on_request)


class Talk:
    """One chat, and what it has shown."""

    def __init__(
        self,
        store: Path | str,
        lines: TypedBefore,
        model: FakeModel | None = None,
        *,
        hour: int = 12,
        review: bool = False,
        **options: Any,
    ) -> None:
        paper = Paper(is_terminal=lines.is_live)
        display = TextDisplay(Screen(paper), "en")
        now = datetime(2026, 11, 20, hour, tzinfo=UTC)
        with Assistant(model, store, zone=UTC, clock=lambda: now, review=review) as assistant:
            chat = Chat(assistant, lines, display, **options)
            self.code = asyncio.run(chat.run())
        self.shown = paper.getvalue()


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")


def test_r3_08_a_question_is_answered_by_the_next_line_that_is_no_command(tmp_path: Path) -> None:
    lines = TypedBefore("/todo add milk", GOAL["en"], "/todo list", ANSWER["en"])
    talk = Talk(tmp_path, lines, party_model())
    assert talk.code == 0
    assert lines.answers == ["/todo list", ANSWER["en"]]
    assert lines.discarded == 1
    assert f"\n\nPlease confirm: {QUESTION['en']}\n\n" in talk.shown
    assert talk.shown.endswith(f"\n\n{RESULT['en']}\n\n")


def test_r3_08_a_question_waits_for_the_next_chat(tmp_path: Path) -> None:
    asked = Talk(tmp_path, TypedBefore(GOAL["en"]), party_model())
    assert asked.shown.endswith("The question stays open: outlast chat shows it again.\n")
    again = Talk(tmp_path, TypedBefore(ANSWER["en"]), party_model())
    assert again.shown.splitlines()[:4] == [
        "Outlast assistant with fake. /help lists the commands, Ctrl-D leaves.",
        f"1 question is open, for the task: {GOAL['en']}",
        "",
        f"Please confirm: {QUESTION['en']}",
    ]
    assert RESULT["en"] in again.shown


def test_r3_08_a_line_does_not_answer_a_question_that_was_not_shown(tmp_path: Path) -> None:
    class OtherChat(TypedBefore):
        """Lines of a chat during which another one leads to a question."""

        async def read(self, *, answering: bool) -> str | Key:
            if not answering:
                with Assistant(party_model(), tmp_path, zone=UTC) as other:
                    await other.ahandle(GOAL["en"])
            return await super().read(answering=answering)

    lines = OtherChat("hello", ANSWER["en"])
    talk = Talk(tmp_path, lines, party_model())
    assert lines.answers == [ANSWER["en"]]
    assert talk.shown.count("1 question is open, for the task: ") == 1
    assert RESULT["en"] in talk.shown


def test_x7_a_changed_plan_is_shown_and_approved_by_the_next_line(tmp_path: Path) -> None:
    asked = Talk(tmp_path, TypedBefore(GOAL["en"], ANSWER["en"]), party_model(), review=True)
    proposal = "\n\nThe plan should change: "
    assert proposal in asked.shown
    again = Talk(tmp_path, TypedBefore("approve"), party_model(), review=True)
    assert proposal in again.shown.partition("Replanned")[0]
    assert again.shown.endswith(f"\n\n{RESULT['en']}\n\n")


def test_r3_12_a_pipe_gets_progress_and_replies_and_nothing_else(tmp_path: Path) -> None:
    lines = TypedBefore(GOAL["en"], "\n", ANSWER["en"], is_live=False)
    talk = Talk(tmp_path, lines, party_model())
    assert talk.code == 0
    shown = talk.shown.splitlines()
    assert shown[:3] == ["Planned: 2 items", "Plan:", "1. Look at the week"]
    assert shown[-2:] == ["", RESULT["en"]]
    assert '"status"' not in talk.shown


@pytest.mark.parametrize("line", ["/nonsense", "/todo done 9", "Arrange a party"])
def test_r3_13_a_pipe_ends_with_1_if_a_line_failed(tmp_path: Path, line: str) -> None:
    assert Talk(tmp_path, TypedBefore(line, "/todo list", is_live=False)).code == 1
    assert Talk(tmp_path, TypedBefore(line, "/todo list")).code == 0


def test_a_greeting_names_paused_tasks(tmp_path: Path) -> None:
    def interrupt(_request: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    for goal in ("First", "Second"):
        Talk(tmp_path, TypedBefore(goal), party_model(interrupt))
    greeting = Talk(tmp_path, TypedBefore()).shown.splitlines()
    assert greeting[1:] == [
        "Paused task: Second; type 'continue' to go on with it.",
        "1 other task is paused; /plan shows all.",
    ]


def test_ctrl_c_stops_the_turn_and_continue_goes_on(tmp_path: Path) -> None:
    pressed = list[int]()

    def interrupt(_request: object) -> None:
        if not pressed:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)

    talk = Talk(tmp_path, TypedBefore(GOAL["en"], "continue", ANSWER["en"]), party_model(interrupt))
    assert "Stopping …\nStopped." in talk.shown
    assert talk.shown.endswith(f"\n\n{RESULT['en']}\n\n")


def test_ctrl_c_ends_a_pipe(tmp_path: Path) -> None:
    lines = TypedBefore(GOAL["en"], "/todo list", is_live=False)
    talk = Talk(tmp_path, lines, party_model(lambda _: os.kill(os.getpid(), signal.SIGINT)))
    assert talk.code == INTERRUPTED
    assert "Stopping" not in talk.shown
    assert Talk(tmp_path, TypedBefore(Key.INTERRUPT, is_live=False)).code == INTERRUPTED


def test_ctrl_c_at_an_empty_prompt_says_how_to_leave_and_twice_leaves(tmp_path: Path) -> None:
    seconds = iter([0.0, 2.5, 4.0])
    keys = TypedBefore(Key.INTERRUPT, Key.INTERRUPT, Key.INTERRUPT, "/todo list")
    talk = Talk(tmp_path, keys, clock=lambda: next(seconds))
    assert talk.code == INTERRUPTED
    assert talk.shown.count("Ctrl-D leaves; so does Ctrl-C, pressed again.") == 2


def test_r3_10_help_in_a_chat_says_how_to_leave(tmp_path: Path) -> None:
    leaving = "To leave the chat: /exit, or Ctrl-D\n"
    assert Talk(tmp_path, TypedBefore(" ／help")).shown.endswith(leaving)
    assert leaving not in Talk(tmp_path, TypedBefore("/help", is_live=False)).shown


@pytest.mark.parametrize("word", ["exit", "quit", "/exit", "/quit", "／exit", "退出"])
def test_words_that_people_try_leave_the_chat(tmp_path: Path, word: str) -> None:
    talk = Talk(tmp_path, TypedBefore(word, "/nonsense"))
    assert (talk.code, talk.shown.count("\n")) == (0, 1)


def test_r3_08_such_a_word_can_be_an_answer(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TypedBefore(GOAL["en"], "quit"), party_model())
    assert "stays open" not in talk.shown
    assert "Please confirm: Which evening?" in talk.shown


def test_r3_10_reminders_that_have_fallen_due_are_shown_once(tmp_path: Path) -> None:
    remind = "/todo add Buy milk --due 2026-11-20 19:00 --remind 2026-11-20 17:00"
    early = Talk(tmp_path, TypedBefore(remind, "/view list"))
    piped = Talk(tmp_path, TypedBefore("/view list", is_live=False), hour=18)
    unwanted = Talk(tmp_path, TypedBefore("/view list"), hour=18, reminder_seconds=0)
    assert "\n⏰" not in early.shown + piped.shown + unwanted.shown
    reminded = Talk(tmp_path, TypedBefore("/view list", "/view list"), hour=18)
    assert reminded.shown.count("\n⏰") == 1
    assert "\n⏰" not in Talk(tmp_path, TypedBefore("/view list"), hour=19).shown


def test_r3_10_a_reminder_appears_while_the_assistant_works(tmp_path: Path) -> None:
    remind = "/todo add Buy milk --due 2026-11-20 19:00 --remind 2026-11-20 17:00"
    Talk(tmp_path, TypedBefore(remind))
    is_shown = threading.Event()

    class Watched(TypedBefore):
        """Lines above which reminders are shown."""

        async def interleave(self, show: Callable[[], None]) -> None:
            await super().interleave(show)
            is_shown.set()

    model = party_model(lambda _: asyncio.to_thread(is_shown.wait, 30))
    shown = Talk(tmp_path, Watched(GOAL["en"]), model, hour=18).shown
    assert 0 < shown.index("\n⏰ Todo 1") < shown.index("Please confirm: ")


def test_r3_10_reminders_that_cannot_be_read_are_reported_once_and_come_later(
    tmp_path: Path,
) -> None:
    remind = "/todo add Buy milk --due 2026-11-20 19:00 --remind 2026-11-20 17:00"
    Talk(tmp_path, TypedBefore(remind))
    database, aside = tmp_path / "agenda.db", tmp_path / "aside.db"
    database.rename(aside)
    database.write_text("damaged")

    class Patient(TypedBefore):
        """A person who waits for a sign, repairs the database, and waits again."""

        def __init__(self) -> None:
            super().__init__()
            self.shown = asyncio.Queue[None]()

        async def read(self, *, answering: bool) -> str | Key:
            await self.shown.get()
            await asyncio.sleep(0.1)  # it is tried again meanwhile
            aside.replace(database)
            await self.shown.get()
            return await super().read(answering=answering)

        async def interleave(self, show: Callable[[], None]) -> None:
            await super().interleave(show)
            self.shown.put_nowait(None)

    shown = Talk(tmp_path, Patient(), hour=18, reminder_seconds=0.01).shown
    assert shown.count("Reminders cannot be read for now: ") == 1
    assert shown.index("is damaged") < shown.index("\n⏰ Todo 1")


def test_r3_10_commands_that_are_pasted_together_are_run_one_by_one(tmp_path: Path) -> None:
    shown = Talk(tmp_path, TypedBefore("/todo add a\n\n/todo add b\n/todo list")).shown
    assert "Added todo 1: a\nAdded todo 2: b\nID  State  Todo\n" in shown


def test_a_store_that_is_broken_is_reported_once_and_commands_work(tmp_path: Path) -> None:
    database = tmp_path / "plans.db"
    database.write_text("no database of plans" * 100)
    shown = Talk(f"sqlite:///{database}", TypedBefore("/todo add milk", "/view list")).shown
    problem, answer = shown.splitlines()[1:3]
    assert problem.startswith(f"Tasks cannot be read for now: {database} is not a database")
    assert answer == "Added todo 1: milk"
    assert shown.count("is not a database") == 1


def test_tasks_are_looked_up_beside_the_event_loop(tmp_path: Path) -> None:
    class Watched(Assistant):
        """An assistant that is never called where it would hold up the chat."""

        def pending_task(self) -> PendingPlanTask | None:
            assert threading.current_thread() is not threading.main_thread()
            return super().pending_task()

        def tasks(self) -> list[PendingPlanTask]:
            assert threading.current_thread() is not threading.main_thread()
            return super().tasks()

    display = TextDisplay(Screen(Paper()), "en")
    with Watched(party_model(), tmp_path, zone=UTC) as assistant:
        assert asyncio.run(Chat(assistant, TypedBefore(GOAL["en"], "quit"), display).run()) == 0


def test_a_display_that_fails_in_a_turn_leaves_nothing_at_work(tmp_path: Path) -> None:
    class Failing(TextDisplay):
        """A display whose terminal is closed during a turn."""

        def show_event(self, event: Event) -> None:
            del event
            raise ScreenGone

    async def chat() -> int:
        with Assistant(party_model(), tmp_path, zone=UTC) as assistant:
            display = Failing(Screen(Paper()), "en")
            code = await Chat(assistant, TypedBefore(GOAL["en"]), display).run()
            assert len(asyncio.all_tasks()) == 1
            assert assistant.handle("/todo list").kind == "command", "the turn has ended"
        return code

    assert asyncio.run(chat()) == 0


def test_a_terminal_that_is_closed_ends_the_chat(tmp_path: Path) -> None:
    paper = Paper()
    display = TextDisplay(Screen(paper), "en")
    paper.close()
    with Assistant(None, tmp_path, zone=UTC) as assistant:
        lines = TypedBefore("/todo list")
        assert asyncio.run(Chat(assistant, lines, display).run()) == 0
    assert not lines.is_open
