"""Built-in tools: files, shell, and tools made of Python functions."""
