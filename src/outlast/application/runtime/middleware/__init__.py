"""Middleware: one concern around every effect each; `pipeline` composes them."""
