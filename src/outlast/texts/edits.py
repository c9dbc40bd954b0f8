"""Files that people edit."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # views
    "view_failed": (
        "{where}: the view was not written ({problem}); the plan is safe",
        "{where}：视图未能写入（{problem}）；计划是安全的",
    ),
    "view_put_aside": (
        "{name} had been changed by somebody else; what it said was kept: {kept}",
        "{name} 曾被他人更改；其内容已另存为 {kept}",
    ),
    "edit_refused": (
        "{name}, line {line}: not taken in ({problem}): {said}",
        "{name} 第 {line} 行：未采纳（{problem}）：{said}",
    ),
    "edit_waits": (
        "{name} was edited and could not be taken in yet ({problem}); it stays as it is",
        "{name} 已被编辑，但尚未能采纳（{problem}）；文件保持原样",
    ),
    "edit_taken": ("took in changes of {name}: {count}", "已采纳 {name} 中的 {count} 处更改"),
    "edit_more": (
        "{name}: there is more to say, {count} times",
        "{name}：另有 {count} 条提示未显示",
    ),
    "view_odd": (
        "{name} is no ordinary file, or too large: it was left alone and not written anew",
        "{name} 不是普通文件或过大：已原样保留，未重新写出",
    ),
    "view_damaged": (
        "{name} could not be read and was put aside: {kept}; it was written anew",
        "{name} 无法读取，已另存为 {kept}；文件已重新写出",
    ),
    # findings.md and errors.md
    "note_line_unknown": (
        "{name}, line {line}: this could not be taken in; the file as it was edited is kept",
        "{name} 第 {line} 行：无法采纳；编辑后的文件已保留",
    ),
    "note_category_unknown": (
        "{name}, line {line}: there is no such category; expected one of {choices}",
        "{name} 第 {line} 行：没有这个类别；应为以下之一：{choices}",
    ),
    "note_clash": (
        "{name}, line {line}: {title} was changed by somebody else too; both are kept",
        "{name} 第 {line} 行：{title} 也被他人改动；两者都已保留",
    ),
    "note_kept": (
        "{name}: {title} is kept, because somebody else has changed it meanwhile",
        "{name}：{title} 予以保留，因为其间他人改动了它",
    ),
    "notes_gone": (
        "{name}: {count} entries are missing; more than {limit} at a time are not taken out",
        "{name}：缺少 {count} 个条目；一次最多取出 {limit} 个，因此全部保留",
    ),
    "notes_blank": (
        "{name} was emptied; all {count} entries are kept",
        "{name} 被清空；全部 {count} 个条目予以保留",
    ),
    "notes_newer": (
        "{name}: {titles} came last, and may have come after you opened the file: kept",
        "{name}：{titles} 是最后加入的，可能在您打开文件之后才加入：予以保留",
    ),
    "findings_total": ("Total findings: {count}", "发现总数：{count}"),
    # task_plan.md
    "plan_md_line": (
        "task_plan.md, line {line}: not understood, kept as it is: {said}",
        "task_plan.md 第 {line} 行：无法理解，原样保留：{said}",
    ),
    "plan_md_run_twice": (
        "task_plan.md, line {line}: a task has one run line; this one is kept as a comment: {said}",
        "task_plan.md 第 {line} 行：一个任务只有一行 run；此行作为注释保留：{said}",
    ),
    "plan_md_unmerged": (
        (
            "task_plan.md, line {line}: two versions of the file were not merged; it is taken in "
            "when the marks around them are gone"
        ),
        "task_plan.md 第 {line} 行：文件的两个版本尚未合并；去掉冲突标记后即予采纳",
    ),
    "plan_md_unclosed": (
        (
            "task_plan.md, line {line}: nothing ends the block that begins here; it was taken for "
            "an ordinary line: {said}"
        ),
        "task_plan.md 第 {line} 行：此处开始的块没有结束，按普通行处理：{said}",
    ),
    "plan_md_conflict": (
        (
            "task_plan.md, line {line}: somebody else has changed the {what} too; theirs stands, "
            "what you wrote is kept as a comment: {said}"
        ),
        (
            "task_plan.md 第 {line} 行：{what} 也被他人修改；以他人的为准，您写的内容作为注释保留："
            "{said}"
        ),
    ),
    "plan_md_box_icon": (
        (
            "task_plan.md, line {line}: box and icon say different things; the task stays as it "
            "was: {said}"
        ),
        "task_plan.md 第 {line} 行：复选框与图标不一致，任务保持原状：{said}",
    ),
    "plan_md_reference": (
        (
            "task_plan.md, line {line}: no task, or more than one, is called {unknown}; what you "
            "wrote is kept as a comment: {said}"
        ),
        "task_plan.md 第 {line} 行：没有或不止一个任务叫 {unknown}；您写的内容作为注释保留：{said}",
    ),
    "plan_md_gone": (
        (
            "task_plan.md, line {line}: somebody else has taken task {task_id} out meanwhile; what "
            "you wrote is kept as a comment: {said}"
        ),
        "task_plan.md 第 {line} 行：任务 {task_id} 已被他人移除；您写的内容作为注释保留：{said}",
    ),
    "plan_md_id_unknown": (
        "task_plan.md, line {line}: there is no task {id} here; the line is taken for a new task",
        "task_plan.md 第 {line} 行：此处没有任务 {id}，该行视为新任务",
    ),
    "plan_md_id_twice": (
        (
            "task_plan.md, line {line}: another line has the id of task {id} too; this one is "
            "taken for a new task"
        ),
        "task_plan.md 第 {line} 行：另有一行也用了任务 {id} 的编号，该行视为新任务",
    ),
    "plan_md_hidden": (
        "Task {task_id} has no line of its own in task_plan.md, but other text names it: it stays",
        "任务 {task_id} 在 task_plan.md 中没有自己的行，但其他文字提到它：予以保留",
    ),
    "plan_md_missing": (
        (
            "Task {task_id} has no line in task_plan.md, but nobody knows what that file was made "
            "from: it stays"
        ),
        "任务 {task_id} 在 task_plan.md 中没有行，但无从得知该文件的来历：予以保留",
    ),
    "plan_md_missing_changed": (
        (
            "Task {task_id} has no line in task_plan.md any more, but somebody else has changed it "
            "meanwhile: it stays"
        ),
        "任务 {task_id} 在 task_plan.md 中已没有行，但其间被他人修改过：予以保留",
    ),
    "plan_md_asked": (
        (
            "task_plan.md was not taken in: these tasks would go: {removed}; these would be open "
            "again: {reopened}; put their lines right, or say that it is meant (outlast help "
            "accept)"
        ),
        (
            "未采纳 task_plan.md：这些任务将被移除：{removed}；这些将重新打开：{reopened}；"
            "请改正相应的行，或说明确实如此（outlast help accept）"
        ),
    ),
}
