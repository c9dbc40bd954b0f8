"""Loops: generators that yield effects and do no I/O."""
