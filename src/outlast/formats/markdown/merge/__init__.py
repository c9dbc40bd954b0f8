"""Three-way merge of an edited `task_plan.md`."""
