"""Decide which parts of a shell script need a person's permission.

Programs are found wherever they can stand: as operands of programs that start others (`sudo`,
`xargs`), in subshells, and in texts that are run (`sh -c`). A script that cannot be parsed needs
permission too.
"""

from __future__ import annotations

import os
import re
from shlex import join, quote
from typing import TYPE_CHECKING, Final

from outlast.agent.tools.shell.destructive_rules import (
    BATCH_PROGRAMS,
    DESTRUCTIVE_CODE,
    DESTRUCTIVE_IN_BATCH,
    DESTRUCTIVE_SQL,
    is_destructive,
)
from outlast.agent.tools.shell.parser import PROCESS_SUBSTITUTION, ShellParseError, parse_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.agent.tools.shell.parser import Command, Word

_KEYWORDS: Final = frozenset(
    (
        *("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"),
        *("coproc", "in", "esac", "function"),
    )
)
_NO_PROGRAM: Final = frozenset({"for", "case", "select", "[[", "[", "test", "echo", "printf"})
_NO_OPS: Final = frozenset({":", "true"})
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh"})
_SCRIPT_READERS: Final = _SHELLS | {"source", "."}
_STARTERS: Final = frozenset(
    (
        *("sudo", "doas", "env", "nice", "nohup", "timeout", "time", "command", "builtin"),
        *("exec", "stdbuf", "setsid", "ionice", "chrt", "chroot", "flock", "strace"),
        *("ltrace", "unshare", "nsenter", "xargs", "parallel", "busybox", "toybox", "watch"),
        *("eval", "su", "runuser", "ssh", "trap", "script", "tmux", "screen", "systemd-run"),
        *("entr", "uv", "poetry", "pipenv", "conda", "direnv", "fd", "fdfind"),
    )
)
_TEXT_RUNNERS: Final = frozenset(
    (
        *("eval", "su", "runuser", "ssh", "trap", "watch", "script", "parallel", "flock"),
        *("tmux", "screen", "systemd-run", "entr"),
    )
)
_MAX_PROGRAMS: Final = 30  # in one command that start each other
_MAX_WORDS: Final = 1_000  # in one command
_MAX_PATHS: Final = 2_000  # candidate paths in one script
_MAX_OPERANDS: Final = 20  # of a program that starts others; one of them is the program
_FIND_STARTS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_INTERPRETERS: Final = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|php|lua|deno|bun|Rscript|[gmn]?awk)[\d.]*\Z"
)
_INLINE: Final = re.compile(r"-[A-Za-z]*[ceErpn]|--eval|--print|eval|--code")
_CLIENTS: Final = frozenset(
    (
        *("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client"),
        *("mongosh", "mongo", "cqlsh"),
    )
)
_DELIMITER_PROGRAMS: Final = frozenset(
    {"cut", "tr", "sort", "paste", "column", "awk", "gawk", "mawk"}
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_FORK_BOMB: Final = re.compile(
    r"(?<![\w:.-])([\w:.-]{1,20})\s{0,3}\(\)\s{0,3}\{[^}|]{0,60}\1\s{0,3}\|\s{0,3}\1"
)
_HARMLESS_DEVICES: Final = re.compile(
    r"/dev/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd/\d+)\Z"
)


def find_destructive(script: str, depth: int = 0, *, in_batch: bool = False) -> list[str]:
    """Return the commands in a script that may destroy something.

    An unparsable script is returned as one quoted word, so that a pattern that allows its first
    words does not allow the rest. `in_batch` means that the script runs for many files at once.
    """
    try:
        commands = parse_commands(script, depth)
        destructive_commands = [
            part
            for command in commands
            for part in _CommandInspector(command, depth).find_destructive(in_batch=in_batch)
        ]
    except ShellParseError:
        return [quote(script)]
    words = (word for command in commands for word in command.words)
    has_client = any(_program_name(word) in _CLIENTS for word in words)
    if (has_client and DESTRUCTIVE_SQL.search(script)) or _FORK_BOMB.search(script):
        destructive_commands.append(script if len(commands) == 1 else quote(script))
    return list(dict.fromkeys(destructive_commands))


class _CommandInspector:
    """Finds destructive programs in one command."""

    def __init__(self, command: Command, depth: int) -> None:
        self._command, self._depth = command, depth
        self._seen: set[int] = set()  # suffixes of the command, by number of words

    def find_destructive(self, *, in_batch: bool) -> Iterator[str]:
        words = _skip_keywords(self._command.words)
        if len(words) > _MAX_WORDS:
            raise ShellParseError
        if self._is_truncation(words) or any(map(_is_device, self._all_words())):
            yield self._command_text(words)
        yield from self._inspect(words, in_batch=in_batch)

    def _all_words(self) -> list[Word]:
        return [*self._command.words, *(word for _, word in self._command.redirections)]

    def _is_truncation(self, words: Sequence[Word]) -> bool:
        """Return whether the command only truncates files."""
        to_file = any(sign in (">", ">|") for sign, _ in self._command.redirections)
        return to_file and (not words or words[0].text in _NO_OPS)

    def _command_text(self, words: Sequence[Word]) -> str:
        targets = (part for sign, word in self._command.redirections for part in (sign, word.text))
        return " ".join([join(word.text for word in words), *targets]).strip()

    def _inspect(self, words: Sequence[Word], *, in_batch: bool) -> Iterator[str]:
        """Yield the destructive parts of running these words."""
        if len(words) in self._seen or not words or words[0].text in _NO_PROGRAM:
            return
        self._seen.add(len(words))
        if len(self._seen) > _MAX_PROGRAMS:
            raise ShellParseError
        name, rest = _program_name(words[0]), words[1:]
        is_opaque = words[0].is_expanded or words[0].may_split or self._is_opaque(name, rest)
        is_batch_harm = in_batch and name in DESTRUCTIVE_IN_BATCH
        if is_opaque or is_batch_harm or is_destructive(name, rest):
            yield self._command_text(words)
        yield from self._inspect_started(name, rest, in_batch=in_batch or name in BATCH_PROGRAMS)

    def _is_opaque(self, name: str, rest: Sequence[Word]) -> bool:
        """Return whether a program runs code that cannot be seen, or that looks destructive."""
        command = self._command
        operands = [word for word in rest if word.text[:1] != "-"]
        reads_unseen_input = command.is_piped and not command.stdin_text
        if name in _SCRIPT_READERS:
            is_hidden = reads_unseen_input and (
                not operands or any(word.text == "-s" for word in rest)
            )
            return is_hidden or any(word.text == PROCESS_SUBSTITUTION for word in rest)
        if name in ("at", "batch"):
            return True
        if not _INTERPRETERS.match(name):
            return False
        has_code = name.endswith("awk") or any(_INLINE.fullmatch(word.text) for word in rest)
        texts = [word.text for word in rest] if has_code else []
        has_bad_code = any(map(DESTRUCTIVE_CODE.search, (*texts, command.stdin_text)))
        return has_bad_code or (reads_unseen_input and not has_code and not operands)

    def _inspect_started(self, name: str, rest: Sequence[Word], *, in_batch: bool) -> Iterator[str]:
        """Yield the destructive parts of what a program starts."""
        if name == "find":
            for position, word in enumerate(rest):
                if word.text in _FIND_STARTS:
                    yield from self._inspect(rest[position + 1 :], in_batch=in_batch)
        elif name in _STARTERS:
            yield from self._inspect_operands(rest, in_batch=in_batch)
        if name in _TEXT_RUNNERS or (name in _SHELLS and any(map(_is_inline, rest))):
            for word in rest:
                yield from find_destructive(word.text, self._depth + 1, in_batch=in_batch)
        if name in _SCRIPT_READERS and self._command.stdin_text:
            yield from find_destructive(
                self._command.stdin_text, self._depth + 1, in_batch=in_batch
            )

    def _inspect_operands(self, rest: Sequence[Word], *, in_batch: bool) -> Iterator[str]:
        """Inspect each operand as a program; after the first, only words without expansions."""
        candidates = [
            position
            for position, word in enumerate(rest)
            if word.text[:1] != "-" and not _ASSIGNMENT.match(word.text)
        ]
        for position in candidates[:_MAX_OPERANDS]:
            word = rest[position]
            if position == candidates[0] or not (word.is_expanded or word.may_split):
                yield from self._inspect(rest[position:], in_batch=in_batch)


def find_outside_paths(script: str, cwd: str, root: str) -> list[str]:
    """Return the paths in a script that lead out of a directory, as far as they are literal.

    A script that cannot be parsed, or has too many paths, counts as `/`.
    """
    try:
        candidates = dict.fromkeys(
            candidate
            for command in parse_commands(script)
            for candidate in _path_candidates(command)
        )
    except ShellParseError:
        return [os.sep]
    if len(candidates) > _MAX_PATHS:
        return [os.sep]
    inside = (root, _realpath(cwd))
    paths = [
        path
        for text, is_path in candidates
        for path in _outside_path(text, cwd, inside, is_path=is_path)
    ]
    return list(dict.fromkeys(paths))


def _path_candidates(command: Command) -> Iterator[tuple[str, bool]]:
    """Yield the words that may be paths, each with whether it certainly is one."""
    words = _skip_keywords(command.words)
    changes_directory = bool(words) and words[0].text in ("cd", "pushd")
    if changes_directory and (len(words) == 1 or words[1].is_expanded or words[1].text == "-"):
        yield "~", True
    for sign, target in command.redirections:
        if not target.text.isdecimal() and sign != "<&":
            yield target.text, True
    program = words[0].text if words else ""  # may be a link, as in virtual environments
    if _has_parent_step(program) or program[:1] in ("~", "$"):
        yield program, False
    # For these programs a single slash is a delimiter, not a path.
    has_delimiter = _DELIMITER_PROGRAMS.intersection(map(_program_name, words[:1]))
    for word in words[1:]:
        for text in (word.text, word.text.partition("=")[2], _option_value(word.text)):
            if not (has_delimiter and text == os.sep):
                yield text, changes_directory or (word.may_split and text.startswith("/"))


def _outside_path(text: str, cwd: str, inside: Sequence[str], *, is_path: bool) -> Iterator[str]:
    """Yield the real path of a word if it is outside; an uncertain word must look like a path."""
    text = re.sub("^/+", "/", _expand_home(text))
    if not text or "://" in text or "\0" in text or _HARMLESS_DEVICES.match(text):
        return
    path = _realpath(os.path.join(cwd, text))
    if any(path == root or path.startswith(root.rstrip("/") + "/") for root in inside):
        return
    if is_path or not text.startswith("/") or _is_likely_path(path):
        yield path


def _realpath(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL character: no path, and no working directory
        return os.path.normpath(path)


def _expand_home(text: str) -> str:
    for home in ("$HOME", "${HOME}"):
        if text == home or text.startswith(f"{home}/"):
            text = f"~{text[len(home) :]}"
    return os.path.expanduser(text)


def _has_parent_step(text: str) -> bool:
    return text.startswith("..") or "/.." in text


def _is_likely_path(path: str) -> bool:
    """Return whether the first directory exists: else it only looks like a path."""
    _, first, *rest = path.split("/")
    return os.path.lexists(f"/{first}") or (not rest and " " not in first)


def _skip_keywords(words: Sequence[Word]) -> list[Word]:
    """Return the words from the program on, without shell keywords and assignments."""
    remaining = list(words)
    while remaining and (remaining[0].text in _KEYWORDS or _ASSIGNMENT.match(remaining[0].text)):
        if remaining.pop(0).text == "function":
            del remaining[:1]
    return remaining


def _program_name(word: Word) -> str:
    return word.text.rpartition("/")[2]


def _option_value(text: str) -> str:
    """Return the value attached to an option of one letter."""
    return text[2:] if text[:1] == "-" and text[2:3] in ("/", ".", "~") else ""


def _is_inline(word: Word) -> bool:
    return word.text[:1] == "-" and word.text[:2] != "--" and "c" in word.text


def _is_device(word: Word) -> bool:
    text = word.text.partition("=")[2] if "=/dev/" in word.text else word.text
    return text.startswith("/dev/") and not _HARMLESS_DEVICES.match(text)
