"""A session that nobody has attached to a plan: it sees and changes nothing."""

from pathlib import Path

import pytest

from outlast import open_plan
from outlast.hosts.hook.answer import answer_hook
from outlast.hosts.wire.events import HOST_NAMES, MOMENTS, HostName
from outlast.hosts.wire.reply import EVENT_NAMES
from tests.hosts.coding_agent import CodingAgent, files_below, make_plan

EVERYTHING: dict[str, object] = {
    "source": "compact",
    "prompt": "continue, and fix the login",
    "tool_name": "TodoWrite",
    "tool_input": {"todos": [{"content": "one", "status": "completed"}]},
    "tool_response": {"error": "broken"},
    "error": "Exit code 1",
    "last_assistant_message": "All tasks are done.",
}


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_an_unattached_session_sees_and_changes_nothing(
    home: Path, state: Path, host: HostName
) -> None:
    make_plan(home, "one", "two")
    agent, before = CodingAgent(home, host), files_below(home, state)
    for moment in EVENT_NAMES[host]:
        assert not agent.send(moment, **EVERYTHING), moment
    assert files_below(home, state) == before


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_its_user_is_told_of_an_unfinished_plan_in_one_line(
    home: Path, state: Path, host: HostName
) -> None:
    make_plan(home, *(f"task {number}" for number in range(9)))
    with open_plan(home) as plan:
        for number in (1, 2, 3):
            plan.complete(number)
    before = files_below(home, state)
    said = CodingAgent(home, host).start()
    sign = "$" if host == "codex" else "/"
    assert said.user == f"1 unfinished plan here: add-oauth 3/9 — {sign}outlast resume"
    assert not said.model
    assert files_below(home, state) == before


def test_r4_04_several_plans_are_told_in_one_line(home: Path) -> None:
    for key in "abcde":
        make_plan(home, "one", key=key)
    line = CodingAgent(home).start().user
    assert line.startswith("5 unfinished plans here: ")
    assert line.endswith(", … — /outlast resume KEY")
    assert line.count("0/1") == 3


@pytest.mark.parametrize("ended", ["completed", "dropped", "none"])
def test_r4_04_no_plan_is_announced_that_needs_no_work(home: Path, state: Path, ended: str) -> None:
    if ended != "none":
        make_plan(home, "one")
        with open_plan(home) as plan:
            plan.complete(1)
    before = files_below(home, state)
    assert not CodingAgent(home).start()
    assert files_below(home, state) == before


def test_x8_the_line_is_in_the_language_of_the_settings(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_plan(home, "one")
    (home / "outlast.toml").write_text('language = "zh"\n')
    assert (
        CodingAgent(home).start().user
        == "这里有 1 个未完成的计划：add-oauth 0/1；继续：/outlast resume"
    )
    monkeypatch.setenv("OUTLAST_LANG", "en")
    assert CodingAgent(home).start().user.startswith("1 unfinished plan")


def test_a6_the_key_of_a_plan_is_shown_visibly(home: Path) -> None:
    make_plan(home, "one", key="a\u202eb")
    shown = CodingAgent(home).start().printed
    assert "\u202e" not in shown
    assert r"a\\u202eb" in shown


def test_r4_04_a_second_session_of_the_directory_is_not_touched(home: Path) -> None:
    make_plan(home, "one", "two")
    first, other = CodingAgent(home, session="a"), CodingAgent(home, session="b")
    assert first.types("/outlast resume").model
    for moment in EVENT_NAMES["claude-code"]:
        assert not other.send(moment, **EVERYTHING), moment
    assert other.record is None


def test_r4_04_outlast_off_silences_every_hook_before_any_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    make_plan(home, "one", "two")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    before = files_below(home, state)
    monkeypatch.setenv("OUTLAST_OFF", "1")
    for moment in MOMENTS:
        assert not agent.send(moment, **EVERYTHING)
        assert answer_hook("claude-code", moment, b"no payload at all") == ""
    assert not agent.types("/outlast status")
    assert not agent.accepts("# Plan\n\n1. one\n2. two\n")
    assert files_below(home, state) == before
    monkeypatch.setenv("OUTLAST_OFF", "0")
    assert agent.types("/outlast status").reason
