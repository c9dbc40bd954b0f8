"""What coding agents write to hooks, and read from them."""
