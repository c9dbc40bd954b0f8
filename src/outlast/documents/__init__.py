"""What people and other programs read and write."""
