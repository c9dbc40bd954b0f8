"""Show an agent at work: live view, plain lines, JSON stream."""
