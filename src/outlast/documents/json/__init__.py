"""JSON documents of plans."""
