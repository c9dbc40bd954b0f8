"""Ways to reach people."""
