"""The files by which agents know the command `/outlast`."""

import json
import re
import tomllib

import pytest
from ruamel.yaml import YAML

from outlast.hosts.settings.command_files import (
    CODEX_POLICY,
    claude_command,
    codex_skill,
    gemini_command,
    guide_lines,
    plugin_manifest,
)
from outlast.language import Language

LANGUAGES = ("en", "zh")


def front_matter(text: str) -> dict[str, object]:
    _, header, _ = text.split("---\n", 2)
    return dict(YAML(typ="safe").load(header))


@pytest.mark.parametrize("language", LANGUAGES)
def test_x8_claude_code_gets_a_command_with_its_words(language: Language) -> None:
    text = claude_command(language)
    header = front_matter(text)
    assert header["disable-model-invocation"] is True
    assert str(header["argument-hint"]).startswith("[GOAL | status")
    assert "\n/outlast $ARGUMENTS\n" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_x8_gemini_gets_a_command_with_its_words(language: Language) -> None:
    value = tomllib.loads(gemini_command(language))
    assert value["prompt"].startswith("/outlast {{args}}\n")
    assert value["description"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_x8_codex_gets_a_skill_that_only_people_call(language: Language) -> None:
    text = codex_skill(language)
    assert front_matter(text)["name"] == "outlast"
    assert "\n$outlast [GOAL" in text
    policy = YAML(typ="safe").load(CODEX_POLICY)
    assert policy == {"policy": {"allow_implicit_invocation": False}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_x8_agents_without_hooks_get_six_lines(language: Language) -> None:
    lines = guide_lines(language)
    assert len(lines) == 6
    assert not any(re.search(r"\{|/home|/usr", line) for line in lines)


def test_a_plugin_has_a_manifest() -> None:
    manifest = json.loads(plugin_manifest("1.2.3", "en"))
    assert (manifest["name"], manifest["version"]) == ("outlast", "1.2.3")
