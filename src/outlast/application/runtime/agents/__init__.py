"""How the orders of an orchestrator are carried out: delegate, check, settle, try an agent."""
