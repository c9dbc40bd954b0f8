"""The lines of a shell read as the commands that it would run, as far as that can be told.

This is no shell: it knows quotes, escapes, operators, redirections, here-documents and the brackets
in which commands stand within commands. What it cannot make out is `Unreadable`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_OPERATORS: Final = frozenset("|&;()<>\n")
_BLANK: Final = frozenset(" \t")
_GLOB: Final = frozenset("*?[")
_DEEPEST: Final = 20
FROM_COMMAND: Final = "<("


class Unreadable(Exception):
    """What a shell would make of this cannot be told."""


class Word(NamedTuple):
    """A word of a command, without its quotes.

    `open`: the shell puts something else in its place. `loose`: this may become several words.
    """

    text: str
    open: bool = False
    loose: bool = False


class Command:
    """A program and its words; `fed` is what it reads, if that stands here too."""

    def __init__(self, *, piped: bool = False) -> None:
        """Begin with nothing."""
        self.words: list[Word] = []
        self.targets: list[tuple[str, Word]] = []
        self.fed = ""
        self.piped = piped


class _Document(NamedTuple):
    command: Command
    end: str
    indented: bool
    quoted: bool


def commands_of(script: str, depth: int = 0) -> list[Command]:
    """Return all commands in a script, those within others too."""
    reader = _Reader(script, depth)
    reader.read("")
    if reader.documents:
        raise Unreadable
    return [one for one in reader.commands if one.words or one.targets]


class _Reader:
    """Goes through a script once."""

    def __init__(self, script: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise Unreadable
        self._text, self._at, self._depth = script, 0, depth
        self.commands: list[Command] = []
        self.documents: list[_Document] = []

    def read(self, until: str) -> None:
        """Read commands up to a closing bracket, or to the end."""
        command = self._begin()
        while (char := self._peek()) != until:
            if not char:
                raise Unreadable
            if char in _BLANK:
                self._at += 1
            elif char == "\\" and self._peek(1) == "\n":
                self._at += 2
            elif char == "#":
                self._skip_comment()
            elif char in "<>" or (char == "&" and self._peek(1) == ">"):
                self._redirect(command)
            elif char in _OPERATORS:
                command = self._operator(char)
            else:
                command.words.append(self._word())
        self._at += len(until)

    def _begin(self, *, piped: bool = False) -> Command:
        self.commands.append(Command(piped=piped))
        return self.commands[-1]

    def _peek(self, ahead: int = 0) -> str:
        return self._text[self._at + ahead : self._at + ahead + 1]

    def _take(self) -> str:
        char = self._peek()
        if not char:
            raise Unreadable
        self._at += 1
        return char

    def _skip_comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _operator(self, char: str) -> Command:
        self._at += 1
        if char == "(":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise Unreadable
            self.read(")")
            self._depth -= 1
        elif char == "\n":
            self._read_documents()
        elif char == "|":
            double = self._peek() == "|"
            self._at += double or self._peek() == "&"
            return self._begin(piped=not double)
        return self._begin()

    def _redirect(self, command: Command) -> None:
        if command.words and command.words[-1].text.isdecimal() and self._is_behind_digit():
            command.words.pop()  # the number of what is redirected
        sign = ""
        while self._peek() in ("<", ">", "&") or (sign == ">" and self._peek() == "|"):
            sign += self._take()
        if sign == "<<" and self._peek() == "-":
            sign += self._take()
        while self._peek() in _BLANK:
            self._at += 1
        if self._peek() == "(":
            command.words.append(Word(FROM_COMMAND, open=True, loose=True))
            self._operator("(")
            return
        start = self._at
        target = self._word()
        if sign in ("<<", "<<-"):
            quoted = any(mark in self._text[start : self._at] for mark in "'\"\\")
            self.documents.append(_Document(command, target.text, sign == "<<-", quoted))
        elif sign == "<<<":
            command.fed += target.text
        else:
            command.targets.append((sign, target))

    def _is_behind_digit(self) -> bool:
        return self._text[max(self._at - 1, 0) : self._at].isdecimal()

    def _read_documents(self) -> None:
        """Read the here-documents that were announced in the line that has just ended."""
        for document in self.documents:
            lines = []
            while True:
                line = self._line()
                line = line.lstrip("\t") if document.indented else line
                if line == document.end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            document.command.fed += body
            if not document.quoted:
                if document.end in body.replace("\\\n", "").split("\n"):
                    raise Unreadable  # some shells see its end here, others do not
                self._look_into(body)
        self.documents.clear()

    def _line(self) -> str:
        if self._at >= len(self._text):
            raise Unreadable
        start = self._at
        self._skip_comment()  # as far as the line goes
        self._at += 1
        return self._text[start : self._at].removesuffix("\n")

    def _look_into(self, body: str) -> None:
        """Read the commands within a text in which only they count."""
        inner = _Reader(body, self._depth + 1)
        inner.commands = self.commands
        while char := inner._peek():
            if char == "\\":
                inner._at += 2
            elif char in "$`":
                inner._expansion()
            else:
                inner._at += 1

    def _word(self) -> Word:
        """Read a word up to a blank or an operator; there may be none."""
        pieces: list[str] = []
        start, is_open, loose = self._at, False, False
        while (char := self._peek()) and char not in _BLANK and char not in _OPERATORS:
            if char == "\\":
                self._at += 1
                escaped = self._take()
                pieces.append("" if escaped == "\n" else escaped)
            elif char == "'":
                pieces.append(self._until_quote())
            elif char == '"':
                text, expands = self._double()
                pieces.append(text)
                is_open = is_open or expands
            elif char in "$`":
                pieces.append(self._expansion())
                is_open = loose = True
            else:
                pieces.append(self._take())
                loose = loose or char in _GLOB
        raw = self._text[start : self._at]
        text = "".join(pieces)
        braces = "{" in raw and ("," in raw or ".." in raw)
        return Word(text, is_open, (loose or braces) and text not in ("[", "[["))

    def _until_quote(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise Unreadable
        found = self._text[self._at + 1 : end]
        self._at = end + 1
        return found

    def _double(self) -> tuple[str, bool]:
        """Read a text in double quotes; tell whether something is put into it."""
        self._at += 1
        pieces, expands = [], False
        while (char := self._peek()) != '"':
            if char == "\\":
                self._at += 1
                escaped = self._take()
                kept = "" if escaped == "\n" else escaped
                pieces.append(kept if escaped in '$`"\\\n' else f"\\{escaped}")
            elif char and char in "$`":
                expanded = self._expansion()
                pieces.append(expanded)
                expands = expands or expanded != "$"
            else:
                pieces.append(self._take())
        self._at += 1
        return "".join(pieces), expands

    def _expansion(self) -> str:
        """Read what the shell puts something in place of; what runs there is kept too."""
        start = self._at
        if self._take() == "`":
            self._backquoted()
        elif self._text.startswith("((", self._at):
            self._look_into(self._balanced("(", ")"))
        elif self._peek() == "(":
            self._operator("(")
        elif self._peek() == "{":
            self._look_into(self._balanced("{", "}"))
        elif self._peek() == "'":
            self._ansi()
        else:
            self._name()
        return self._text[start : self._at]

    def _name(self) -> None:
        if self._peek() and self._peek() in "@*#?$!-0123456789":
            self._at += 1
            return
        while self._peek().isidentifier() or (self._peek().isdecimal()):
            self._at += 1

    def _ansi(self) -> None:
        self._at += 1
        while (char := self._take()) != "'":
            self._at += char == "\\"

    def _backquoted(self) -> None:
        pieces = []
        while (char := self._take()) != "`":
            pieces.append(self._take() if char == "\\" else char)
        self.commands.extend(commands_of("".join(pieces), self._depth + 1))

    def _balanced(self, opening: str, closing: str) -> str:
        """Return what stands in brackets, and go past them."""
        start, level = self._at, 0
        while True:
            char = self._take()
            level += (char == opening) - (char == closing)
            if not level:
                return self._text[start + 1 : self._at - 1]
