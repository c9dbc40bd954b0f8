"""What is ours in the files that `init` writes, and how it gets into a text and out of it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from outlast.hosts.settings import text as settings_text
from outlast.hosts.settings.marked_block import (
    HASH,
    BlockStyle,
    block_lines,
    remove_block,
    set_block,
)
from outlast.hosts.settings.text import SERVER_NAME, MergedText, SettingsEntries


class FileKind(Protocol):
    """What is ours in a file, and how it gets in and out. The methods take and return texts."""

    def entries(self, text: str) -> object:
        """Return what is ours in a text, to compare it with that of another one."""

    def merge(self, text: str) -> MergedText:
        """Add what is ours to a text without it."""

    def strip(self, text: str, before: str | None) -> str:
        """Remove what is ours from a text; `before` is what it was before it came in."""

    def is_same(self, text: str, before: str) -> bool:
        """Return whether a stripped text says the same as the one before we came."""

    def is_empty(self, text: str) -> bool:
        """Return whether a file that we created can go."""


class JsonSettings(Struct, frozen=True):
    """Settings in JSON, with our entries."""

    wanted: SettingsEntries
    comments: bool = False

    def entries(self, text: str) -> object:
        """Return our entries, in no order."""
        own = self.find(text)
        return frozenset(own.hooks), len(own.hooks), own.status_line, own.server

    def find(self, text: str) -> SettingsEntries:
        """Return our entries."""
        return settings_text.find_entries(text, self.wanted.servers, comments=self.comments)

    def merge(self, text: str) -> MergedText:
        """Add our entries."""
        return settings_text.merge_settings(text, self.wanted, comments=self.comments)

    def strip(self, text: str, before: str | None) -> str:
        """Remove our entries."""
        servers = self.wanted.servers
        return settings_text.without_entries(text, before, servers, comments=self.comments)

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts have the same values."""
        return settings_text.is_same_json(text, before, comments=self.comments)

    def is_empty(self, text: str) -> bool:
        """Return whether nothing is set."""
        return settings_text.is_empty(text, comments=self.comments)


class _PlainText(Struct, frozen=True):
    """A text in which blanks mean nothing."""

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


class TomlSettings(_PlainText, frozen=True):
    """The settings of Codex, with our MCP server."""

    python: str
    actor: str = "codex"

    def entries(self, text: str) -> object:
        """Return what we have set of our server."""
        return settings_text.toml_entries(text)

    def merge(self, text: str) -> MergedText:
        """Add our server, or set what is ours of it."""
        return settings_text.merge_toml(text, self.python, self.actor)

    def strip(self, text: str, before: str | None) -> str:
        """Remove our server."""
        del before
        return settings_text.without_toml_server(text)


class WholeFile(_PlainText, frozen=True):
    """A file that is ours as a whole; `known` are its other forms that are ours too."""

    content: str
    known: tuple[str, ...] = ()

    def entries(self, text: str) -> object:
        """Return the text, if it is ours; a form in the other language is as good."""
        return self.content if text in (self.content, *self.known) else None

    def merge(self, text: str) -> MergedText:
        """Return our text; one that is not ours is left alone."""
        return MergedText(text, (SERVER_NAME,)) if text else MergedText(self.content)

    def strip(self, text: str, before: str | None) -> str:
        """Return nothing for a text of ours."""
        del before
        return "" if text in (self.content, *self.known) else text

    def is_empty(self, text: str) -> bool:
        """Return whether our text was all."""
        return not text


class BlockFile(_PlainText, frozen=True):
    """A file of the user with a marked block of ours."""

    style: BlockStyle
    lines: tuple[str, ...]
    known: tuple[tuple[str, ...], ...] = ()

    def entries(self, text: str) -> object:
        """Return the lines of our block; those in the other language are as good."""
        lines = block_lines(text, self.style)
        return self.lines if lines is not None and tuple(lines) in self.known else lines

    def merge(self, text: str) -> MergedText:
        """Add our block."""
        return MergedText(set_block(text, self.style, self.lines))

    def strip(self, text: str, before: str | None) -> str:
        """Remove our block."""
        del before
        return remove_block(text, self.style)


class ExcludeFile(_PlainText, frozen=True):
    """Git's own list of what it ignores on this machine, with some names in our block."""

    names: tuple[str, ...]

    def entries(self, text: str) -> object:
        """Return which of the names are there."""
        return frozenset(self.names).intersection(block_lines(text, HASH) or ())

    def merge(self, text: str) -> MergedText:
        """Add the names to those of other setups."""
        lines = dict.fromkeys([*(block_lines(text, HASH) or ()), *self.names])
        return MergedText(set_block(text, HASH, [*lines]) if self.names else text)

    def strip(self, text: str, before: str | None) -> str:
        """Remove the names; those of other setups stay."""
        del before
        rest = [line for line in block_lines(text, HASH) or () if line not in self.names]
        return set_block(text, HASH, rest) if rest else remove_block(text, HASH)
