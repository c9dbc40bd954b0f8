"""`outlast --version` and `outlast --help`."""

from __future__ import annotations

import sys

import outlast
from outlast.interfaces.cli.language import language
from outlast.texts import text, visible


def run(arguments: list[str]) -> int:
    """Answer the options; point anything else to the help."""
    rest = list(arguments)
    chosen = None
    if "--lang" in rest[:-1]:
        place = rest.index("--lang")
        chosen = rest[place + 1]
        del rest[place : place + 2]
    tongue = language(chosen)
    if rest == ["--version"]:
        _say(f"outlast {outlast.__version__}")
        return 0
    if rest in ([], ["--help"], ["-h"]):
        _say(text("usage", tongue, version=outlast.__version__))
        return 0
    sys.stderr.write(text("command_unknown", tongue, command=visible(rest[0])) + "\n")
    return 2


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
