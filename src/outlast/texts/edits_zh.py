"""What people read about files that they edit, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # 人们编辑的文件
    "view_failed": "{where}：视图未能写入（{problem}）；计划是安全的",
    "view_put_aside": "{name} 曾被他人更改；其内容已另存为 {kept}",
    "edit_refused": "{name} 第 {line} 行：未采纳（{problem}）：{said}",
    "edit_waits": "{name} 已被编辑，但尚未能采纳（{problem}）；文件保持原样",
    "edit_taken": "已采纳 {name} 中的 {count} 处更改",
    "edit_more": "{name}：另有 {count} 条提示未显示",
    "view_odd": "{name} 不是普通文件或过大：已原样保留，未重新写出",
    "view_damaged": "{name} 无法读取，已另存为 {kept}；文件已重新写出",
    # 任务之外的记录
    "note_line_unknown": "{name} 第 {line} 行：无法采纳；编辑后的文件已保留",
    "note_category_unknown": "{name} 第 {line} 行：没有这个类别；应为以下之一：{choices}",
    "note_clash": "{name} 第 {line} 行：{title} 也被他人改动；两者都已保留",
    "note_kept": "{name}：{title} 予以保留，因为其间他人改动了它",
    "notes_gone": "{name}：缺少 {count} 个条目；一次最多取出 {limit} 个，因此全部保留",
    "notes_blank": "{name} 被清空；全部 {count} 个条目予以保留",
    "notes_newer": "{name}：{titles} 是最后加入的，可能在您打开文件之后才加入：予以保留",
    "findings_total": "发现总数：{count}",
    # 编辑过的 task_plan.md
    "plan_md_line": "task_plan.md 第 {line} 行：无法理解，原样保留：{said}",
    "plan_md_run_twice": (
        "task_plan.md 第 {line} 行：一个任务只有一行 run；此行作为注释保留：{said}"
    ),
    "plan_md_unmerged": (
        "task_plan.md 第 {line} 行：文件的两个版本尚未合并；去掉冲突标记后即予采纳"
    ),
    "plan_md_unclosed": "task_plan.md 第 {line} 行：此处开始的块没有结束，按普通行处理：{said}",
    "plan_md_conflict": (
        "task_plan.md 第 {line} 行：{what} 也被他人修改；以他人的为准，"
        "您写的内容作为注释保留：{said}"
    ),
    "plan_md_box_icon": "task_plan.md 第 {line} 行：复选框与图标不一致，任务保持原状：{said}",
    "plan_md_reference": (
        "task_plan.md 第 {line} 行：没有或不止一个任务叫 {unknown}；您写的内容作为注释保留：{said}"
    ),
    "plan_md_gone": (
        "task_plan.md 第 {line} 行：任务 {task_id} 已被他人移除；您写的内容作为注释保留：{said}"
    ),
    "plan_md_id_unknown": "task_plan.md 第 {line} 行：此处没有任务 {id}，该行视为新任务",
    "plan_md_id_twice": "task_plan.md 第 {line} 行：另有一行也用了任务 {id} 的编号，该行视为新任务",
    "plan_md_hidden": ("任务 {task_id} 在 task_plan.md 中没有自己的行，但其他文字提到它：予以保留"),
    "plan_md_missing": "任务 {task_id} 在 task_plan.md 中没有行，但无从得知该文件的来历：予以保留",
    "plan_md_missing_changed": (
        "任务 {task_id} 在 task_plan.md 中已没有行，但其间被他人修改过：予以保留"
    ),
    "plan_md_asked": (
        "未采纳 task_plan.md：这些任务将被移除：{removed}；这些将重新打开：{reopened}；"
        "请改正相应的行，或说明确实如此（outlast help accept）"
    ),
}
