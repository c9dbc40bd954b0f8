"""`task_plan.md`: render it, parse it, create a plan from it, and merge people's edits.

Each function is in the module of its name, so that a process loads only what it uses
(`from outlast.documents.markdown.render import render`):

- `render(state, *, bare=False, mark="") -> str`; `bare` is exactly the form of the document (preset
  `code-agent`), which has no place for numbers, descriptions and results.
- `parse(text, *, bare=False) -> Document` never raises. `document.revision` is the revision that
  the file was rendered from, None if unknown, `document.mark` that of its commit;
  `document.unread` are the lines that are reported.
- `to_plan(document, plan_id, now) -> CreatePlan` for a file that belongs to no plan yet (raises
  `InvalidDocument`); `prose_of(document, command) -> tuple[Prose, ...]` for a `KeepProse` after it.
- `merge/` for a file that people edited, `notes/` for `findings.md`, `errors.md` and
  `deliverable.md`.
"""
