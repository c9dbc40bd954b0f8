"""The command `/outlast` as a user types it in a coding agent.

In Codex it is `$outlast`, from a plugin of Claude Code `/outlast:outlast`.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from msgspec import Struct

SlashName = Literal["status", "done", "resume", "off", "guard", "goal", "unknown"]
_COMMAND: Final = re.compile(r"\s*[/$]outlast(?::outlast)?(?![\w/:.-])([^\n]*)(.*)", re.DOTALL)
_TASK: Final = re.compile(r"([0-9]{1,9})(?:\s+(.*))?", re.DOTALL)


class SlashCommand(Struct, frozen=True):
    """What is to be done; `words` are a goal, the key of a plan, `on` or `off`, or a result.

    Of what is unknown, they are the word that was typed.

    `task` is the number of the task that is done; 0 is the current one.
    """

    name: SlashName
    words: str = ""
    task: int = 0


def parse_slash(prompt: str, *, is_raw: bool = True) -> SlashCommand | None:
    """Return the command that a prompt begins with; None if the prompt is something else.

    What begins with none of the words of a command is a goal, unless it is a single word such as
    `help`: a command that there is not. A prompt that is not raw is the text
    that an agent sends in place of the command: its first line is the command, the rest our own.
    """
    found = _COMMAND.fullmatch(prompt)
    if found is None:
        return None
    words = (found[1] + (found[2] if is_raw else "")).strip()
    return _read_words(words)


def _read_words(words: str) -> SlashCommand:
    first, _, rest = words.partition(" ")
    rest = rest.strip()
    match first.lower():
        case "" | "status" | "off" if not rest:
            return SlashCommand("off" if first.lower() == "off" else "status")
        case "done" if not rest:
            return SlashCommand("done")
        case "done" if numbered := _TASK.fullmatch(rest):
            return SlashCommand("done", numbered[2] or "", int(numbered[1]))
        case "resume" if len(rest.split()) <= 1:
            return SlashCommand("resume", rest)
        case "guard" if rest.lower() in ("", "on", "off"):
            return SlashCommand("guard", rest.lower() or "on")
        case _:
            is_word = words.isascii() and len(words.split()) == 1
            return SlashCommand("unknown" if is_word else "goal", words)
