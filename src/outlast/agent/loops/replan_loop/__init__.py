"""The loop that asks a model for one small decision at a time."""
