"""The transcripts in the pages: played on a terminal, and drawn as a person sees them.

`python -m tests.assistant.chat.transcripts` draws them into the pages again.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import time
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from tests.cli.terminals import HANG, Terminal
from tests.gate.snippets import FENCE, File, language_of, snippets

ROOT = Path(__file__).parents[3]
PAGES = ("docs/how-to/use-the-assistant.md", "docs/how-to/use-the-assistant.zh-CN.md")
COMMAND = "$ outlast chat"
_TYPED = re.compile(r"^(?:\w+)?> (.*)$", re.MULTILINE)
_ENTER, _CTRL_D = "\r", "\x04"
_PROMPT = "\x1b[?2004h"  # the line editor is ready
_PIECE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\x1b.|(.)", re.DOTALL)


def transcripts(page: str) -> list[str]:
    """Return the blocks of a page that begin with `$ outlast chat`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    bodies = (fence["body"] for fence in FENCE.finditer(text) if fence["language"] == "text")
    return [body for body in bodies if body.startswith(COMMAND)]


def play_page(page: str, here: Path) -> list[str]:
    """Play the transcripts of a page, one after the other; return what a person sees now."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for snippet in snippets(text):
        if isinstance(snippet, File):
            snippet.save(here)
    return [_play(transcript, here, language_of(page)) for transcript in transcripts(page)]


def _play(transcript: str, here: Path, variables: dict[str, Any]) -> str:
    """Type what was typed in a transcript, line by line, and leave."""
    command = transcript.splitlines()[0]
    arguments = shlex.split(command.removeprefix("$ outlast "))
    terminal = Terminal(here, *arguments, NO_COLOR="1", rows=50, **variables)
    _wait_for_prompt(terminal, 1)
    for number, line in enumerate(_TYPED.findall(transcript), 2):
        terminal.type(line + _ENTER)
        _wait_for_prompt(terminal, number)
    terminal.type(_CTRL_D)
    assert terminal.end() == 0
    lines = draw(terminal.shown).splitlines()
    while lines and lines[-1].strip() in ("", ">"):
        del lines[-1]
    return "".join(f"{line}\n" for line in (command, *lines))


def _wait_for_prompt(terminal: Terminal, count: int) -> None:
    latest = time.monotonic() + HANG
    while terminal.shown.count(_PROMPT) < count:
        terminal.read_more(latest)


def draw(sent: str) -> str:  # noqa: C901 - one case for each control sequence
    """Return what a terminal shows that was sent this, without colours."""
    lines: list[list[str]] = [[]]
    row = column = 0
    for given, kind, character in _PIECE.findall(sent):
        count = int(given) if given.isdigit() else 1
        line = lines[row]
        if kind == "A":
            row = max(0, row - count)
        elif kind == "C":
            column += count
        elif kind == "D":
            column = max(0, column - count)
        elif kind in ("J", "K"):
            del line[column:]
            if kind == "J":
                del lines[row + 1 :]
        elif character == "\r":
            column = 0
        elif character == "\b":
            column = max(0, column - 1)
        elif character == "\n":
            row += 1
            lines.extend([] for _ in range(row + 1 - len(lines)))
        elif character.isprintable() and character:
            cells = [character, ""] if east_asian_width(character) in "WF" else [character]
            line.extend(" " * (column - len(line)))
            line[column : column + len(cells)] = cells
            column += len(cells)
    return "\n".join("".join(line).rstrip() for line in lines)


def main() -> None:
    """Draw the transcripts into the pages again."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as directory:
            here = Path(directory) / "here"
            here.mkdir()
            before, after = transcripts(page), play_page(page, here)
        text = (ROOT / page).read_text(encoding="utf-8")
        for old, new in zip(before, after, strict=True):
            text = text.replace(old, new)
        (ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
