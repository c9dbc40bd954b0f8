"""Facades: the documents' own APIs over a plan (PlanManager, PlanningService, SessionPlan)."""
