"""The orchestrator: plan a goal, let agents work on its tasks, evaluate what they report (R1)."""
