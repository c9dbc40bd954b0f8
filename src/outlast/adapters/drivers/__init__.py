"""Drivers: run a loop and pass its effects to the runtime."""
