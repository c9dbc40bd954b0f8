"""Parse a shell script into the commands that it would run.

This is not a complete shell: it knows quotes, escapes, operators, redirections, here-documents and
nested commands. Anything else raises `ShellParseError`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_OPERATORS: Final = frozenset("|&;()<>\n")
_BLANK: Final = frozenset(" \t")
_GLOB: Final = frozenset("*?[")
_MAX_DEPTH: Final = 20
PROCESS_SUBSTITUTION: Final = "<("


class ShellParseError(Exception):
    """The script cannot be parsed with certainty."""


class Word(NamedTuple):
    """A word of a command, without its quotes.

    `is_expanded`: the shell replaces a part of it. `may_split`: it may become several words.
    """

    text: str
    is_expanded: bool = False
    may_split: bool = False


class Command:
    """A program and its words; `stdin_text` is its input, if the script contains it."""

    def __init__(self, *, is_piped: bool = False) -> None:
        self.words: list[Word] = []
        self.redirections: list[tuple[str, Word]] = []
        self.stdin_text = ""
        self.is_piped = is_piped


class _HereDocument(NamedTuple):
    command: Command
    end: str
    indented: bool
    quoted: bool


def parse_commands(script: str, depth: int = 0) -> list[Command]:
    """Return all commands in a script, nested ones too."""
    parser = _Parser(script, depth)
    parser.read("")
    if parser.here_documents:
        raise ShellParseError
    return [command for command in parser.commands if command.words or command.redirections]


class _Parser:
    """Reads a script once, from left to right."""

    def __init__(self, script: str, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise ShellParseError
        self._text, self._at, self._depth = script, 0, depth
        self.commands: list[Command] = []
        self.here_documents: list[_HereDocument] = []

    def read(self, until: str) -> None:
        """Read commands up to a closing bracket, or to the end if `until` is empty."""
        command = self._start_command()
        while (char := self._peek()) != until:
            if not char:
                raise ShellParseError
            if char in _BLANK:
                self._at += 1
            elif char == "\\" and self._peek(1) == "\n":
                self._at += 2
            elif char == "#":
                self._skip_comment()
            elif char in "<>" or (char == "&" and self._peek(1) == ">"):
                self._read_redirection(command)
            elif char in _OPERATORS:
                command = self._read_operator(char)
            else:
                command.words.append(self._read_word())
        self._at += len(until)

    def _start_command(self, *, is_piped: bool = False) -> Command:
        self.commands.append(Command(is_piped=is_piped))
        return self.commands[-1]

    def _peek(self, ahead: int = 0) -> str:
        return self._text[self._at + ahead : self._at + ahead + 1]

    def _take(self) -> str:
        char = self._peek()
        if not char:
            raise ShellParseError
        self._at += 1
        return char

    def _skip_comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _read_operator(self, char: str) -> Command:
        self._at += 1
        if char == "(":
            self._depth += 1
            if self._depth > _MAX_DEPTH:
                raise ShellParseError
            self.read(")")
            self._depth -= 1
        elif char == "\n":
            self._read_here_documents()
        elif char == "|":
            double = self._peek() == "|"
            self._at += double or self._peek() == "&"
            return self._start_command(is_piped=not double)
        return self._start_command()

    def _read_redirection(self, command: Command) -> None:
        if command.words and command.words[-1].text.isdecimal() and self._is_after_digit():
            command.words.pop()  # the file descriptor of the redirection
        sign = ""
        while self._peek() in ("<", ">", "&") or (sign == ">" and self._peek() == "|"):
            sign += self._take()
        if sign == "<<" and self._peek() == "-":
            sign += self._take()
        while self._peek() in _BLANK:
            self._at += 1
        if self._peek() == "(":
            command.words.append(Word(PROCESS_SUBSTITUTION, is_expanded=True, may_split=True))
            self._read_operator("(")
            return
        start = self._at
        target = self._read_word()
        if sign in ("<<", "<<-"):
            quoted = any(mark in self._text[start : self._at] for mark in "'\"\\")
            self.here_documents.append(_HereDocument(command, target.text, sign == "<<-", quoted))
        elif sign == "<<<":
            command.stdin_text += target.text
        else:
            command.redirections.append((sign, target))

    def _is_after_digit(self) -> bool:
        return self._text[max(self._at - 1, 0) : self._at].isdecimal()

    def _read_here_documents(self) -> None:
        """Read the here-documents that the line before announced."""
        for document in self.here_documents:
            lines = []
            while True:
                line = self._read_line()
                line = line.lstrip("\t") if document.indented else line
                if line == document.end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            document.command.stdin_text += body
            if not document.quoted:
                if document.end in body.replace("\\\n", "").split("\n"):
                    raise ShellParseError  # shells disagree about where it ends
                self._read_expansions(body)
        self.here_documents.clear()

    def _read_line(self) -> str:
        if self._at >= len(self._text):
            raise ShellParseError
        start = self._at
        self._skip_comment()  # to the end of the line
        self._at += 1
        return self._text[start : self._at].removesuffix("\n")

    def _read_expansions(self, body: str) -> None:
        """Read the commands in the expansions of a text."""
        inner = _Parser(body, self._depth + 1)
        inner.commands = self.commands
        while char := inner._peek():
            if char == "\\":
                inner._at += 2
            elif char in "$`":
                inner._read_expansion()
            else:
                inner._at += 1

    def _read_word(self) -> Word:
        """Read a word up to a blank or an operator; it may be empty."""
        pieces: list[str] = []
        start, is_expanded, may_split = self._at, False, False
        while (char := self._peek()) and char not in _BLANK and char not in _OPERATORS:
            if char == "\\":
                self._at += 1
                escaped = self._take()
                pieces.append("" if escaped == "\n" else escaped)
            elif char == "'":
                pieces.append(self._read_single_quoted())
            elif char == '"':
                text, expands = self._read_double_quoted()
                pieces.append(text)
                is_expanded = is_expanded or expands
            elif char in "$`":
                pieces.append(self._read_expansion())
                is_expanded = may_split = True
            else:
                pieces.append(self._take())
                may_split = may_split or char in _GLOB
        raw = self._text[start : self._at]
        text = "".join(pieces)
        braces = "{" in raw and ("," in raw or ".." in raw)
        return Word(text, is_expanded, (may_split or braces) and text not in ("[", "[["))

    def _read_single_quoted(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise ShellParseError
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return text

    def _read_double_quoted(self) -> tuple[str, bool]:
        """Read a double-quoted text; return it and whether it contains an expansion."""
        self._at += 1
        pieces, is_expanded = [], False
        while (char := self._peek()) != '"':
            if char == "\\":
                self._at += 1
                escaped = self._take()
                unescaped = "" if escaped == "\n" else escaped
                pieces.append(unescaped if escaped in '$`"\\\n' else f"\\{escaped}")
            elif char and char in "$`":
                expansion = self._read_expansion()
                pieces.append(expansion)
                is_expanded = is_expanded or expansion != "$"
            else:
                pieces.append(self._take())
        self._at += 1
        return "".join(pieces), is_expanded

    def _read_expansion(self) -> str:
        """Read an expansion and collect the commands that run in it."""
        start = self._at
        if self._take() == "`":
            self._read_backquoted()
        elif self._text.startswith("((", self._at):
            self._read_expansions(self._read_balanced("(", ")"))
        elif self._peek() == "(":
            self._read_operator("(")
        elif self._peek() == "{":
            self._read_expansions(self._read_balanced("{", "}"))
        elif self._peek() == "'":
            self._skip_ansi_quoted()
        else:
            self._skip_name()
        return self._text[start : self._at]

    def _skip_name(self) -> None:
        if self._peek() and self._peek() in "@*#?$!-0123456789":
            self._at += 1
            return
        while self._peek().isidentifier() or (self._peek().isdecimal()):
            self._at += 1

    def _skip_ansi_quoted(self) -> None:
        self._at += 1
        while (char := self._take()) != "'":
            self._at += char == "\\"

    def _read_backquoted(self) -> None:
        pieces = []
        while (char := self._take()) != "`":
            pieces.append(self._take() if char == "\\" else char)
        self.commands.extend(parse_commands("".join(pieces), self._depth + 1))

    def _read_balanced(self, opening: str, closing: str) -> str:
        """Read up to the closing bracket and return the content."""
        start, level = self._at, 0
        while True:
            char = self._take()
            level += (char == opening) - (char == closing)
            if not level:
                return self._text[start + 1 : self._at - 1]
