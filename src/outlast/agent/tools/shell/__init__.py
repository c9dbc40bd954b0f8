"""The tool `bash`."""
