"""`outlast --version` and `outlast --help`."""

from __future__ import annotations

import sys

import outlast
from outlast.interfaces.cli.language import LANGUAGES, language
from outlast.texts import text, visible


def run(arguments: list[str]) -> int:
    """Answer the options; point anything else to the help."""
    rest, chosen = _without_language(arguments)
    tongue = language(chosen)
    if chosen is not None and chosen not in LANGUAGES:
        return _complain(text("language_unknown", tongue, choices=list(LANGUAGES)))
    if rest == ["--version"]:
        return _say(f"outlast {outlast.__version__}")
    if not rest or rest[0] in ("--help", "-h"):
        return _say(text("usage", tongue, version=outlast.__version__))
    return _complain(text("command_unknown", tongue, command=visible(rest[0])))


def _without_language(arguments: list[str]) -> tuple[list[str], str | None]:
    """Take `--lang zh` or `--lang=zh` out of the arguments."""
    rest: list[str] = []
    chosen = None
    given = iter(arguments)
    for argument in given:
        if argument == "--lang":
            chosen = next(given, "")
        elif argument.startswith("--lang="):
            chosen = argument.removeprefix("--lang=")
        else:
            rest.append(argument)
    return rest, chosen


def _say(line: str) -> int:
    sys.stdout.write(f"{line}\n")
    return 0


def _complain(line: str) -> int:
    sys.stderr.write(f"{line}\n")
    return 2
