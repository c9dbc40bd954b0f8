"""The snippets of a Markdown file that a reader would try."""

import re
from collections.abc import Iterator
from typing import NamedTuple

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^(?P=indent)``` *$",
    re.DOTALL | re.MULTILINE,
)


class Script(NamedTuple):
    """A ```python block."""

    source: str


class Command(NamedTuple):
    """A line of a ```console block that starts with `$ `, and what is printed below it."""

    line: str
    output: str


def snippets(markdown: str) -> Iterator[Script | Command]:
    """Yield the Python scripts and the `outlast` commands in the order of the text."""
    for fence in FENCE.finditer(markdown):
        body = re.sub(f"^{fence['indent']}", "", fence["body"], flags=re.MULTILINE)
        if fence["language"] == "python":
            yield Script(body)
        elif fence["language"] == "console":
            yield from (command for command in commands(body) if runs_outlast(command))


def commands(body: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def runs_outlast(command: Command) -> bool:
    return command.line.split(maxsplit=1)[:1] == ["outlast"]
