"""Draw the pictures in docs/assets: a plan worked on by people, and by an agent."""

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

from outlast import create_plan, open_plan
from outlast.agent import events as v
from outlast.cli.live.event_lines import Narrator
from outlast.cli.live.terminal import Scene, line_style
from outlast.console.render.tree import plan_tree
from outlast.context.chat_model import Call
from outlast.model.budget import Budget, Spend

ASSETS = Path(__file__).parent.parent / "docs/assets"
BEFORE = (
    'new "Publish version 1.2" --key release',
    'add "Fix the parser" --check "sh test.sh" --protect test.sh',
    'add "Write the notes"',
    "add Publish --needs 1,2",
    "start",
)
PLAN = ".outlast/plans/release/task_plan.md"
TEST = "cat parser.out; ! grep -q failed parser.out\n"
EDIT = (
    "-- [ ] ○ **2** Write the notes",
    "+- [ ] ○ **2** Write the release notes",
    "+- [ ] Thank the testers",
)
WIDTH = 80
BASH = Call("bash", {"command": "python3 -m unittest"}, "4")
NOT_DONE = "Task 2 is not done: python3 -m unittest: exited with code 1"
EVENTS: tuple[v.Event, ...] = (
    v.PlanMoved(8, "running", 0, 3, "Find the bug"),
    v.CallEnded(Call("read_file", {"path": "prices.py"}, "1")),
    v.Streamed("One test fails. I see why."),
    v.CallEnded(Call("complete_task", {"task": 1}, "2")),
    v.PlanMoved(24, "running", 1, 3, "Fix prices.py"),
    v.Streamed("That is easily fixed."),
    v.CallEnded(Call("edit_file", {"path": "prices.py"}, "3")),
    v.CallEnded(Call("complete_task", {"task": 2}, "3"), error=f"CHECK_FAILED: {NOT_DONE}"),
    v.Streamed("The check is right: the discount is in percent."),
    v.CallStarted(BASH),
    v.Spent(Spend(tokens=14_205), Budget(tokens=60_000)),
)

# As rich draws it, but with fonts that are on every machine and without window buttons.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="1006" height="HEIGHT" role="img">
<title>TITLE</title>
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
<rect fill="#0c0c0c" width="1006" height="HEIGHT" rx="8"/>
<g transform="translate(16, 16)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def session() -> str:
    """Return a picture of people at work: the same on every machine and at any time."""
    console = recorder()
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
    return export_svg(console, "session", 476, "A check refuses a task, and an edit is obeyed")


def live() -> str:
    """Return a picture of what a terminal shows while an agent works."""
    console = recorder()
    with create_plan("memory:", "Fix prices.py and report what was wrong") as plan:
        for name in ("Find the bug", "Fix prices.py", "Write REPORT.md"):
            plan.add(name)
        plan.complete(1, "The discount is in percent, and is taken off as money")
        plan.notes.add_finding(
            "issue", "The discount is taken off as money", "It is in percent.", "prices.py"
        )
        plan.notes.add_error("complete_task", NOT_DONE)
        plan.start(2)
        scene, narrator = Scene(plan.core.read(lambda state: state.goal), "en"), Narrator()
        show(console, 'outlast run "Fix prices.py and report what was wrong" --model ollama:qwen3')
        for event in EVENTS:
            scene.update(event, 0.0)
            for line in narrator.lines_for(event):
                console.print(Text(line, line_style(line)))
        console.print("")
        console.print(scene.render(plan, {}, (WIDTH, 24), 1.4))
    return export_svg(console, "live", 549, "The live view of an agent at work")


def recorder() -> Console:
    """Return a terminal that keeps what is drawn on it."""
    return Console(
        _environ={"TERM": "xterm"},
        color_system="truecolor",
        file=StringIO(),
        force_terminal=True,
        highlight=False,
        legacy_windows=False,
        record=True,
        width=WIDTH,
    )


def export_svg(console: Console, name: str, height: int, title: str) -> str:
    """Return what a terminal shows as a picture."""
    console.print("")  # rich does not clip the last line well
    frame = FRAME.replace("HEIGHT", str(height)).replace("TITLE", title)
    return console.export_svg(code_format=frame, theme=MONOKAI, title="", unique_id=name)


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


PICTURES = {"session.svg": session, "live.svg": live}

if __name__ == "__main__":
    ASSETS.mkdir(parents=True, exist_ok=True)
    for file, draw_it in PICTURES.items():
        (ASSETS / file).write_text(draw_it(), encoding="utf-8")
