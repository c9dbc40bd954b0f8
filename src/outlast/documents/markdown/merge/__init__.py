"""Three-way merge of an edited `task_plan.md`: find a person's edits and turn them into commands.

- `three_way.merge(base, current, document, *, confirmed=False, earlier=None) -> MergeResult`
  compares the file with the plan as its editor knows it (`base`, None if unknown) and with the plan
  now. It changes nothing. `earlier` is about earlier saves of the same editor, which the base has.
  When `result.needs_confirmation`, nothing may be applied and the file stays as it is: it lacks
  tasks, or reopens some, and nothing shows that this is meant. `confirmed=True` is a person's
  confirmation.
- `three_way.merge_new_lines(current, document)` is for a file that shows another history.
- `applier.EditApplier` applies the edits one by one. Until its edit is applied, commands and
  anchors refer to a new task by its line below zero (`-12`, `task:-12`) and to a new phase as
  `+12`; the applier replaces these placeholders:

      applier = EditApplier(result)
      for edit in result.edits:
          commands = applier.commands(edit)  # () if it needs something that was refused: skip it
          try:
              changes = attempt(commands)
          except OutlastError:
              applier.record_refused(edit)  # its text is kept as a comment
          else:
              applier.record_applied(edit, changes)
      KeepProse(applier.prose())  # unless the plan has this prose already

The status of a phase and the progress are computed, so edits of these are ignored.
"""
