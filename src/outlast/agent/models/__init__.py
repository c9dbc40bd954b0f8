"""Models: of providers, scripted, without tool calls of their own."""
