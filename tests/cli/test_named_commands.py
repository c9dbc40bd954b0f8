"""U8: every command that prompts, command files, skills and pages of ours name exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlast
from outlast.console.command_index import ALIASES, TABLES
from outlast.hosts.settings.command_files import (
    ARGUMENTS,
    claude_command,
    codex_skill,
    gemini_command,
    guide_lines,
)
from outlast.hosts.settings.entries import SERVER_ARGUMENTS
from outlast.hosts.wire.slash import parse_slash
from outlast.language import TOPICS, Language, topic

PACKAGE = Path(outlast.__file__).parent
ROOT = PACKAGE.parents[1]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
KNOWN = {*TABLES, *ALIASES}
MISSPELT = {"dnoe"}  # by somebody on a page, who is told the right one
# In backquotes, or at the beginning of a line of a console.
NAMED = re.compile(r"(?:`|^\$ |^)outlast ([a-z][a-z-]*)", re.MULTILINE)


def texts() -> Iterator[tuple[str, str]]:
    """Yield what models and people read, with where it is from."""
    for name in TOPICS:
        for key, row in topic(name).items():
            for language in row:
                yield f"{name}: {key}", language
    for path in (PACKAGE / "agent" / "context" / "prompts").rglob("*.md"):
        if path.is_file():
            yield path.name, path.read_text("utf-8")
    for language in LANGUAGES:
        for write in (claude_command, codex_skill, gemini_command):
            yield write.__name__, write(language)
        yield "guide_lines", "\n".join(guide_lines(language))


def test_u8_every_command_that_is_named_in_a_text_exists() -> None:
    named = {(where, word) for where, text in texts() for word in NAMED.findall(text)}
    assert len(named) > 20
    assert [(where, word) for where, word in sorted(named) if word not in KNOWN] == []


def test_u8_every_command_that_a_text_prints_exists() -> None:
    named = {
        (where, word)
        for where, text in texts()
        for word in re.findall(r"[:：] outlast ([a-z][a-z-]*)", text)
    }
    assert len(named) > 20
    assert [(where, word) for where, word in sorted(named) if word not in KNOWN] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_u8_every_command_on_a_page_exists(page: Path) -> None:
    named = set(
        re.findall(r"(?:`|^\$ )outlast ([a-z][a-z-]*)", page.read_text("utf-8"), re.MULTILINE)
    )
    assert named - KNOWN - MISSPELT == set()


def test_u8_the_command_of_the_server_exists() -> None:
    assert SERVER_ARGUMENTS[:3] == ("-P", "-m", "outlast")
    assert SERVER_ARGUMENTS[3] in TABLES


def test_u8_the_words_of_the_slash_command_exist() -> None:
    forms = [form.split()[0] for form in ARGUMENTS.strip("[]").split(" | ")]
    assert forms == ["GOAL", "status", "done", "resume", "guard", "off"]
    for form in forms[1:]:
        command = parse_slash(f"/outlast {form}")
        assert command is not None
        assert command.name == form
    assert {"status", "done", "resume"} <= KNOWN
    assert {"attach", "detach"} <= KNOWN, "for a new goal, and off"
