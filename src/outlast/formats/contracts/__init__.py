"""Contracts: turn the text of a model into validated data, with every problem listed."""
