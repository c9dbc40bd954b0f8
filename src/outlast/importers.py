"""Importers of your own: read plans in the format of another tool."""

from outlast.transfer.imports.document import Importer, ImportSource

__all__ = ["ImportSource", "Importer"]
