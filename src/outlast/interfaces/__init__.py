"""How people and programs reach Outlast: parse, one use case, render."""
