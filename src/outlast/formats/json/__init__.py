"""The JSON forms of a plan: `plan.json` (R0) and the PlanManager dictionary (R2)."""
