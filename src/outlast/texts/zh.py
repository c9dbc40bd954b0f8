"""What people read, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # 参数
    "wrong_type": "{argument}：应为{expected}，实际是{got}",
    "not_a_choice": "{argument}：应为以下之一：{choices}",
    "not_a_task_id": '{argument}：应为任务编号，例如 3、"3" 或 "step_3"',
    "name_blank": "{argument}：不能为空白",
    "name_too_long": "{argument}：最多 {limit} 个字符，实际 {length} 个",
    "name_not_one_line": "{argument}：只能是一行，不能含换行",
    "text_too_long": "{argument}：最多 {limit} 字节（UTF-8），实际 {length} 字节",
    "lone_surrogate": (
        "{argument}：应为有效的 Unicode，位置 {position}（从 0 算起）处是孤立的代理码位"
    ),
    "bad_progress": "{argument}：应为整数，且 0 <= current <= total、total > 0",
    "bad_retries": "{argument}：应为 0 到 {limit} 的整数",
    "argument_missing": "{argument}：缺少该参数；{tool} 的参数为 {takes}",
    "argument_unknown": "{argument}：未知参数；{tool} 的参数为 {takes}",
    "argument_twice": "{argument}：重复给出；{tool} 的参数为 {takes}",
    "arguments_too_many": "{tool} 的参数为 {takes}；实际给了 {got} 个",
    "field_unknown": "{argument}：未知字段；可用的有 {takes}",
    "field_missing": "{argument}：缺少该字段",
    "nothing_to_update": "{argument}：至少要有以下之一：{takes}",
    "name_twice": "{argument}：有两个任务都叫 {name}；请改用序号指明依赖",
    "tool_unknown": "{argument}：没有这个名字的工具；最接近的是 {nearest}",
    "id_twice": "{argument}：编号 {id} 重复出现",
    "phase_twice": "{argument}：有两个阶段编号相同",
    "after_itself": "{argument}：任务 {task_id} 不能排在自己后面",
    "after_in_other_phase": "{argument}：任务 {task_id} 属于另一个阶段（{phase}）",
    "phase_after_itself": "{argument}：阶段 {phase} 不能排在自己后面",
    "goal_of_other_plan": "{argument}：给定的计划已有目标",
    "create_alone": "{argument}：创建计划必须单独提交",
    "key_reused": "{argument}：{key} 已用于另一个命令",
    "commit_in_question": "回答有关计划的问题时不能更改计划",
    "type_string": "字符串",
    "type_integer": "整数",
    "type_number": "数字",
    "type_boolean": "布尔值",
    "type_array": "数组",
    "type_object": "对象",
    "type_null": "空值",
    "type_task id": "任务编号",
    # 查找
    "task_not_found": "找不到编号为 {task_id} 的任务",
    "phase_not_found": "找不到阶段 {phase}；现有：{known}",
    # 依赖
    "dependency_unknown": "{argument}：没有任务 {unknown}",
    "dependency_later": "任务 {task_id} 依赖排在后面的 {later}；在顺序计划中它永远无法执行",
    "cycle": "循环依赖：{cycle}；请去掉其中一个依赖",
    "task_needed": (
        "任务 {task_id} 不能移除：{dependents} 依赖它；请先更改它们的依赖，或跳过该任务"
    ),
    # 任务状态
    "task_not_editable": "任务 {task_id} 不能编辑：状态为 {status}；只有待执行或失败的任务可以编辑",
    "task_not_removable": "任务 {task_id} 不能移除：状态为 {status}；请改为跳过它",
    "task_already": "任务 {task_id} 的状态已是 {status}",
    "task_failed": "任务 {task_id} 已失败；请先重新打开",
    "task_not_ended": "任务 {task_id} 的状态为 {status}；只有失败或已结束的任务才能重新打开",
    "task_blocked": "任务 {task_id} 被未完成的依赖阻塞：{unmet_dependencies}",
    "task_not_its_turn": "任务 {task_id} 需要等待：任务 {waits_for} 在它之前",
    "actor_busy": "任务 {task_id} 正在进行中；结束它之后才能开始下一个",
    "nothing_left": "所有任务都已结束",
    "nothing_ready_waiting": "暂时没有可开始的任务：正在等待 {ids}",
    "nothing_ready_failed": "没有可开始的任务：{ids} 已失败；请重新打开或跳过它们",
    # 阶段状态
    "phase_not_empty": "阶段 {phase} 不能移除：其中还有任务 {tasks}",
    "phase_last": "阶段 {phase} 不能移除：它是唯一的阶段",
    # 计划状态
    "plan_empty": "计划中没有任务；请先添加",
    "plan_paused": "计划已暂停；请先恢复",
    "plan_aborted": "计划已中止；重新打开或添加任务即可继续",
    "plan_exists": "计划 {plan} 已存在",
    "plan_unfinished": "计划状态为 {status}，还有未完成的任务；请直接添加任务",
    "plan_cannot_pause": "计划状态为 {status}；只有空闲或运行中的计划可以暂停",
    "plan_cannot_resume": "计划状态为 {status}；只有已暂停的计划可以恢复",
    "plan_cannot_abort": "计划状态为 {status}；只有未结束的计划可以中止",
    # 外来文档
    "document_wrong_type": "{where}：应为{expected}，实际是{got}",
    "document_missing": "{where}：缺少该字段",
    "document_not_json": "{where}：应为 JSON 能表达的内容，实际情况：{got}",
    "document_bad_choice": "{where}：应为以下之一：{choices}",
    "document_negative": "{where}：不能为负数",
    "document_unknown_task": "{where}：没有编号为 {task_id} 的任务",
    "document_id_twice": "{where}：编号 {id} 重复出现",
    "document_unknown_field": "{where}：未知字段",
    "document_bad_time": "{where}：应为时间，例如 2024-01-01T00:00:00Z",
    # 工具的回答
    "started": "已开始任务 {task_id}：{name}",
    "completed": "任务已完成",
    "retried": "任务失败，将重试",
    "failed": "任务失败",
    "added": "任务已添加",
    "updated": "任务已更新",
    "skipped": "任务已跳过：{reason}",
    "removed": "任务已移除",
    "reopened": "任务已重新打开",
    "initialized": "计划已初始化",
    "paused": "计划已暂停",
    "resumed": "计划已恢复",
    "reset": "计划已重置",
    # 树
    "waits": "等待 {ids}",
    # 命令行
    "usage": (
        "Outlast {version}：比上下文窗口更持久的计划。\n"
        "\n"
        "在 Python 中使用：\n"
        "    from outlast import PlanManager\n"
        "\n"
        "选项：\n"
        "    --version  显示版本\n"
        "    --help     显示本说明\n"
        "    --lang     en 或 zh（也可用 OUTLAST_LANG）"
    ),
    "command_unknown": "outlast：未知命令 {command}；请尝试：outlast --help",
    "language_unknown": "outlast：--lang 的取值为 {choices}",
}
