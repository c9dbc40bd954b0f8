"""What a package offers that reads plans in the form of another tool."""

from __future__ import annotations

from typing import Any, Protocol

from outlast.transfer.imports.document import (
    ImportSource,  # noqa: TC001 - public signatures are read at run time
)


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
