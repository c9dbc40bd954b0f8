"""Tool calls for models without native support: described in the prompt, parsed from text."""
