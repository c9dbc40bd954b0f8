"""`/outlast …` in a prompt."""

import pytest

from outlast.hosts.wire.slash import SlashCommand, parse_slash


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("/outlast", SlashCommand("status")),
        ("  /outlast  status ", SlashCommand("status")),
        ("$outlast off", SlashCommand("off")),
        ("/outlast:outlast", SlashCommand("status")),
        ("/outlast:outlast Add OAuth", SlashCommand("goal", "Add OAuth")),
        ("/outlast done", SlashCommand("done")),
        ("/outlast done 3", SlashCommand("done", "", 3)),
        ("/outlast done 3 it\nworks", SlashCommand("done", "it\nworks", 3)),
        ("/outlast resume", SlashCommand("resume")),
        ("/outlast resume add-oauth", SlashCommand("resume", "add-oauth")),
        ("/outlast guard", SlashCommand("guard", "on")),
        ("/outlast guard off", SlashCommand("guard", "off")),
        ("/outlast Add OAuth\nwith tokens", SlashCommand("goal", "Add OAuth\nwith tokens")),
        ("/outlast done with the old login", SlashCommand("goal", "done with the old login")),
        ("/outlast resume the work", SlashCommand("goal", "resume the work")),
        ("/outlast guard the door", SlashCommand("goal", "guard the door")),
        ("/outlast off the shelf", SlashCommand("goal", "off the shelf")),
        ("/outlast 修复登录", SlashCommand("goal", "修复登录")),
        ("/outlast\nAdd OAuth", SlashCommand("goal", "Add OAuth")),
        ("/outlast Status", SlashCommand("status")),
        ("/outlast OFF", SlashCommand("off")),
        ("/outlast Done 3 It works", SlashCommand("done", "It works", 3)),
        ("/outlast Resume Add-OAuth", SlashCommand("resume", "Add-OAuth")),
        ("/outlast guard Off", SlashCommand("guard", "off")),
        ("/outlast help", SlashCommand("unknown", "help")),
        ("$outlast --help", SlashCommand("unknown", "--help")),
        ("/outlast Help me", SlashCommand("goal", "Help me")),
    ],
)
def test_u7_a_command_is_read(prompt: str, expected: SlashCommand) -> None:
    assert parse_slash(prompt) == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "outlast",
        "/outlaster",
        "/outlast.md",
        "/outlast/x",
        "/outlast-x",
        "/outlast:x",
        "use /outlast",
    ],
)
def test_u7_other_prompts_are_no_command(prompt: str) -> None:
    assert parse_slash(prompt) is None


def test_u7_of_an_expanded_command_only_the_first_line_counts() -> None:
    assert parse_slash("/outlast resume x\n\nOur own text.", is_raw=False) == SlashCommand(
        "resume", "x"
    )
