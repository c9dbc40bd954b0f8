"""An agent that keeps its plan: loops, what executes them, models, tools, people."""
