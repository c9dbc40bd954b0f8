"""Commands about the program itself: help, settings, health, the demo."""
