"""Tools that read and write files."""
