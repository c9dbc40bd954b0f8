"""The snippets of a Markdown file that a reader would try."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<body>.*?)^(?P=indent)``` *$",
    re.DOTALL | re.MULTILINE,
)
TITLE = re.compile(r'title="([^"]+)"')
MARK = re.compile(r"(<!-- outlast r\d+) [0-9a-f]{8}")
COST = re.compile(r"(\d+ (min|分) ?)?[\d.,]+( of [\d.,]+)? ?(tokens?|s|秒)(?!\w)")


class Script(NamedTuple):
    """A ```python block."""

    source: str


class Command(NamedTuple):
    """A line of a ```console block that starts with `$ `, and what is printed below it."""

    line: str
    output: str


class File(NamedTuple):
    """A block with a title: what a reader saves under that name."""

    path: str
    text: str

    def save(self, cwd: Path) -> None:
        replace(cwd / self.path, self.text)


class Edit(NamedTuple):
    """A ```diff block with a title: the lines that a reader changes in the file of that name."""

    path: str
    before: str
    after: str

    def save(self, cwd: Path) -> None:
        text = (cwd / self.path).read_text(encoding="utf-8")
        assert text.count(self.before) == 1, f"{self.path}: not there once\n{self.before}\n{text}"
        replace(cwd / self.path, text.replace(self.before, self.after))


def snippets(markdown: str) -> Iterator[Script | Command | File | Edit]:
    """Yield scripts, commands, files and edits in the order of the text."""
    for fence in FENCE.finditer(markdown):
        body = re.sub(f"^{fence['indent']}", "", fence["body"], flags=re.MULTILINE)
        title = TITLE.search(fence["rest"])
        if fence["language"] == "python":
            yield Script(body)
        elif fence["language"] == "console":
            yield from (command for command in commands(body) if not needs_a_clone(command))
        elif title and fence["language"] == "diff":
            yield Edit(title[1], _side(body, "-"), _side(body, "+"))
        elif title:
            yield File(title[1], body)


def commands(body: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def steady(text: str) -> str:
    """Return a text without what differs from run to run: costs, and the marks of commits."""
    return MARK.sub(r"\1 a mark", COST.sub("a cost", text))


def language_of(page: str) -> dict[str, str]:
    """Return the variables under which the commands of a page print its language."""
    return {"OUTLAST_LANG": "zh"} if page.endswith(".zh-CN.md") else {}


def needs_a_clone(command: Command) -> bool:
    """Tell whether a reader would run it in a clone of the repository, not in a project."""
    return command.line.startswith("./dev")


def replace(path: Path, text: str) -> None:
    """Save a file as most editors do: another file takes its place."""
    draft = path.with_name(f"{path.name}~")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _side(diff: str, sign: str) -> str:
    lines = diff.splitlines(keepends=True)
    return "".join(line[1:] if line.strip() else line for line in lines if line[0] in f" \n{sign}")
