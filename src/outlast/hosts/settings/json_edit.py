"""Edit JSON text in place: what is not edited keeps its bytes, its order and its comments."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from msgspec import Struct

from outlast.errors import InvalidDocument

Step = str | int
_DEEPEST: Final = 200
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMENT: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LINE_END: Final = re.compile(r"[ \t]*\r?\n")
_SCALAR: Final = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|true|false|null"
)
_WORDS: Final[dict[str, object]] = {"true": True, "false": False, "null": None}
_MARK: Final = "\ufeff"  # a byte order mark, which some editors write
_DEFAULT_UNIT: Final = "  "


class _Node(Struct):
    """A value and its place in the text. A child begins where its key begins, if it has one."""

    start: int
    end: int
    value: Any
    children: dict[Step, tuple[int, _Node]] = {}


class JsonText:
    """A JSON object as text, without two equal keys. Raises `InvalidDocument` for any other text.

    `comments` may stand where blanks may. A text of blanks counts as an empty object.
    """

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self._comments = comments
        if not text.strip(f" \t\r\n{_MARK}"):
            text = f"{text[: text.startswith(_MARK)]}{{}}\n"
        self._read(text)

    def _read(self, text: str) -> None:
        self.text, self._root = text, _Parser(text, comments=self._comments).parse()
        self._newline = "\r\n" if "\r\n" in text else "\n"

    @property
    def value(self) -> dict[str, Any]:
        """The object."""
        value: dict[str, Any] = self._root.value
        return value

    def add(self, path: tuple[Step, ...], value: object) -> None:
        """Add a value as the last one of an object or a list that exists.

        The last step is its key, which must be new, or any number for a list.
        """
        container, step = self._node(path[:-1]), path[-1]
        key = f"{json.dumps(step, ensure_ascii=False)}: " if isinstance(step, str) else ""
        opened, closing = container.start + 1, container.end - 1
        end_of_text = len(self.text[:closing].rstrip(" \t\r\n"))
        if not container.children:
            between = self.text[opened:end_of_text]
            indent = self._line_indent(container.start)
            if "\n" not in self.text.strip() and self._root.children:
                piece = f"{between}{key}{json.dumps(value, ensure_ascii=False)}"
            else:
                inner = f"{indent}{self._unit()}"
                content = f"{key}{self._dump(value, inner)}"
                piece = f"{between}{self._newline}{inner}{content}{self._newline}{indent}"
            self._read(f"{self.text[:opened]}{piece}{self.text[closing:]}")
            return
        first, _ = next(iter(container.children.values()))
        _, last = list(container.children.values())[-1]
        between = self.text[last.end : end_of_text]
        if "\n" in self.text[opened:first] or between:
            indent = self._line_indent(first)
            piece = f"{self._newline}{indent}{key}{self._dump(value, indent)}"
        else:
            piece = f" {key}{json.dumps(value, ensure_ascii=False)}"
        head, tail = self.text[: last.end], self.text[end_of_text:]
        self._read(f"{head},{between}{piece}{tail}")

    def remove(self, path: tuple[Step, ...]) -> None:
        """Remove a value, with its key, and what separates it from its neighbours."""
        container, text = self._node(path[:-1]), self.text
        steps = list(container.children)
        index = steps.index(path[-1])
        start, node = container.children[path[-1]]
        if len(steps) == 1:
            opened, closing = container.start + 1, container.end - 1
            if not (text[opened:start] + text[node.end : closing]).strip():
                start, end = opened, closing
            else:
                end = node.end
        elif index == len(steps) - 1:
            _, previous = container.children[steps[index - 1]]
            comma = self._skip(previous.end)
            text = text[:comma] + text[comma + 1 :]
            start, end = start - 1, node.end - 1
            kept = len(text[:start].rstrip(" \t\r\n"))
            is_open = _skip(f"{text[:kept]}}}", previous.end, comments=self._comments) > kept
            if not is_open or _LINE_END.match(text, end):  # else a comment would go on
                start = kept
        else:
            following, _ = container.children[steps[index + 1]]
            is_plain = not text[node.end : following].replace(",", "", 1).strip()
            end = following if is_plain else self._skip(node.end) + 1
        self._read(text[:start] + text[end:])

    def _node(self, path: tuple[Step, ...]) -> _Node:
        node = self._root
        for step in path:
            _, node = node.children[step]
        return node

    def _skip(self, at: int) -> int:
        return _skip(self.text, at, comments=self._comments)

    def _line_indent(self, at: int) -> str:
        """Return the blanks at the beginning of a line."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _unit(self) -> str:
        """Return by how much the members of the whole object are indented."""
        for first, _ in self._root.children.values():
            if "\n" in self.text[self._root.start : first]:
                return self._line_indent(first) or _DEFAULT_UNIT
        return _DEFAULT_UNIT

    def _dump(self, value: object, indent: str) -> str:
        lines = json.dumps(value, ensure_ascii=False, indent=self._unit())
        return lines.replace("\n", f"{self._newline}{indent}")


def _skip(text: str, at: int, *, comments: bool) -> int:
    match = (_BLANK_OR_COMMENT if comments else _BLANK).match(text, at)
    return at if match is None else match.end()


class _Parser:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text, self._comments = text, comments
        self._at = int(text.startswith(_MARK))

    def parse(self) -> _Node:
        self._skip()
        if self._next() != "{":
            self._refuse()
        root = self._value(0)
        self._skip()
        if self._at < len(self._text):
            self._refuse()
        return root

    def _refuse(self, text: str = "settings_no_json", **details: object) -> NoReturn:
        raise InvalidDocument(text, line=self._text.count("\n", 0, self._at) + 1, **details)

    def _skip(self) -> None:
        self._at = _skip(self._text, self._at, comments=self._comments)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> _Node:
        opening = self._next()
        if depth > _DEEPEST:
            self._refuse()
        if opening in ("{", "["):
            return self._container(depth, "}" if opening == "{" else "]")
        start, value = self._scalar()
        return _Node(start, self._at, value)

    def _scalar(self) -> tuple[int, object]:
        match = _SCALAR.match(self._text, self._at)
        if match is None:
            self._refuse()
        start, self._at = self._at, match.end()
        word = match[0]
        if word in _WORDS:
            return start, _WORDS[word]
        if word[0] == '"':
            return start, json.loads(word)
        return start, float(word)

    def _container(self, depth: int, closing: str) -> _Node:
        start, children = self._at, dict[Step, tuple[int, _Node]]()
        self._at += 1
        self._skip()
        while self._next() != closing:
            if children:
                self._expect(",")
            first, step = self._at, self._key() if closing == "}" else len(children)
            if step in children:  # which of both counts, and which goes, would be a guess
                self._at = first
                self._refuse("settings_key_twice", key=step)
            children[step] = first, self._value(depth + 1)
            self._skip()
        self._at += 1
        values = {step: node.value for step, (_, node) in children.items()}
        value = values if closing == "}" else [*values.values()]
        return _Node(start, self._at, value, children)

    def _key(self) -> str:
        if self._next() != '"':
            self._refuse()
        _, key = self._scalar()
        self._skip()
        self._expect(":")
        return str(key)

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            self._refuse()
        self._at += 1
        self._skip()
