"""`findings.md`, `errors.md` and `deliverable.md`: render, parse, and merge people's edits."""
