"""Handlers of effects, one behaviour each, to be stacked."""
