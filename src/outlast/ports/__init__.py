"""What the application needs from outside, as small Protocols. Pure."""
