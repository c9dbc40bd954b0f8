"""Files that people edit."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # views
    "view_failed": (
        "{where}: the file was not updated ({problem}); the plan itself is safe",
        "{where}：文件未能更新（{problem}）；计划本身是安全的",
    ),
    "view_set_aside": (
        "{name} had been changed from outside; that version was kept: {kept}",
        "{name} 曾被外部修改；该版本已另存：{kept}",
    ),
    "edit_refused": (
        "{name}, line {line}: not applied ({problem}): {line_text}",
        "{name} 第 {line} 行：未应用（{problem}）：{line_text}",
    ),
    "edit_waits": (
        (
            "{name} was edited, but the edit could not be applied yet ({problem}); the file is "
            "left as it is"
        ),
        "{name} 已被编辑，但暂时无法应用（{problem}）；文件保持原样",
    ),
    "edit_applied": ("Applied {count:change} from {name}", "已应用 {name} 中的 {count:,} 处更改"),
    "edit_asked": (
        (
            "{name} was changed while {tool} ran; what only a person may change waits for your "
            "answer"
        ),
        "{name} 在 {tool} 运行期间被修改；其中只有人才能做的更改正等待你的答复",
    ),
    "edit_question": (
        (
            "{name} was changed while the agent's {tool} ran:\n{lines}\n"
            "Did you make this change? yes / no"
        ),
        "{name} 在智能体的 {tool} 运行期间被修改：\n{lines}\n是你做的更改吗？是 / 否",
    ),
    "edit_held_back": (
        "it would remove tasks: {removed}; and reopen: {reopened}",
        "它会移除任务：{removed}；并重新打开：{reopened}",
    ),
    "edit_unmerged": (
        "line {line}: merge conflict markers",
        "第 {line} 行：有合并冲突标记",
    ),
    "edit_question_file": (
        (
            "{name} was changed while the agent's {tool} ran, and the change looks like a "
            "mistake:\n{lines}\nDid you make this change? yes / no"
        ),
        (
            "{name} 在智能体的 {tool} 运行期间被修改，而且看起来像是失误：\n{lines}\n"
            "是你做的更改吗？是 / 否"
        ),
    ),
    "edit_removal": ("removed: {task}", "移除：{task}"),
    "edit_line": ("line {line}: {line_text}", "第 {line} 行：{line_text}"),
    "edit_more": ("{name}: {count:more message|more messages}", "{name}：另有 {count:,} 条提示"),
    "view_odd": (
        "{name} is not a regular file, or is too large; it was left alone and not updated",
        "{name} 不是普通文件或过大；未作改动，也未更新",
    ),
    "view_damaged": (
        "{name} could not be read and was set aside: {kept}; a new one was written",
        "{name} 无法读取，已另存：{kept}；文件已重新写出",
    ),
    # findings.md and errors.md
    "note_line_unknown": (
        "{name}, line {line}: this could not be applied; the edited file was kept",
        "{name} 第 {line} 行：无法应用；编辑后的文件已保留",
    ),
    "note_category_unknown": (
        "{name}, line {line}: unknown category; expected one of {choices}",
        "{name} 第 {line} 行：没有这个类别；应为以下之一：{choices}",
    ),
    "note_conflict": (
        (
            "{name}, line {line}: conflict: {title} was also changed elsewhere; the plan keeps "
            "that version, and yours is kept as another entry or in a copy of the file"
        ),
        (
            "{name} 第 {line} 行：冲突：{title} 在别处也有修改；计划保留该版本，"
            "你的版本另存为新条目或文件副本"
        ),
    ),
    "note_kept": (
        "{name}: {title} was kept, because it has been changed elsewhere since",
        "{name}：{title} 予以保留，因为它此后在别处有修改",
    ),
    "notes_missing": (
        (
            "{name}: {count:entry is|entries are} missing; at most {limit:,} can be removed at a "
            "time, so all are kept"
        ),
        "{name}：缺少 {count:,} 个条目；一次最多移除 {limit:,} 个，因此全部保留",
    ),
    "notes_blank": (
        "{name} was emptied; {count:entry was|entries were} kept",
        "{name} 被清空；{count:,} 个条目均予保留",
    ),
    "notes_newer": (
        "{name}: {titles} may have been added after you opened the file: kept",
        "{name}：{titles} 可能是在你打开文件之后加入的：予以保留",
    ),
    "findings_total": ("Total findings: {count}", "发现总数：{count}"),
    # task_plan.md
    "task_plan_line": (
        "task_plan.md, line {line}: could not be parsed, left in place: {line_text}",
        "task_plan.md 第 {line} 行：无法解析，原样保留：{line_text}",
    ),
    "task_plan_line_twice": (
        (
            "task_plan.md, line {line}: a task has only one such line; this one is kept as a "
            "comment: {line_text}"
        ),
        "task_plan.md 第 {line} 行：一个任务只能有一行这样的内容；此行作为注释保留：{line_text}",
    ),
    "task_plan_unmerged": (
        "task_plan.md, line {line}: merge conflict markers; the file is applied once they are gone",
        "task_plan.md 第 {line} 行：有合并冲突标记；解决冲突后即可应用",
    ),
    "task_plan_unclosed": (
        (
            "task_plan.md, line {line}: the block that starts here is never closed; treated as an "
            "ordinary line: {line_text}"
        ),
        "task_plan.md 第 {line} 行：此处开始的块没有结束，按普通行处理：{line_text}",
    ),
    "task_plan_conflict": (
        (
            "task_plan.md, line {line}: conflict: the {what} was also changed elsewhere and that "
            "version stands; yours is kept as a comment: {line_text}"
        ),
        (
            "task_plan.md 第 {line} 行：冲突：{what} 在别处也有修改，以那边为准；"
            "你写的内容作为注释保留：{line_text}"
        ),
    ),
    "task_plan_assumed": (
        (
            "task_plan.md, line {line}: only Outlast marks a completion as assumed; what you wrote "
            "is kept as a comment: {line_text}"
        ),
        (
            "task_plan.md 第 {line} 行：只有 Outlast 会把完成标为推定；"
            "你写的内容作为注释保留：{line_text}"
        ),
    ),
    "task_plan_box_icon": (
        "task_plan.md, line {line}: box and icon disagree; the task was not changed: {line_text}",
        "task_plan.md 第 {line} 行：复选框与图标不一致，任务未作更改：{line_text}",
    ),
    "task_plan_reference": (
        (
            "task_plan.md, line {line}: there is no task {unknown}, or several have that name; "
            "what you wrote is kept as a comment: {line_text}"
        ),
        (
            "task_plan.md 第 {line} 行：没有任务 {unknown}，或有多个任务叫这个名称；"
            "你写的内容作为注释保留：{line_text}"
        ),
    ),
    "task_plan_task_removed": (
        (
            "task_plan.md, line {line}: task {task_id} has been removed since; what you wrote is "
            "kept as a comment: {line_text}"
        ),
        "task_plan.md 第 {line} 行：任务 {task_id} 已被移除；你写的内容作为注释保留：{line_text}",
    ),
    "task_plan_id_unknown": (
        "task_plan.md, line {line}: there is no task {id} here; the line became a new task",
        "task_plan.md 第 {line} 行：此处没有任务 {id}，该行作为新任务添加",
    ),
    "task_plan_id_twice": (
        (
            "task_plan.md, line {line}: another line already has the id of task {id}; this one "
            "became a new task"
        ),
        "task_plan.md 第 {line} 行：另有一行已使用任务 {id} 的编号，该行作为新任务添加",
    ),
    "task_plan_hidden": (
        "Task {task_id}: its line in task_plan.md could not be read; the task was not changed",
        "任务 {task_id}：task_plan.md 中它的行无法识别；任务未作更改",
    ),
    "task_plan_missing": (
        (
            "Task {task_id} has no line in task_plan.md, and it is unknown which revision the file "
            "was based on; the task was kept"
        ),
        "任务 {task_id} 在 task_plan.md 中没有对应的行，而该文件基于哪个修订不明；任务予以保留",
    ),
    "task_plan_missing_changed": (
        (
            "Task {task_id} has no line in task_plan.md any more, but it was changed elsewhere "
            "since; the task was kept"
        ),
        "任务 {task_id} 在 task_plan.md 中已没有对应的行，但它此后在别处有修改；任务予以保留",
    ),
    "task_plan_held_back": (
        (
            "task_plan.md was not applied: it would remove tasks: {removed}; and reopen: "
            "{reopened}; restore their lines, or confirm as a person: outlast accept "
            "--yes{as_person}"
        ),
        (
            "未应用 task_plan.md：它会移除任务：{removed}；并重新打开：{reopened}；请恢复相应的行，"
            "或由人确认：outlast accept --yes{as_person}"
        ),
    ),
}
