"""The report about the work on a plan: its words, its timeline, as Markdown and as HTML."""
