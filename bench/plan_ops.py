"""Benchmarks of plan operations."""
