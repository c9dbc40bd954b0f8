"""The tools by which a model works on a plan: one table feeds every interface."""
