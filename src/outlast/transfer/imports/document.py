"""What an import reads, what it makes of it, and what a package offers that does so."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - public signatures are read at run time
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.document import UnparsedLine
from outlast.errors import InvalidDocument
from outlast.model.commands import CreatePlan, NoteError, NoteFinding
from outlast.model.model import Prose


class ImportSource(Struct, frozen=True):
    """The content of a file or a directory.

    `where` names it in messages, `directory` is the name of the directory that it is in, or that
    it is. `files` are by their names; the one that was named comes first. Of a directory they are
    those that may belong to a plan.
    """

    where: str
    files: dict[str, bytes]
    directory: str = ""
    is_directory: bool = False

    @property
    def main(self) -> bytes:
        """The content of the file that was named."""
        return next(iter(self.files.values()), b"")

    def add(self, files: Mapping[str, bytes]) -> ImportSource:
        """Return the source with more files."""
        return replace(self, files={**self.files, **files})

    def text(self, name: str = "") -> str:
        """Return the text of a file, or of the first; raise `InvalidDocument` if it is none."""
        data = self.files[name] if name else self.main
        where = f"{self.where}/{name}" if name and len(self.files) > 1 else self.where
        return decode_text(data, where)


class PlanDocument(Struct, frozen=True):
    """An imported document: the plan, and what is added to it after it is created.

    `notes` are its findings and errors. `unread` are the lines that were not understood. One that
    `tells_needs` says of a task what it needs, or that it needs nothing.
    """

    form: str
    plan: CreatePlan
    prose: tuple[Prose, ...] = ()
    unread: tuple[UnparsedLine, ...] = ()
    notes: tuple[NoteFinding | NoteError, ...] = ()
    tells_needs: bool = False


class Importer(Protocol):
    """Reads one form. A package offers one under the entry point `outlast.importers`.

    The name of the entry point is that of the form, for `outlast import --format NAME`. The content
    comes from a stranger: never execute any of it.
    """

    def recognizes(self, source: ImportSource) -> bool:
        """Return whether a document is in this form; asked if it is none of Outlast's own."""
        ...

    def read(self, source: ImportSource) -> dict[str, Any]:
        """Return the plan as `PlanManager.to_dict` does; raise `ValueError` to refuse it.

        Fields that Outlast does not know are kept. Nothing counts as proved or approved.
        """
        ...


def decode_text(data: bytes, where: str) -> str:
    """Decode a text in UTF-8; raise `InvalidDocument` if it is none."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument("document_not_text", where=where, offset=error.start) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
