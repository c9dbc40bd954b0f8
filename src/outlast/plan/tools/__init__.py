"""The tools by which a model works on a plan: one table feeds every interface."""

from typing import Literal

Dialect = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp"]
ToolSet = Literal["default", "full"]
