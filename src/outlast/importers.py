"""Importers of your own: read plans in the format of another tool."""

from outlast.formats.imports.document import ImportSource
from outlast.formats.imports.importer import Importer

__all__ = ["ImportSource", "Importer"]
