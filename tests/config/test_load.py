"""R4.12: settings from files, the environment and arguments, in rising priority."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import to_builtins

from outlast.config.load import load, settings_with_origins
from outlast.config.parse import KEYS
from outlast.config.settings import Settings
from outlast.errors import InvalidSetting
from outlast.language import explain
from outlast.model.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.config.load import Loaded


class Home:
    """A user's configuration and a project, both empty at first."""

    def __init__(self, root: Path) -> None:
        self.user = root / "xdg" / "outlast" / "config.toml"
        self.project = root / "project" / "outlast.toml"
        self.user.parent.mkdir(parents=True)
        self.project.parent.mkdir()
        self.variables = {"XDG_CONFIG_HOME": str(root / "xdg")}

    def load(self, arguments: Mapping[str, object] | None = None, **variables: str) -> Loaded:
        return load(self.project.parent, {**self.variables, **variables}, arguments)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def refused(home: Home, arguments: Mapping[str, object] | None = None, **variables: str) -> str:
    with pytest.raises(InvalidSetting) as caught:
        home.load(arguments, **variables)
    assert explain(caught.value, "zh") != explain(caught.value)
    return explain(caught.value)


def test_r4_12_nobody_has_to_set_anything(home: Home) -> None:
    loaded = home.load()
    assert loaded.settings == Settings() == load(None, {}).settings
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.origins.keys() == KEYS.keys() == settings_with_origins(loaded).keys()
    assert loaded.notices == ()


def test_r4_12_the_documents_defaults_hold() -> None:
    settings = Settings()
    assert settings.enabled
    assert settings.auto_create_plan
    assert settings.sync_to_todo_write
    assert (settings.rules.action_threshold, settings.rules.error_strike_limit) == (2, 3)
    assert (settings.cleanup.auto_cleanup, settings.cleanup.retention_days) == (False, 7)


def test_r4_12_later_sources_count_more_and_each_is_named(home: Home) -> None:
    home.user.write_text("[rules]\nstop_limit=1\naction_threshold=11\nerror_strike_limit=11\n")
    home.project.write_text("[rules]\naction_threshold=12\nerror_strike_limit=12\n")
    loaded = home.load({"loop.policy": None, "loop.max_iterations": 5})
    rules = loaded.settings.rules
    assert (rules.stop_limit, rules.action_threshold, rules.error_strike_limit) == (1, 12, 12)
    loaded = home.load({"rules.error_strike_limit": 14}, OUTLAST_RULES__ACTION_THRESHOLD="13")
    rules = loaded.settings.rules
    assert (rules.stop_limit, rules.action_threshold, rules.error_strike_limit) == (1, 13, 14)
    assert {key: name for key, name in loaded.origins.items() if name != "default"} == {
        "rules.stop_limit": str(home.user),
        "rules.action_threshold": "$OUTLAST_RULES__ACTION_THRESHOLD",
        "rules.error_strike_limit": "argument",
    }


def test_r4_12_every_kind_of_value_can_be_written_in_a_file(home: Home) -> None:
    home.user.write_text(
        'enabled = false\nlanguage = "zh"\n'
        '[loop]\npolicy = "explicit"\nwords = ["weiter"]\n'
        "[limits]\nmodel_seconds = 1\n"
        '[budget]\ntokens = "200k"\nmoney = "$2"\ntime = "30m"\nmodel_calls = 7\n'
        '[mailbox]\nlayout = "volumes"\ncommands = "指令/pending"\n'
        '[orchestrator]\nunattended = "abort"\nattempt_seconds = 30\n'
        '[prices]\n"anthropic:x.y" = [3, 15.0]\n'
    )
    found = home.load().settings
    assert (found.enabled, found.language, found.loop.policy) == (False, "zh", "explicit")
    assert found.loop.words == ("weiter",)
    assert found.limits.model_seconds == 1.0
    assert found.budget == Budget(model_calls=7, tokens=200_000, money=2.0, time=1_800.0)
    assert (found.mailbox.layout, found.mailbox.commands) == ("volumes", "指令/pending")
    assert (found.orchestrator.unattended, found.orchestrator.attempt_seconds) == ("abort", 30.0)
    assert found.prices == {"anthropic:x.y": (3.0, 15.0)}


