"""What a terminal shows while agents work."""
