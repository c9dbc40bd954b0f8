"""`findings.md`, `errors.md` and `deliverable.md`: written, read, and read back after an edit."""
