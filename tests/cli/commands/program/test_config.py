"""R4.12 and A10: `config` in processes of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.config.parse import KEYS
from tests.cli.processes import json_of, outlast, stdout_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a project, beside which `xdg` is the user's configuration."""
    (tmp_path / "xdg" / "outlast").mkdir(parents=True)
    project = tmp_path / "project"
    project.mkdir()
    return project


def own(place: Path) -> Path:
    return place.parent / "xdg" / "outlast" / "config.toml"


def home(place: Path) -> str:
    return str(place.parent / "xdg")


def test_r4_12_config_shows_every_value_and_where_it_comes_from(place: Path) -> None:
    own(place).write_text('[budget]\ntokens = "200k"\n[notify]\ncommand = "x --token=tok-1a2b3c"\n')
    (place / "outlast.toml").write_text("[rules]\nstrict = true\n")
    shown = json_of(place, "config", XDG_CONFIG_HOME=home(place), OUTLAST_MODEL="ollama:x")[
        "settings"
    ]
    assert list(shown) == list(KEYS)
    assert shown["budget.tokens"] == {"value": 200_000, "origin": str(own(place))}
    assert shown["rules.strict"] == {"value": True, "origin": str(place / "outlast.toml")}
    assert shown["loop.model"] == {"value": "ollama:x", "origin": "$OUTLAST_MODEL"}
    assert shown["cleanup.retention_days"] == {"value": 7, "origin": "default"}
    assert "tok-1a2b3c" not in str(shown)
    lines = stdout_of(place, "config", XDG_CONFIG_HOME=home(place)).splitlines()
    assert len(lines) == len(KEYS)
    assert [line.split() for line in lines if line.startswith(("rules.strict ", "enabled "))] == [
        ["enabled", "true", "default"],
        ["rules.strict", "true", str(place / "outlast.toml")],
    ]
    assert (
        stdout_of(place, "config", "--lang", "zh", XDG_CONFIG_HOME=home(place))
        .splitlines()[0]
        .endswith("默认")
    )


def test_r4_12_the_project_is_the_workspace_from_a_subdirectory_too(place: Path) -> None:
    (place / ".outlast").mkdir()
    (place / "below").mkdir()
    (place / ".git").mkdir()
    (place / "outlast.toml").write_text("enabled = false")
    shown = json_of(place / "below", "config", XDG_CONFIG_HOME=home(place))["settings"]
    assert shown["enabled"] == {"value": False, "origin": str(place / "outlast.toml")}


def test_a10_a_user_without_a_directory_has_no_settings_that_a_project_could_bring(
    place: Path,
) -> None:
    below = place / "~" / ".config" / "outlast"
    below.mkdir(parents=True)
    (below / "config.toml").write_text("enabled = false")
    shown = json_of(place, "config", HOME="~", XDG_CONFIG_HOME="")["settings"]
    assert shown["enabled"] == {"value": True, "origin": "default"}


def test_r4_12_a_wrong_setting_is_reported_with_its_file_and_the_nearest_key(place: Path) -> None:
    (place / "outlast.toml").write_text("[hooks]\non_stopp = false")
    done = outlast(place, "config", XDG_CONFIG_HOME=home(place))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"outlast: {place / 'outlast.toml'}: unknown setting hooks.on_stopp; "
        "the closest name is hooks.on_stop\n"
    )
    answer = json_of(place, "config", code=2, XDG_CONFIG_HOME=home(place))
    assert answer["error"]["code"] == "INVALID_SETTING"
    assert answer["error"]["details"]["nearest"] == "hooks.on_stop"
    assert outlast(place, "list", XDG_CONFIG_HOME=home(place)).returncode == 0


@pytest.mark.slow
def test_a10_a_hostile_project_is_reported_and_runs_nothing(place: Path) -> None:
    canary = place / "canary"
    (place / "evil.py").write_text(f"open({str(canary)!r}, 'w')\n")
    (place / "outlast.toml").write_text(
        f'[hooks]\npython = ["evil:x"]\n[notify]\ncommand = "touch {canary}"\n'
        '[permissions]\nallow = ["*"]\n[loop]\nmodel = "script:evil.yaml"\n'
    )
    answer = json_of(place, "config", XDG_CONFIG_HOME=home(place))
    for key, value in (("hooks.python", []), ("notify.command", ""), ("permissions.allow", [])):
        assert answer["settings"][key] == {"value": value, "origin": "default"}
    assert answer["settings"]["loop.model"]["value"] == ""
    (notice,) = answer["notices"]
    assert notice["code"] == "settings_ignored"
    assert str(own(place)) in notice["message"]
    for command in ("list", "doctor"):
        outlast(place, command, XDG_CONFIG_HOME=home(place))
    assert not canary.exists()


@pytest.mark.slow
def test_a6_what_a_file_says_reaches_no_terminal_raw(place: Path) -> None:
    (place / "outlast.toml").write_text('[loop]\nwords = ["\\u001b[2J\\u202e"]')
    shown = stdout_of(place, "config", XDG_CONFIG_HOME=home(place))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    (place / "outlast.toml").write_text('"\\u001b[2J" = 1')
    done = outlast(place, "config", XDG_CONFIG_HOME=home(place))
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
