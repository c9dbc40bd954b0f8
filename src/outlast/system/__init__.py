"""What several adapters share of the machine they run on."""
