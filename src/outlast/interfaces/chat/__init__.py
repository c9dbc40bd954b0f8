"""The chat with the assistant: read lines, show what it does, print its replies."""
