"""The stores: where plans are kept, in memory, files or SQLite. See README.md."""
