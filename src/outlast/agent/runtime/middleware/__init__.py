"""What happens around an effect, one concern in each module."""
