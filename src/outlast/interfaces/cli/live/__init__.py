"""Show an agent at work: on a terminal, as plain lines, as a JSON stream."""
