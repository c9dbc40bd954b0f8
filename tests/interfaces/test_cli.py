"""The command `outlast`, through a real process."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from outlast.__main__ import main
from outlast.interfaces.cli.language import language


def outlast(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", **environment},
    )


def test_version() -> None:
    done = outlast("--version")
    assert (done.returncode, done.stdout) == (0, f"outlast {version('outlast')}\n")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help(arguments: list[str]) -> None:
    done = outlast(*arguments)
    assert done.returncode == 0
    assert done.stdout.startswith("Outlast ")


def test_x8_help_in_chinese() -> None:
    assert "选项" in outlast("--lang", "zh", "--help").stdout
    assert "选项" in outlast("--help", OUTLAST_LANG="zh_CN").stdout


def test_the_language_is_one_of_two() -> None:
    assert "选项" in outlast("--lang=zh").stdout
    for arguments in (["--lang"], ["--lang", "fr"]):
        done = outlast(*arguments)
        assert (done.returncode, done.stderr) == (2, "outlast: --lang takes one of en, zh\n")


def test_an_unknown_command_exits_with_2_and_shows_it_safely() -> None:
    done = outlast("\x1b[31mrm")
    assert (done.returncode, done.stdout) == (2, "")
    assert "\\x1b[31mrm" in done.stderr
    assert "\x1b" not in done.stderr


def test_x8_language_order() -> None:
    assert language("zh", {"OUTLAST_LANG": "en"}) == "zh"
    assert language(None, {"OUTLAST_LANG": "en", "LANG": "zh_CN.UTF-8"}) == "en"
    assert language(None, {"LC_ALL": "", "LANG": "zh_TW.UTF-8"}) == "zh"
    assert language(None, {"LC_ALL": "C", "LANG": "zh_TW.UTF-8"}) == "en"
    assert language(None, {}) == "en"


def test_main_returns_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert main(["--lang", "zh"]) == 0
    assert "选项" in capsys.readouterr().out
    assert main(["nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err
