"""Draw docs/assets/session.svg: a plan worked on from a terminal and in an editor."""

from __future__ import annotations

import json
import os
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
    'add "Mend the parser" --check "sh test.sh" --protect test.sh',
    'add "Write the notes"',
    "add Publish --needs 1,2",
    "start",
)
PLAN = ".outlast/plans/release/task_plan.md"
TEST = "cat parser.out; ! grep -q failed parser.out\n"
EDIT = (
    "-- [ ] ○ Write the notes <!-- t2 -->",
    "+- [ ] ○ Write the release notes <!-- t2 -->",
    "+- [ ] Thank the testers",
)
WIDTH = 80

# As rich draws it, but with fonts that are on every machine and without window buttons.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="1006" height="476" role="img">
<title>A check refuses a task, and an edit in the plan's file is obeyed</title>
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
<rect fill="#0c0c0c" width="1006" height="476" rx="8"/>
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
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch, "project")
        where.mkdir()
        (where / "test.sh").write_text(TEST, encoding="utf-8")
        (where / "parser.out").write_text("811 passed, 1 failed\n", encoding="utf-8")
        for command in BEFORE:
            outlast(where, command)
        show(console, "outlast done", outlast(where, "done"))
        show(console, "vi parser.py")
        (where / "parser.out").write_text("812 passed\n", encoding="utf-8")
        show(console, "outlast done", outlast(where, "done"))
        show(console, f"vi {PLAN}")
        edit(where / PLAN, console)
        show(console, "outlast")
        draw(where, console)
    console.print("")  # rich does not clip the last line well
    return console.export_svg(code_format=FRAME, theme=MONOKAI, title="", unique_id="session")


def show(console: Console, command: str, printed: str = "") -> None:
    console.print(Text.assemble(("$ ", "green"), (command, "bold")))
    console.print(Text(printed), end="")


def edit(path: Path, console: Console) -> None:
    """Change the plan in its own file, as a person would, and show the lines that change."""
    for line in EDIT:
        console.print(Text(line, "red" if line[0] == "-" else "green"))
    before, *after = (line[1:] for line in EDIT)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(before, "\n".join(after)), encoding="utf-8")


def draw(where: Path, console: Console) -> None:
    """Show the plan as it is drawn on a terminal; the command has taken the edit in."""
    tasks = json.loads(outlast(where, "show --json"))["tasks"]
    labels = {task["id"]: task["proof"] for task in tasks if task["proof"]}
    with open_plan(where) as plan:
        console.print(plan_tree(plan, labels=labels))


def outlast(where: Path, command: str) -> str:
    """Return what a command prints, errors too."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("OUTLAST_")}
    state = {"XDG_STATE_HOME": str(where.with_name("state"))}
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *shlex.split(command)],
        check=False,
        cwd=where,
        encoding="utf-8",
        env={**variables, **state, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
    ).stdout


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
