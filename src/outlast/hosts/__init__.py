"""Plans in the sessions of coding agents."""
