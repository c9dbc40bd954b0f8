"""Checks that are run on this machine, and what makes their outcome worth something."""
