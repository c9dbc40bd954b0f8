"""The settings of coding agents: what `init` writes and `doctor` looks at."""
