"""What a person should be asked before a shell runs some lines.

Programs are looked for wherever one can stand: behind others that start one (`sudo`, `xargs`), in
brackets, in texts that are run (`sh -c`). What cannot be read is asked about too.
"""

from __future__ import annotations

import os
import re
from shlex import join, quote
from typing import TYPE_CHECKING, Final

from outlast.adapters.tools.shell import destructive
from outlast.adapters.tools.shell.parser import FROM_COMMAND, Unreadable, commands_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.adapters.tools.shell.parser import Command, Word

_KEYWORDS: Final = frozenset(
    (
        *("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"),
        *("coproc", "in", "esac", "function"),
    )
)
_NO_PROGRAM: Final = frozenset({"for", "case", "select", "[[", "[", "test", "echo", "printf"})
_NOTHING: Final = frozenset({":", "true"})
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh"})
_READING: Final = _SHELLS | {"source", "."}
_STARTERS: Final = frozenset(
    (
        *("sudo", "doas", "env", "nice", "nohup", "timeout", "time", "command", "builtin"),
        *("exec", "stdbuf", "setsid", "ionice", "chrt", "chroot", "flock", "strace"),
        *("ltrace", "unshare", "nsenter", "xargs", "parallel", "busybox", "toybox", "watch"),
        *("eval", "su", "runuser", "ssh", "trap", "script", "tmux", "screen", "systemd-run"),
        *("entr", "uv", "poetry", "pipenv", "conda", "direnv", "fd", "fdfind"),
    )
)
_TEXTS: Final = frozenset(
    (
        *("eval", "su", "runuser", "ssh", "trap", "watch", "script", "parallel", "flock"),
        *("tmux", "screen", "systemd-run", "entr"),
    )
)
_LOOKED_AT: Final = 30  # programs in one command: nobody starts so many one through the other
_WORDS: Final = 1_000  # in one command
_NAMED: Final = 2_000  # words in all commands that may be paths
_PROGRAMS: Final = 20  # words behind a program that starts others, one of which is that other
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
_CUTTING: Final = frozenset({"cut", "tr", "sort", "paste", "column", "awk", "gawk", "mawk"})
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_FORKS: Final = re.compile(
    r"(?<![\w:.-])([\w:.-]{1,20})\s{0,3}\(\)\s{0,3}\{[^}|]{0,60}\1\s{0,3}\|\s{0,3}\1"
)
_HARMLESS: Final = re.compile(r"/dev/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd/\d+)\Z")


def dangers(script: str, depth: int = 0, *, many: bool = False) -> list[str]:
    """Return the commands in a script that may destroy something.

    What cannot be read, or not be told apart, is returned as one word in quotes: no pattern that
    allows the words it begins with may allow what comes behind them. `many`: it is run for many
    files at once.
    """
    try:
        commands = commands_of(script, depth)
        found = [one for command in commands for one in _Look(command, depth).dangers(many=many)]
    except Unreadable:
        return [quote(script)]
    clients = any(_name(word) in _CLIENTS for command in commands for word in command.words)
    if (clients and destructive.SQL.search(script)) or _FORKS.search(script):
        found.append(script if len(commands) == 1 else quote(script))
    return list(dict.fromkeys(found))


class _Look:
    """One command, looked at."""

    def __init__(self, command: Command, depth: int) -> None:
        self._command, self._depth = command, depth
        self._seen: set[int] = set()  # by how many words are left

    def dangers(self, *, many: bool) -> Iterator[str]:
        words = _program(self._command.words)
        if len(words) > _WORDS:
            raise Unreadable
        if self._empties(words) or any(map(_is_device, self._all_words())):
            yield self._said(words)
        yield from self._run(words, many=many)

    def _all_words(self) -> list[Word]:
        return [*self._command.words, *(word for _, word in self._command.targets)]

    def _empties(self, words: Sequence[Word]) -> bool:
        """Tell whether it only makes files empty."""
        to_file = any(sign in (">", ">|") for sign, _ in self._command.targets)
        return to_file and (not words or words[0].text in _NOTHING)

    def _said(self, words: Sequence[Word]) -> str:
        targets = (part for sign, word in self._command.targets for part in (sign, word.text))
        return " ".join([join(word.text for word in words), *targets]).strip()

    def _run(self, words: Sequence[Word], *, many: bool) -> Iterator[str]:
        """Yield what is dangerous in running these words."""
        if len(words) in self._seen or not words or words[0].text in _NO_PROGRAM:
            return
        self._seen.add(len(words))
        if len(self._seen) > _LOOKED_AT:
            raise Unreadable
        name, rest = _name(words[0]), words[1:]
        hidden = words[0].open or words[0].loose or self._hides(name, rest)
        if hidden or (many and name in destructive.ONE) or destructive.breaks(name, rest):
            yield self._said(words)
        yield from self._started(name, rest, many=many or name in destructive.MANY)

    def _hides(self, name: str, rest: Sequence[Word]) -> bool:
        """Tell whether a program is given commands that cannot be seen, or that look bad."""
        command = self._command
        operands = [word for word in rest if word.text[:1] != "-"]
        unseen = command.piped and not command.fed
        if name in _READING:
            hidden = unseen and (not operands or any(word.text == "-s" for word in rest))
            return hidden or any(word.text == FROM_COMMAND for word in rest)
        if name in ("at", "batch"):
            return True
        if not _INTERPRETERS.match(name):
            return False
        code = name.endswith("awk") or any(_INLINE.fullmatch(word.text) for word in rest)
        texts = [word.text for word in rest] if code else []
        bad = any(map(destructive.CODE.search, (*texts, command.fed)))
        return bad or (unseen and not code and not operands)

    def _started(self, name: str, rest: Sequence[Word], *, many: bool) -> Iterator[str]:
        """Yield what is dangerous in what the program itself starts."""
        if name == "find":
            for place, word in enumerate(rest):
                if word.text in _FIND_STARTS:
                    yield from self._run(rest[place + 1 :], many=many)
        elif name in _STARTERS:
            yield from self._behind(rest, many=many)
        if name in _TEXTS or (name in _SHELLS and any(map(_is_inline, rest))):
            for word in rest:
                yield from dangers(word.text, self._depth + 1, many=many)
        if name in _READING and self._command.fed:
            yield from dangers(self._command.fed, self._depth + 1, many=many)

    def _behind(self, rest: Sequence[Word], *, many: bool) -> Iterator[str]:
        """Look at each word as if it were a program; only of the first one it must be plain."""
        plain = [
            place
            for place, word in enumerate(rest)
            if word.text[:1] != "-" and not _ASSIGNED.match(word.text)
        ]
        for place in plain[:_PROGRAMS]:
            if place == plain[0] or not (rest[place].open or rest[place].loose):
                yield from self._run(rest[place:], many=many)


