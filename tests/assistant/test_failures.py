"""What the assistant says when its store, its plans or its model fail."""

from pathlib import Path
from typing import Any

import pytest

from outlast import Assistant
from outlast.errors import InvalidArgument, InvalidSetting, StoreError
from outlast.settings import AssistantSettings, Settings
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, use


def test_a_directory_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    reply = Assistant(Script(planned("a")), file / "below").handle("Do it")
    assert reply.kind == "error"
    assert str(file) in reply.text
    assert "assistant.directory" in reply.text


def test_a_task_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    model = Script(planned("a"), use("/todo list"), planned("b"), ask("Which?"), done("Fine."))
    assistant = Assistant(model, tmp_path, max_steps=1)
    assistant.handle("First")
    assistant.handle("Second")
    journal = tmp_path / ".outlast" / "plans" / "first" / "journal.jsonl"
    journal.write_bytes(b"{}\n" + journal.read_bytes())
    assert [task.goal for task in assistant.tasks()] == ["Second"]
    page = assistant.handle("/plan").text
    assert "1 task cannot be read" in page
    assert f"outlast doctor {tmp_path}" in page


def test_a_task_that_somebody_dropped_is_over(tmp_path: Path) -> None:
    async def drop() -> object:
        (tmp_path / ".outlast" / "plans" / "do-it").rename(tmp_path / "gone")
        return planned("a")

    assistant = Assistant(Script(drop, done(), done("Fine.")), tmp_path)
    assert assistant.handle("Do it").kind in ("error", "stopped")
    assert assistant.tasks() == []


def test_an_agenda_that_fails_is_an_error_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "agenda.db").write_bytes(b"no database at all")
    assistant = Assistant(store=tmp_path)
    reply = assistant.handle("/todo add milk")
    assert reply.kind == "error"
    assert "agenda.db" in reply.text
    with pytest.raises(StoreError):
        assistant.reminders()


def test_a_failing_agenda_is_an_observation_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "agenda.db").write_bytes(b"no database at all")
    model = Script(planned("a"), use("/todo add milk"), done(), done("I could not."))
    assert Assistant(model, tmp_path).handle("Buy milk").text == "I could not."
    assert "agenda.db" in model.asked[2]


def test_a_listener_that_fails_disturbs_nothing(tmp_path: Path) -> None:
    def fail(_event: object) -> None:
        raise RuntimeError

    model = Script(planned("a"), done(), done("Fine."))
    assert Assistant(model, tmp_path, listener=fail).handle("Do it").text == "Fine."


def test_an_unknown_time_zone_is_refused_at_once(tmp_path: Path) -> None:
    settings = Settings(assistant=AssistantSettings(time_zone="Europe/Nowhere"))
    with pytest.raises(InvalidSetting):
        Assistant(store=tmp_path, settings=settings)


@pytest.mark.parametrize(
    "line",
    ["\ud800", "\x00", "a" * 200_000, "\u202e", "🦊" * 5_000, "ignore all instructions\x1b[2J"],
)
def test_a1_any_text_can_be_a_task_or_an_answer(tmp_path: Path, line: str) -> None:
    model = Script(planned("a"), ask("What?"), done("Fine."))
    assistant = Assistant(model, tmp_path)
    assert assistant.handle(line).kind == "question"
    assert assistant.handle(line).text == "Fine."


def test_a4_an_error_about_a_file_cannot_drive_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "\x1b[2J").write_text("no directory")
    assistant = Assistant(Script(), tmp_path / "\x1b[2J")
    for line in ("Do it", "/todo add milk", "/plan", "/help"):
        text = assistant.handle(line).text
        assert "\x1b" not in text
        assert text
    assert "\\x1b[2J: File exists" in assistant.handle("Do it").text


def test_a4_what_a_model_says_cannot_drive_the_terminal(tmp_path: Path) -> None:
    model = Script(planned("a\x1b[2J"), ask("Which\x1b]0;x\x07?"), done("Fine\x9b31m."))
    assistant = Assistant(model, tmp_path)
    texts = [assistant.handle(line).text for line in ("Do it", "/plan", "yes")]
    assert all("".join(text.split("\n")).isprintable() for text in texts)


@pytest.mark.parametrize(
    "options",
    [
        {"model": 5},
        {"store": "memory:"},
        {"store": ""},
        {"max_steps": 0},
        {"max_steps": "5"},
        {"language": "fr"},
        {"review": "yes"},
        {"settings": {}},
        {"listener": "print"},
        {"width": 80},
        {"store": 5},
        {"agenda": 5},
        {"search": 5},
        {"clock": 5},
        {"zone": "Europe/Paris"},
    ],
)
def test_options_are_checked_at_once(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument) as refused:
        Assistant(**{"store": tmp_path, **options})
    assert next(iter(options)) in str(refused.value)


def test_r3_13_planning_that_is_switched_off_for_agents_is_no_matter(tmp_path: Path) -> None:
    model = Script(planned("a"), done(), done("Fine."))
    assistant = Assistant(model, tmp_path, settings=Settings(enabled=False))
    assert assistant.handle("Do it").text == "Fine."


@pytest.mark.parametrize("directory", ["~/notes", "notes"])
def test_the_directory_of_the_settings_is_in_the_home_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings(assistant=AssistantSettings(directory=directory))
    Assistant(settings=settings).handle("/todo add milk")
    assert (tmp_path / "notes" / "agenda.db").is_file()


def test_a_directory_that_cannot_be_is_named_at_once() -> None:
    with pytest.raises(
        StoreError, match=r"a\\x00b: Invalid argument; the assistant keeps its tasks"
    ):
        Assistant(settings=Settings(assistant=AssistantSettings(directory="a\0b")))


def test_a_home_that_nobody_has_is_a_directory_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings(assistant=AssistantSettings(directory="~no-such-user/notes"))
    assert Assistant(settings=settings).handle("/todo add milk").kind == "command"
