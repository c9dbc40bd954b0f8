"""Import plans of other tools: read their files, with the importers of installed packages."""
