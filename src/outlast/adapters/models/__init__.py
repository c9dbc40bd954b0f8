"""Models: of providers, scripted, and with tools described in the prompt."""
