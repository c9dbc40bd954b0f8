"""Three-way merge of an edited `task_plan.md`: find a person's edits and turn them into commands.

- `three_way.merge(base, current, document, *, confirmed=False) -> MergeResult` compares the file
  with the plan it was rendered from (`base`, None if unknown) and with the plan now. It changes
  nothing.
  When `result.held`, nothing may be applied and the file stays as it is: too many tasks would be
  removed or reopened and nothing shows that this is meant. `confirmed=True` is
  a person's confirmation.
- `applier.EditApplier` applies the edits one by one. Until its edit is committed, commands and
  anchors refer to a new task by its line below zero (`-12`, `task:-12`) and to a new phase as
  `+12`; the applier replaces these placeholders:

      applier = EditApplier(result)
      for edit in result.edits:
          commands = applier.commands(edit)  # () if it needs something that was refused: skip it
          try:
              commit = store.commit(commands, ...)
          except OutlastError:
              applier.record_refused(edit)  # its text is kept as a comment
          else:
              applier.record_applied(edit, commit.changes)
      KeepProse(applier.prose())  # unless the plan has this prose already

The status of a phase and the progress are computed, so edits of these are ignored.
"""
