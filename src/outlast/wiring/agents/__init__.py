"""Agents: build an `AgentLoop`, and run it on a plan."""
