"""R3.10: help about slash commands."""

import re

import pytest

from outlast.assistant.slash.forms import FORMS, USAGES, slash_help, usage_lines
from outlast.language import Language
from outlast.model.intents import is_slash_command


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r3_10_help_names_every_command_and_what_it_does(language: Language) -> None:
    lines = slash_help(language).splitlines()
    for form in FORMS:
        at = lines.index(f"  {form.usage}")
        assert lines[at + 1].startswith(" " * 6)
        assert bool(re.search("[\u4e00-\u9fff]", lines[at + 1])) == (language == "zh")
    assert len(lines) == 2 * len(FORMS) + 4
    assert all(map(is_slash_command, (line for line in lines if line.startswith("  /"))))


def test_r3_10_the_commands_of_a_kind_have_their_usage_lines() -> None:
    assert usage_lines(("/plan", "/cancel")) == "/plan\n/cancel"
    assert usage_lines(("/todo", "/view")).count("\n") == 8
    assert set(USAGES.values()) <= {form.usage for form in FORMS}
