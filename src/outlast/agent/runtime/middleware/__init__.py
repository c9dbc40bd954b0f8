"""What happens around an effect."""
