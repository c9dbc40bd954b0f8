"""Adapters: the implementations of the ports."""
