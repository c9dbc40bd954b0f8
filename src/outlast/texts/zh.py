"""What people read, in Chinese."""

from __future__ import annotations

from typing import Final

from outlast.texts.command_line_zh import TEXTS as COMMAND_LINE
from outlast.texts.edits_zh import TEXTS as EDITS
from outlast.texts.proof_zh import TEXTS as PROOF

TEXTS: Final = {
    # 参数
    "wrong_type": "{argument}：应为{expected}，实际是{got}",
    "not_a_choice": "{argument}：应为以下之一：{choices}",
    "not_a_task_id": '{argument}：应为任务编号，例如 3、"3" 或 "step_3"',
    "name_blank": "{argument}：不能为空白",
    "name_too_long": "{argument}：最多 {limit} 个字符，实际 {length} 个",
    "too_many": "{argument}：最多 {limit} 个，实际为 {count} 个",
    "pattern_outside": (
        "{argument}：{pattern} 指向工作区之外，那里不会被查看；请给出从工作区根目录起的路径"
    ),
    "only_a_person": "{argument}：只有人（{person}）才能这样要求",
    "not_a_person_check": "{argument}：任务 {task_id} 没有这样一项由人确认的检查",
    "finding_not_found": "{argument}：没有发现 {finding}",
    "name_not_one_line": "{argument}：只能是一行，不能含换行",
    "text_too_long": "{argument}：最多 {limit} 字节（UTF-8），实际 {length} 字节",
    "lone_surrogate": (
        "{argument}：应为有效的 Unicode，位置 {position}（从 0 算起）处是孤立的代理码位"
    ),
    "bad_progress": "{argument}：应为整数，且 0 <= current <= total、total > 0",
    "bad_number": "{argument}：应为 {least} 到 {limit} 之间的整数",
    "not_an_attempt_id": "{argument}：应为尝试的编号，例如 3#1",
    "undo_alone": "{argument}：撤销必须单独提交",
    "bad_retries": "{argument}：应为 0 到 {limit} 的整数",
    "argument_missing": "{argument}：缺少该参数；{tool} 的参数为 {takes}",
    "argument_unknown": "{argument}：未知参数；{tool} 的参数为 {takes}",
    "argument_twice": "{argument}：重复给出；{tool} 的参数为 {takes}",
    "arguments_too_many": "{tool} 的参数为 {takes}；实际给了 {got} 个",
    "field_unknown": "{argument}：未知字段；可用的有 {takes}",
    "field_missing": "{argument}：缺少该字段",
    "nothing_to_update": "{argument}：至少要有以下之一：{takes}",
    "name_twice": "{argument}：有两个任务都叫 {name}；请改用编号指明依赖",
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
    "nothing": "无",
    "status_idle": "空闲",
    "status_running": "运行中",
    "status_paused": "已暂停",
    "status_aborted": "已中止",
    "status_pending": "待执行",
    "status_in_progress": "进行中",
    "status_completed": "已完成",
    "status_failed": "已失败",
    "status_skipped": "已跳过",
    "status_blocked": "受阻",
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
    "checks_under_way": (
        "任务 {task_id} 的状态为 {status}：此时不能更改它要通过的检查；请先把它交还"
    ),
    "task_already": "任务 {task_id} 的状态已是 {status}",
    "task_failed": "任务 {task_id} 已失败；请先重新打开",
    "task_not_ended": "任务 {task_id} 的状态为 {status}；只有失败或已结束的任务才能重新打开",
    "task_blocked": "任务 {task_id} 被未完成的依赖阻塞：{unmet_dependencies}",
    "task_not_its_turn": "任务 {task_id} 需要等待：任务 {waits_for} 在它之前",
    "task_not_in_progress": "任务 {task_id} 的状态是 {status}；目前无人在执行",
    "task_claimed": "任务 {task_id} 已由 {holder} 认领，至 {until}；请换一个任务或等待",
    "claim_lost": "任务 {task_id} 的认领 {token} 已失效；请停止执行并重新认领",
    "plan_claimed": "另一个执行者 {holder} 正在执行此计划，至 {until}；请等它结束",
    "plan_claim_lost": "计划的认领 {token} 已失效：可能已由另一个执行者接手",
    "attempt_not_open": "尝试 {attempt} 不是进行中：从未开始或已经结束",
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
    "plan_moved_on": "计划在此期间已更改（{at}，现为 {revision}）；请查看后再撤销",
    "cannot_undo_creation": "计划始于版本 {revision}；无法撤销",
    "nothing_to_undo": "没有可撤销的内容",
    "cannot_undo_since": (
        "版本 {revision} 已无法撤销：{what} 此后又有更改，最近一次在版本 {by}；请先撤销该版本"
    ),
    "already_undone": "版本 {revision} 已被版本 {by} 撤销；撤销版本 {by} 即可恢复",
    "only_facts": "版本 {revision} 只含事实，例如认领、尝试或笔记；事实不会被撤销",
    "plan_of_the_past": "这是计划在版本 {revision} 时的样子；不能更改",
    "no_past": "没有保留计划在版本 {revision} 时的样子",
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
    "document_unmerged": "{where}：文件的两个版本尚未合并；请先选定一个",
    "document_id_twice": "{where}：编号 {id} 重复出现",
    "document_unknown_field": "{where}：未知字段",
    "document_bad_time": "{where}：应为时间，例如 2024-01-01T00:00:00Z",
    "document_field_twice": "{where}：该字段重复出现",
    "document_too_deep": "{where}：嵌套超过 {limit} 层",
    "document_too_large": "{where}：超过 {limit} 字节",
    "document_not_text": "{where}：应为 UTF-8 文本，第 {offset} 字节处不是",
    "document_no_file": "{where}：应为普通文件",
    "document_no_plan": "{where}：其中没有计划，既没有目标也没有任务",
    # 计划的保存
    "no_directory": "没有目录 {where}",
    "which_plan": "有 {count} 个未结束的计划；请指定其一：{candidates}",
    "no_open_plan": "这里没有未结束的计划；现有：{candidates}",
    "plan_not_found": "{where} 处没有计划；现有：{candidates}",
    "no_plan_there": "{where} 处没有计划",
    "plan_exists_already": "{where} 处已有计划；请打开它，或换一个键",
    "unsuitable_file_system": (
        "{where} 所在的文件系统（{kind}）无法在多台机器之间可靠加锁；请选择本地目录"
    ),
    "no_locks": "{where} 所在的文件系统不支持锁；请选择本地目录",
    "newer_format": "文件格式为 {found}，当前 Outlast 最高支持 {known}；请升级 Outlast",
    "journal_without_header": (
        "{path} 的开头不是日志；文件保持原样；`outlast doctor --mend` 会在其中寻找计划"
    ),
    "journal_damaged": (
        "{path} 在第 {offset} 字节处损坏，其后还有完好的行；计划只能读到该处，不会被更改；"
        "`outlast doctor --mend` 会保留该文件，并用其中完好的内容继续"
    ),
    "journal_not_whole": (
        "{path} 在结尾之前已损坏；`outlast doctor --mend` 会保留原文件，并用其中完好的内容继续"
    ),
    "journal_unreadable": "{path}：无法读取其中任何内容；文件保持原样",
    "journal_mended": (
        "{where}：新日志包含 {kept_commits} 个完好的提交；{lost_commits} 个无法读取或不再适用；"
        "损坏的文件已保留：{kept}"
    ),
    "row_damaged": (
        "{path}：计划 {key} 的第 {row} 个提交已损坏；计划只能读到该处，不会被更改；"
        "`outlast doctor --mend sqlite:///{path}` 会保留该数据库，并用其中完好的内容继续"
    ),
    "database_mended": (
        "{where}：计划 {key} 用 {kept_commits} 个完好的提交继续；"
        "{lost_commits} 个无法读取或不再适用；损坏的数据库已保留：{kept}"
    ),
    "log_without_database": (
        "{where} 属于一个已不在其旁的数据库，保持原样；请放回该数据库，或将此文件移到别处"
    ),
    "database_damaged": "{path}：{problem}；文件保持原样；请保留它，并换上它的完好副本",
    "not_a_database": "{where} 不是计划的数据库；文件保持原样；请换一个文件",
    "no_plain_file": "{where} 不是普通文件；计划的数据库不能是链接或设备",
    "database_locked": "{where}：另一个程序一直锁着数据库；计划保持原样，请重试",
    "store_inherited": "{where}：本进程是在父进程使用数据库时派生的；请在单独的进程中打开计划",
    "bad_database_url": (
        "{value} 不是数据库地址：sqlite:///文件 是当前目录中的文件，"
        "sqlite:////目录/文件 是任意位置的文件，其后都没有别的内容"
    ),
    "write_failed": "{where}：{problem}；计划保持原样，问题解决后请重试",
    "not_writable": "{where}：没有写权限；计划只能读取",
    "store_failed": "{where}：{problem}；没有任何更改，问题解决后请重试",
    "no_plan_yet": '{where} 及其上级目录中没有计划；用 outlast new "目标" 新建一个',
    "store_busy": "{where}：计划的文件正被反复替换；请重试",
    "write_unknown": "{where}：{problem}；更改是否已保存，重新读取计划后可知",
    "plan_went_back": "{where}：日志被他人从修订 {before} 退回到 {now}",
    "not_mended": "{where}：无法清理中断的写入留下的内容（{problem}）",
    "snapshot_failed": "{where}：无法写入快照（{problem}）；打开计划会更慢",
    "tail_cut": "有一行 {bytes} 字节的未写完内容，已另存为 {kept}",
    "leftover_removed": "已移除一个未写完的文件：{name}",
    "plan_not_ended": "计划状态为 {status}；只有已结束的计划才能归档",
    # 会话的计划
    "no_plan_exists": "没有计划",
    "no_such_phase": "未找到阶段 {phase}",
    "no_such_step": "未找到步骤 {task_id}",
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
    # 循环，给人看
    # 循环，给模型看
    # 工具与模型
    "path_outside": "{path}：应为工作区内的文件路径",
    "path_of_plans": "{path}：计划的文件只能由计划自己的工具修改",
    "not_a_file": "{path}：应为普通文件",
    "file_too_large": "{path}：超过 {limit} 字节",
    "file_not_text": "{path}：应为 UTF-8 文本",
    "file_failed": "{path}：系统拒绝（{problem}）",
    "content_too_large": "content：最多 {limit} 字节 UTF-8，实际 {size}",
    "script_exhausted": "脚本的 {turns} 个回合都不符合当前对话",
    # 树
    "waits": "等待 {ids}",
    **PROOF,
    **EDITS,
    **COMMAND_LINE,
}
