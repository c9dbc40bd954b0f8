"""Importers of your own: read plans in the format of another tool."""

from outlast.transfer.imports.document import ImportSource
from outlast.transfer.imports.importer import Importer

__all__ = ["ImportSource", "Importer"]
