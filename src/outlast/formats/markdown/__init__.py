"""`task_plan.md`: the plan for people, written, read, and taken in again after they edited it.

Each function is in the module of its name, so that only what is used is loaded
(`from outlast.formats.markdown.render import render`):

- `render(state, *, ids=True) -> str`: the file; `ids=False` leaves the two kinds of comment out
  (preset `code-agent`).
- `parse(text) -> Document` (`document`): what a file says; never raises. `document.revision` is
  the revision it was written for, None if it does not tell; `document.unread` are lines that
  nobody can make sense of.
- `to_plan(document, plan_id, now) -> CreatePlan` for a file that belongs to no plan yet (raises
  `InvalidDocument`), and `prose_of(document, command) -> tuple[Prose, ...]` for a `KeepProse`
  behind it.
- `merge(base, current, document, *, sure=False) -> Merge` (`wish`): what somebody did to the file
  since `base`, as wishes for the plan as it is now. Nothing is altered. `base` is the plan at the
  revision that the file was written for, None if nobody knows. When `merge.held`, nothing may be
  taken in and the file stays as it is: too many tasks would go or be opened again, and nothing
  shows that this is meant; `sure=True` is the answer of somebody who was asked.

A new task has no id before its wish is carried out. Until then commands call it by its line below
zero (`-12`), anchors too (`task:-12`); a new phase likewise. `taking.Taking` exchanges them:

    taking = Taking(merge)
    for wish in merge.wishes:
        commands = taking.commands(wish)  # () if it needs what was refused: leave it out
        try:
            commit = store.commit(commands, ...)
        except OutlastError as error:
            taking.refused(wish)  # the person's words are kept as a comment
        else:
            taking.done(wish, commit.changes)
    KeepProse(taking.prose())  # if it is not what the plan has already

A `Wish` has `what`, `line` (0: no line), `commands`, `said`; a `Report` has `text` (the key of a
text) and `details` (`line` among them). The state of a phase and the progress are worked out, so
edits of those are not wishes.
"""
