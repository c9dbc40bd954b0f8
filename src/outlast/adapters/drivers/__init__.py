"""Drivers: they run a loop and have its effects carried out."""
