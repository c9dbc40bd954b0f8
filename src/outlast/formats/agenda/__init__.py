"""Todos and appointments as text for people and models."""
