"""Plans in an SQLite database."""
