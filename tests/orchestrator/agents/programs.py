"""Programs that stand for coding agents: they record their call and print lines."""

import json
import sys
from pathlib import Path
from typing import Any


def fake_program(path: Path, lines: list[Any], code: int = 0, then: str = "") -> str:
    """Write a program that records how it was called and prints lines."""
    shown = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys, time\n"
        "called = json.dumps([sys.argv[1:], dict(os.environ), sys.stdin.read()])\n"
        f"open({str(path.parent / 'call.json')!r}, 'w').write(called)\n"
        f"for line in {shown!r}: print(line, flush=True)\n"
        f"{then}\n"
        f"sys.exit({code})\n"
    )
    path.chmod(0o755)
    return str(path)


def call(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment of the last call."""
    arguments, environment, _ = json.loads((tmp_path / "call.json").read_text())
    return arguments, environment


def option(arguments: list[str], name: str) -> str:
    """Return the value of an option."""
    return arguments[arguments.index(name) + 1]


def prompt(tmp_path: Path) -> str:
    """Return what the last call got as its input."""
    given: str = json.loads((tmp_path / "call.json").read_text())[2]
    return given
