"""Tools that a loop can be given."""
