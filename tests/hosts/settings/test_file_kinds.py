"""What is ours in each kind of file: it gets in, it is found again, and it gets out."""

import pytest

from outlast.errors import InvalidDocument
from outlast.hosts.settings.entries import JsonSettings, SettingsEntries, TomlSettings
from outlast.hosts.settings.file_kinds import (
    HTML,
    BlockFile,
    ExcludeFile,
    FileKind,
    MergedText,
    WholeFile,
)
from outlast.hosts.settings.hook_table import hook_groups

SCRIPT, PYTHON = "/opt/outlast/hosts/hook/hook.sh", "/opt/bin/python"
JSON = JsonSettings(SettingsEntries(hook_groups("codex", SCRIPT, PYTHON), server=PYTHON))
GUIDE = BlockFile(HTML, ("Use it.",), (("Use it.",), ("请使用。",)))
COMMAND = WholeFile("ours\n", ("ours\n", "我们的\n"))
KINDS = [
    (JSON, '{\n  "a": 1\n}\n'),
    (TomlSettings(PYTHON), 'model = "x"\n'),
    (GUIDE, "# Rules\n"),
    (ExcludeFile(("/one", "/two")), "*.log\n"),
    (COMMAND, ""),
]


@pytest.mark.parametrize(("kind", "before"), KINDS)
def test_r4_08_what_is_added_is_found_and_removed(kind: FileKind, before: str) -> None:
    merged = kind.merge(before)
    assert merged.left_alone == ()
    assert kind.entries(merged.text) != kind.entries(before)
    stripped = kind.strip(merged.text, before)
    assert stripped == before
    assert kind.entries(stripped) == kind.entries(before)
    assert kind.is_same(stripped, f"{before}\n")
    assert kind.is_empty(before) is (kind is COMMAND)


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_r4_08_a_file_with_nothing_but_ours_can_go(kind: FileKind) -> None:
    assert kind.is_empty(kind.strip(kind.merge("").text, None))


def test_x8_what_is_ours_in_the_other_language_is_as_good() -> None:
    assert GUIDE.entries(BlockFile(HTML, ("请使用。",)).merge("").text) == GUIDE.lines
    assert GUIDE.entries(BlockFile(HTML, ("older",)).merge("").text) == ["older"]
    assert COMMAND.entries("我们的\n") == COMMAND.content
    assert COMMAND.strip("我们的\n", None) == ""


def test_a_file_of_the_user_where_ours_would_be_is_left_alone() -> None:
    assert COMMAND.merge("mine\n") == MergedText("mine\n", ("outlast",))
    assert COMMAND.strip("mine\n", None) == "mine\n"
    assert COMMAND.entries("mine\n") is None
    assert not COMMAND.is_empty(" ")


def test_names_that_other_setups_ignore_stay() -> None:
    both = ExcludeFile(("/two",)).merge(ExcludeFile(("/one",)).merge("").text).text
    left = ExcludeFile(("/one",)).strip(both, None)
    assert left == "# outlast init: begin\n/two\n# outlast init: end\n"
    assert ExcludeFile(()).merge("x\n").text == "x\n"


def test_settings_of_codex_that_are_no_toml_are_refused() -> None:
    text = TomlSettings(PYTHON).merge("").text
    with pytest.raises(InvalidDocument):
        TomlSettings(PYTHON).entries(f"{text}a = \n")
