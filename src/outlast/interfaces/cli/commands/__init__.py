"""The commands, one module per subject. Commands do not import each other."""
