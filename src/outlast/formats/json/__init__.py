"""JSON formats of a plan: `plan.json` (R0), the PlanManager dictionary (R2), the key `outlast`."""
