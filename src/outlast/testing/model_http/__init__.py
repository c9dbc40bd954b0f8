"""The protocols that `ModelServer` speaks, and what can go wrong with them."""
