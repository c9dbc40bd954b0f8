"""Plans of other tools: recognize the form of a document by its content, and read it.

- `recognize`: the forms, and the refusal of what is none of them.
- `outline`: Markdown with headings and nested tasks; `sequence`: their order and needs.
- `outlines`: spec-kit, Kiro and nested checklists. `planning_with_files`: its three files.

The JSON lists of TodoWrite, Claude Code and task-master are in `transfer/imports/task_lists`.
"""
