"""Plans: values, state, commands, changes, rules. Pure."""
