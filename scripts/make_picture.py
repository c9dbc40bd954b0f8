"""Draw docs/assets/session.svg: a plan worked on from a terminal."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from outlast import open_plan
from outlast.interfaces.cli.tree import plan_tree

PICTURE = Path(__file__).parent.parent / "docs/assets/session.svg"
BEFORE = (
    'new "Publish version 1.2" --key release',
    'add "Run the tests" "Write the notes"',
    "add Publish --needs 1,2",
)
SHOWN = ("start", 'done -m "812 passed"', "", "log -n 3")
WIDTH = 72
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")

# As rich draws it, but with fonts that are on every machine and without window buttons.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="908" height="380" role="img">
<title>A plan worked on from a terminal</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect fill="#0c0c0c" width="908" height="380" rx="8"/>
<g transform="translate(16, 16)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture() -> str:
    """Return the text of the picture: the same on every machine and at any time."""
    console = Console(
        _environ={"TERM": "xterm"},
        color_system="truecolor",
        file=StringIO(),
        force_terminal=True,
        highlight=False,
        legacy_windows=False,
        record=True,
        width=WIDTH,
    )
    with tempfile.TemporaryDirectory() as where:
        for command in BEFORE:
            outlast(where, command)
        for command in SHOWN:
            console.print(Text.assemble(("$ ", "green"), (f"outlast {command}", "bold")))
            if command:
                console.print(Text(outlast(where, command)), end="")
            else:  # as it is drawn on a terminal
                with open_plan(where) as plan:
                    console.print(plan_tree(plan))
    console.print("")  # rich does not clip the last line well
    return console.export_svg(code_format=FRAME, theme=MONOKAI, title="", unique_id="session")


def outlast(where: str, command: str) -> str:
    """Return what a command prints, at a time of its own."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("OUTLAST_")}
    printed = subprocess.check_output(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *shlex.split(command)],
        cwd=where,
        encoding="utf-8",
        env={**variables, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
    )
    return TIME.sub("2026-01-01 12:00", printed)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
