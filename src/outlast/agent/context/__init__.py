"""What only our own loops put into a request: prompts, earlier exchanges, tool results."""
