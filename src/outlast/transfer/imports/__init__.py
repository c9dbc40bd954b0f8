"""The forms of other tools: what shows that a document has one, and how it is read.

- `outline`: Markdown with headings and nested tasks, and the parts of a plan made from it.
- `tasks_md`: spec-kit, Kiro and nested checklists. `planning_with_files`: its three files.

The JSON lists of TodoWrite, Claude Code and task-master are in `transfer/imports/task_lists`.
"""
