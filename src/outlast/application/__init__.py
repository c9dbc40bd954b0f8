"""What can be done with plans, whatever they are kept in and whoever asks."""
