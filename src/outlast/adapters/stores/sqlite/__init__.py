"""Plans in an SQLite database, any number of them in one file."""
