"""The only place that puts real adapters and the application together."""
