"""The hooks of coding agents: a shell script answers most, a full program decides the rest."""
