"""The documents' own APIs as thin faces: PlanManager, PlanningService, SessionPlan."""
