"""Plans and errors as lines for people."""
