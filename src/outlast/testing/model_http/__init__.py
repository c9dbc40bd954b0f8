"""The HTTP protocols of `ModelServer` and their faults."""
