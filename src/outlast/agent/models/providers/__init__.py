"""Models of providers, through pydantic-ai."""
