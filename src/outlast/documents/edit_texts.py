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
    "view_put_back": (
        "{name} was set aside while it was still being saved; it is complete now and back",
        "{name} 在保存尚未完成时被另存；现已完整并放回原处",
    ),
    "view_busy": (
        (
            "{name} is being written to without a pause; edits in it are applied once it has "
            "been left alone for a moment"
        ),
        "{name} 一直在被写入；等写入停顿片刻后才会应用其中的编辑",
    ),
    "edit_refused": (
        "{name}, line {line}: not applied ({problem}): {line_text}",
        "{name} 第 {line} 行：未应用（{problem}）：{line_text}",
    ),
    "edit_locked": (
        (
            "{name} was edited; the edit will be applied when another process releases the lock "
            "of {where}"
        ),
        "{name} 已被编辑；另一个进程释放 {where} 的锁后才会应用",
    ),
    "edit_waits": (
        (
            "{name} was edited, but the edit could not be applied yet ({problem}); the file is "
            "left as it is"
        ),
        "{name} 已被编辑，但暂时无法应用（{problem}）；文件保持原样",
    ),
    "edit_applied": ("From {name}: {changes}", "来自 {name}：{changes}"),
    # what a commit changed, in phrases that are joined to one line
    "change_added": ('added {task} "{name}"', "新增 {task}“{name}”"),
    "change_removed": ('removed {task} "{name}"', "移除 {task}“{name}”"),
    "change_renamed": ('renamed {task} to "{name}"', "把 {task} 改名为“{name}”"),
    "change_moved": ("moved {task}", "移动 {task}"),
    "change_started": ("started {task}", "开始 {task}"),
    "change_completed": ("completed {task}", "完成 {task}"),
    "change_completed_early": (
        'completed {task} "{name}" without waiting for {needs}',
        "未等 {needs} 就完成 {task}“{name}”",
    ),
    "change_confirmed": ("confirmed the completion of {task}", "确认 {task} 已完成"),
    "change_failed": ("marked {task} as failed", "把 {task} 标为失败"),
    "change_skipped": ("skipped {task}", "跳过 {task}"),
    "change_reopened": ("reopened {task}", "重新打开 {task}"),
    "change_returned": ("set {task} back to pending", "把 {task} 退回待办"),
    "change_restored": ('restored {task} "{name}"', "恢复 {task}“{name}”"),
    "change_needs_added": (
        '{task} "{name}" now waits for {needs}',
        "{task}“{name}”现在要等 {needs}",
    ),
    "change_needs_dropped": (
        '{task} "{name}" no longer waits for {needs}',
        "{task}“{name}”不再等待 {needs}",
    ),
    "change_description": ("changed the description of {task}", "修改 {task} 的说明"),
    "change_checks": ("changed the checks of {task}", "修改 {task} 的检查"),
    "change_run": ("changed the command of {task}", "修改 {task} 的运行命令"),
    "change_files": ("changed the files of {task}", "修改 {task} 的产出文件"),
    "change_protect": ("changed the protected files of {task}", "修改 {task} 的保护文件"),
    "change_result": ("changed the result of {task}", "修改 {task} 的结果"),
    "change_reasoning": ("changed the reasoning of {task}", "修改 {task} 的理由"),
    "change_kind": ("changed the kind of {task}", "修改 {task} 的类别"),
    "change_goal": ('changed the goal to "{name}"', "把目标改为“{name}”"),
    "change_title": ('changed the title to "{name}"', "把标题改为“{name}”"),
    "change_phase_added": ('added phase "{name}"', "新增阶段“{name}”"),
    "change_phase_renamed": ('renamed phase "{old}" to "{name}"', "把阶段“{old}”改名为“{name}”"),
    "change_phase_notes": ('changed the notes of phase "{name}"', "修改阶段“{name}”的备注"),
    "change_phase_moved": ('moved phase "{name}"', "移动阶段“{name}”"),
    "change_phase_removed": ('removed phase "{name}"', "移除阶段“{name}”"),
    "change_paused": ("paused the plan", "暂停计划"),
    "change_reset": ("reset all tasks", "重置所有任务"),
    "change_undone": ("undid r{revision}", "撤销 r{revision}"),
    "change_prose": ("changed your notes", "修改备注"),
    "change_finding": ('changed finding "{name}"', "修改发现“{name}”"),
    "change_finding_removed": ("removed finding {finding}", "移除发现 {finding}"),
    "change_errors": ("changed the list of errors", "修改错误列表"),
    "change_deliverable": ("changed the result of the plan", "修改计划的成果"),
    "edit_asked": (
        (
            "{name} was changed while {tool} ran; what only a person may change waits for your "
            "answer"
        ),
        "{name} 在 {tool} 运行期间被修改；其中只有人才能做的更改正等待您的答复",
    ),
    "edit_question": (
        (
            "{name} was changed while the agent's {tool} ran:\n{lines}\n"
            "Did you make this change? yes / no"
        ),
        "{name} 在智能体的 {tool} 运行期间被修改：\n{lines}\n是您做的更改吗？是 / 否",
    ),
    "edit_held_back": (
        "tasks that it would remove: {removed}; tasks that it would reopen: {reopened}",
        "将被移除的任务：{removed}；将被重新打开的任务：{reopened}",
    ),
    "edit_cut": (
        "it ends early, after: {line_text}; missing tasks: {removed}",
        "文件提前结束，最后一行：{line_text}；缺少的任务：{removed}",
    ),
    "edit_unmerged": ("line {line}: merge conflict markers", "第 {line} 行：有合并冲突标记"),
    "edit_question_file": (
        (
            "{name} was changed while the agent's {tool} ran, and the change looks like a "
            "mistake:\n{lines}\nDid you make this change? yes / no"
        ),
        (
            "{name} 在智能体的 {tool} 运行期间被修改，而且看起来像是失误：\n{lines}\n"
            "是您做的更改吗？是 / 否"
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
            "您的版本另存为新条目或文件副本"
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
    "notes_unmerged": (
        (
            "{name}, line {line}: merge conflict markers; nothing of the file was applied: the "
            "plan has what both sides noted before"
        ),
        "{name} 第 {line} 行：有合并冲突标记；未应用此文件的任何内容：计划已包含双方此前的记录",
    ),
    "notes_newer": (
        "{name}: {titles} may have been added after you opened the file: kept",
        "{name}：{titles} 可能是在您打开文件之后加入的：予以保留",
    ),
    "findings_total": ("Total findings: {count}", "发现总数：{count}"),
    # task_plan.md
    "task_plan_line": (
        "task_plan.md, line {line}: could not be parsed, left in place: {line_text}",
        "task_plan.md 第 {line} 行：无法解析，原样保留：{line_text}",
    ),
    "task_plan_box": (
        (
            "task_plan.md, line {line}: unknown box, the task keeps its status; write [x], [ ], "
            "[-] for skipped or [~] for started: {line_text}"
        ),
        (
            "task_plan.md 第 {line} 行：无法识别的复选框，任务状态不变；"
            "请写 [x]、[ ]、[-]（跳过）或 [~]（进行中）：{line_text}"
        ),
    ),
    "task_plan_name": (
        "task_plan.md, line {line}: no valid name, the task keeps its own: {line_text}",
        "task_plan.md 第 {line} 行：没有有效的名称，任务沿用原名：{line_text}",
    ),
    "task_plan_nested": (
        (
            "task_plan.md, line {line}: tasks have no levels; this one stands below the task above "
            "it, on the same level: {line_text}"
        ),
        "task_plan.md 第 {line} 行：任务不分层级；此任务排在上一任务之后，与它同级：{line_text}",
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
            "您写的内容作为注释保留：{line_text}"
        ),
    ),
    "task_plan_assumed": (
        (
            "task_plan.md, line {line}: only Outlast marks a completion as assumed; what you wrote "
            "is kept as a comment: {line_text}"
        ),
        (
            "task_plan.md 第 {line} 行：只有 Outlast 会把完成标为推定；"
            "您写的内容作为注释保留：{line_text}"
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
            "您写的内容作为注释保留：{line_text}"
        ),
    ),
    "task_plan_task_removed": (
        (
            "task_plan.md, line {line}: task {task_id} has been removed since; what you wrote is "
            "kept as a comment: {line_text}"
        ),
        "task_plan.md 第 {line} 行：任务 {task_id} 已被移除；您写的内容作为注释保留：{line_text}",
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
            "task_plan.md was not applied; tasks that it would remove: {removed}; tasks that it "
            "would reopen: {reopened}; restore their lines, or confirm as a person: outlast "
            "accept --yes{as_person}"
        ),
        (
            "未应用 task_plan.md；将被移除的任务：{removed}；将被重新打开的任务：{reopened}；"
            "请恢复相应的行，或由人确认：outlast accept --yes{as_person}"
        ),
    ),
    "task_plan_cut": (
        (
            "task_plan.md was not applied: it ends early, after: {line_text}; missing tasks: "
            "{removed}; save the whole file again, or confirm as a person: outlast accept "
            "--yes{as_person}"
        ),
        (
            "未应用 task_plan.md：文件提前结束，最后一行：{line_text}；缺少的任务：{removed}；"
            "请重新保存完整文件，或由人确认：outlast accept --yes{as_person}"
        ),
    ),
    "task_plan_foreign": (
        (
            "task_plan.md shows another history of this plan (r{revision} {mark}); only its new "
            "tasks were added; make the other changes again in the new file"
        ),
        (
            "task_plan.md 显示的是此计划的另一段历史（r{revision} {mark}）；只添加了其中的新任务；"
            "其他更改请在新文件中重新修改"
        ),
    ),
}
