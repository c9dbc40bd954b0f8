"""Tools that read, search and change files below one directory."""