def outside(script: str, cwd: str, root: str) -> list[str]:
    """Return the paths in a script that lead out of a directory, as far as they are spelled out.

    What cannot be read, or names too much to be looked at, may lead anywhere.
    """
    try:
        named = dict.fromkeys(one for command in commands_of(script) for one in _named(command))
    except Unreadable:
        return [os.sep]
    if len(named) > _NAMED:
        return [os.sep]
    within = (root, _real(cwd))
    found = [path for text, sure in named for path in _outside(text, cwd, within, sure=sure)]
    return list(dict.fromkeys(found))


def _named(command: Command) -> Iterator[tuple[str, bool]]:
    """Yield what may be a path in a command, and whether it surely is one."""
    words = _program(command.words)
    leaves = bool(words) and words[0].text in ("cd", "pushd")
    if leaves and (len(words) == 1 or words[1].open or words[1].text == "-"):
        yield "~", True
    for sign, target in command.targets:
        if not target.text.isdecimal() and sign != "<&":
            yield target.text, True
    program = words[0].text if words else ""  # which may be a link, as in virtual environments
    if _climbs(program) or program[:1] in ("~", "$"):
        yield program, False
    cuts = _CUTTING.intersection(map(_name, words[:1]))  # and a slash is where
    for word in words[1:]:
        for text in (word.text, word.text.partition("=")[2], _option_value(word.text)):
            if not (cuts and text == os.sep):
                yield text, leaves or (word.loose and text.startswith("/"))


def _outside(text: str, cwd: str, within: Sequence[str], *, sure: bool) -> Iterator[str]:
    """Yield where a word leads, if that is outside; unless sure it has to look like a path."""
    text = re.sub("^/+", "/", _at_home(text))
    if not text or "://" in text or "\0" in text or _HARMLESS.match(text):
        return
    path = _real(os.path.join(cwd, text))
    if any(path == one or path.startswith(one.rstrip("/") + "/") for one in within):
        return
    if sure or not text.startswith("/") or _is_real(path):
        yield path


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # no path at all, in which nothing can be run
        return os.path.normpath(path)


def _at_home(text: str) -> str:
    for home in ("$HOME", "${HOME}"):
        if text == home or text.startswith(f"{home}/"):
            text = f"~{text[len(home) :]}"
    return os.path.expanduser(text)


def _climbs(text: str) -> bool:
    return text.startswith("..") or "/.." in text


def _is_real(path: str) -> bool:
    """Tell a path from a word that only looks like one: its first directory is there."""
    _, first, *rest = path.split("/")
    return os.path.lexists(f"/{first}") or (not rest and " " not in first)


def _program(words: Sequence[Word]) -> list[Word]:
    """Return the words from the program on: what a shell takes for itself is left out."""
    rest = list(words)
    while rest and (rest[0].text in _KEYWORDS or _ASSIGNED.match(rest[0].text)):
        if rest.pop(0).text == "function":
            del rest[:1]
    return rest


def _name(word: Word) -> str:
    return word.text.rpartition("/")[2]


def _option_value(text: str) -> str:
    """Return what stands right behind an option of one letter."""
    return text[2:] if text[:1] == "-" and text[2:3] in ("/", ".", "~") else ""


def _is_inline(word: Word) -> bool:
    return word.text[:1] == "-" and word.text[:2] != "--" and "c" in word.text


def _is_device(word: Word) -> bool:
    text = word.text.partition("=")[2] if "=/dev/" in word.text else word.text
    return text.startswith("/dev/") and not _HARMLESS.match(text)
