"""Draw docs/assets/tree.svg: the plan of the keyboard example in the middle of its work."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from outlast import PlanManager
from outlast.interfaces.cli.tree import plan_tree

PICTURE = Path(__file__).parent.parent / "docs/assets/tree.svg"
GOAL = "Put the first mechanical keyboard under 500 yuan into the cart"
WIDTH = 82

# As rich draws it, but with fonts that are on every machine and without window buttons.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="1020" height="184" role="img">
<title>A plan in the middle of its work</title>
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
<rect fill="#0c0c0c" width="1020" height="184" rx="8"/>
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
    console.print(plan_tree(half_way().plan), "")  # rich does not clip the last line well
    return console.export_svg(code_format=FRAME, theme=MONOKAI, title="", unique_id="tree")


def half_way() -> PlanManager:
    manager = PlanManager()
    manager.initializePlan(
        GOAL,
        [
            {"name": "Navigate to JD homepage"},
            {"name": "Search for mechanical keyboard", "dependencies": [1]},
            {"name": "Filter results by price under 500", "dependencies": [2]},
            {"name": "Add first item to cart", "dependencies": [3]},
        ],
    )
    manager.startNextTask()
    manager.completeTask(1, "Homepage loaded")
    manager.addTask("Close popup dialog", [1], after_task_id=1)
    manager.updateTask(2, {"dependencies": [1, 5]})
    manager.startNextTask()
    manager.completeTask(5, "Popup closed")
    manager.startNextTask()
    return manager


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
