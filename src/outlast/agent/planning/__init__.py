"""`PlanningService`: the plan of a session as phases and steps."""
