"""Tools for models that cannot call any: described in the prompt, read from the reply."""
