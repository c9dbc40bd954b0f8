"""Models without tool calls: the calls are asked for and read as text."""