def test_r4_12_every_kind_of_value_can_be_written_in_the_environment(home: Home) -> None:
    found = home.load(
        OUTLAST_ENABLED="off",
        OUTLAST_AUTO_CREATE_PLAN="0",
        OUTLAST_SYNC_TO_TODO_WRITE="No",
        OUTLAST_LANG="zh_CN.UTF-8",
        OUTLAST_MODEL="script:x.yaml",
        OUTLAST_RULES__STRICT="yes",
        OUTLAST_RULES__VIEW_TOOLS="look, see",
        OUTLAST_LIMITS__TOOL_SECONDS="2.5",
        OUTLAST_BUDGET__TOKENS="1.5M",
        OUTLAST_LOOP__POLICY="",
        OUTLAST_PLAN="of the command line",
    ).settings
    assert (found.enabled, found.auto_create_plan, found.sync_to_todo_write) == (False,) * 3
    assert (found.language, found.loop.model) == ("zh", "script:x.yaml")
    assert (found.rules.strict, found.rules.view_tools) == (True, ("look", "see"))
    assert (found.limits.tool_seconds, found.budget.tokens) == (2.5, 1_500_000)
    assert found.loop.policy == "auto"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (
            "[rules]\nstrickt = true",
            "unknown setting rules.strickt; the closest name is rules.stri",
        ),
        ("enabeld = true", "unknown setting enabeld; the closest name is enabled"),
        ("[hook]\non_stop = false", "unknown setting hook; the closest name is hooks."),
        ("rules = 3", "unknown setting rules; the closest name is rules."),
        ("[rules]\nstrict = 1", "rules.strict: expected boolean, got"),
        ('[loop]\nwords = "a"', "loop.words: expected array, got str"),
        ("[loop]\nwords = [1]", "loop.words: expected array, got arr"),
        ("[loop]\npolicy = 1", "loop.policy: expected string, got"),
        ('[loop]\npolicy = "x"', "loop.policy: expected one of auto, words, explicit"),
        ('language = "de"', "language: expected one of en, zh"),
        ("[loop]\nmax_iterations = 0", "loop.max_iterations: 0 is out of range"),
        ("[loop]\nmax_iterations = 1.5", "loop.max_iterations: 1.5 is out of range"),
        ("[loop]\nmax_iterations = true", "loop.max_iterations: expected integer, got"),
        ("[limits]\nmodel_seconds = inf", "limits.model_seconds: inf is out of range"),
        ("[limits]\nmodel_seconds = nan", "limits.model_seconds: nan is out of range"),
        ("[budget]\nmoney = -1.0", "budget.money: -1.0 is out of range"),
        ('[budget]\ntokens = "1.5"', "budget.tokens: 1.5 is not an amount; write for example 200k"),
        ("[budget]\ntokens = false", "budget.tokens: expected integ"),
        ("[orchestrator]\nparallel = 65", "orchestrator.parallel: 65 is out of range"),
        ('[orchestrator]\nsessions = "x"', "orchestrator.sessions: expected one of task, shared"),
        ('[mailbox]\ncommands = "../x"', "mailbox.commands: expected a directory inside the mail"),
        ('[mailbox]\nreports = "/tmp"', "mailbox.reports: expected a directory inside the mailbox"),
        ('[mailbox]\nreports = "a/.git"', "mailbox.reports: expected a directory inside the mail"),
        ('[mailbox]\nreports = ""', "mailbox.reports: expected a directory inside the mailbox"),
        ('[prices]\n"x:y" = [1]', "prices: expected object, got ob"),
        ('[prices]\n"x:y" = [1, -1]', "prices: {'x:y': [1, -1]} is out of range"),
    ],
)
def test_r4_12_what_cannot_be_names_the_file_the_key_and_what_would_fit(
    home: Home, written: str, says: str
) -> None:
    for file in (home.user, home.project):
        file.write_text(written)
        assert refused(home).startswith(f"{file}: {says}")
        file.unlink()


def test_r4_12_a_file_that_is_no_toml_is_named(home: Home) -> None:
    home.project.write_text("[rules\n")
    assert refused(home).startswith(f"{home.project} is not valid TOML: ")
    home.project.write_bytes(b"\xff")
    assert refused(home).startswith(f"{home.project} is not valid TOML: ")
    home.project.write_text("x = " + "[" * 100_000)
    assert refused(home).startswith(f"{home.project} is not valid TOML: ")
    home.project.write_bytes(b"\xef\xbb\xbfenabled = false\r\n")
    assert not home.load().settings.enabled


def test_f15_what_is_no_file_or_too_large_is_refused_and_never_waited_for(home: Home) -> None:
    odd = f"{home.project} is not a regular file of at most 1,048,576 bytes"
    os.mkfifo(home.project)
    assert refused(home) == odd
    home.project.unlink()
    home.project.mkdir()
    assert refused(home) == odd
    home.project.rmdir()
    home.project.touch()
    os.truncate(home.project, 1 << 21)
    assert refused(home) == odd
    home.project.unlink()
    home.project.symlink_to(home.project)
    assert refused(home).startswith(f"{home.project} cannot be read: ")


def test_r4_12_unknown_and_wrong_variables_and_arguments_are_named(home: Home) -> None:
    said = refused(home, OUTLAST_RULES__STRIKT="1")
    assert said.startswith("$OUTLAST_RULES__STRIKT: unknown setting rules.strikt; the closest name")
    said = refused(home, OUTLAST_RULES__STRICT="maybe")
    assert said.endswith("expected boolean, got string")
    said = refused(home, OUTLAST_LIMITS__TRIES="many")
    assert said.endswith("expected integer, got string")
    said = refused(home, {"loop.modle": "x"})
    assert said == "argument: unknown setting loop.modle; the closest name is loop.model"


def test_r4_12_the_users_file_is_found_below_home_and_never_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".config" / "outlast" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("enabled = false")
    monkeypatch.chdir(tmp_path)
    assert not load(None, {"HOME": str(tmp_path)}).settings.enabled
    assert load(None, {"HOME": "/none", "XDG_CONFIG_HOME": ".config"}).settings.enabled


def test_r4_12_the_page_of_the_settings_lists_each_with_its_default() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
    rows = re.findall(
        r"^\| `([a-z_.]+)` \| (?:`([^`]*)`)? ?\|", page.read_text("utf-8"), re.MULTILINE
    )
    listed = {key: json.loads(value) if value else None for key, value in rows}
    plain = to_builtins(
        {key: value for key, (value, _) in settings_with_origins(load(None, {})).items()}
    )
    assert listed == json.loads(json.dumps(plain))
    assert list(listed) == list(KEYS)
