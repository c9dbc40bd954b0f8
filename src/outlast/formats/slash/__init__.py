"""Slash commands: lines such as `/todo add Buy milk --tag home` (R3.10)."""
