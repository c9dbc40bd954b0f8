"""Agents that carry out tasks: programs and mailboxes."""
