"""Loops: generators that decide what an agent does next; they yield effects and do no I/O."""
