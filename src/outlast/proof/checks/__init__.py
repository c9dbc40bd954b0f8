"""Running the checks of a task."""
