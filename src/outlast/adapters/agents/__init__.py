"""Agents: what carries out tasks for the orchestrator, one module each."""
