"""What people and models read about a loop and its plan, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "loop_completed": "计划已完成：{done}/{total} 步",
    "loop_failed": "计划失败：{done}/{total} 步已完成，其余步骤都无法执行",
    "loop_paused": "计划已暂停；请先恢复，再运行循环",
    "loop_limit": "任务执行中（{done}/{total} 步已完成）。输入'继续'以恢复执行。",
    "loop_unsettled": (
        "尝试 {attempt} 被中断，无人知道它是否执行过：{what}。请查看后回答：完成，或没有"
    ),
    "loop_model_failed": "模型失败：{problem}",
    "loop_cancelled": "循环已取消",
    "call_broken_off": "已中断",
    "loop_overtaken": "另一个执行者已接手此计划；本循环已停止",
    "loop_limit_unplanned": "已停止：用完 {count} 次迭代。说明接下来做什么即可继续。",
    "loop_budget": "{problem}。然后输入'继续'以恢复执行。",
    "loop_waiting": "有一个问题等待回答：{question}",
    "loop_dropped": "当前任务已取消",
    "nothing_to_cancel": "没有可取消的任务",
    "loop_slow": "此步骤已用 {count} 次迭代：{task}",
    "loop_let_go": (
        "智能体已停下，但计划尚未完成：{done}/{total} 步已完成。输入'继续'以恢复执行。"
    ),
    "loop_help": (
        "/plan 显示计划，/cancel 放弃当前任务，/help 显示此说明。"
        "“继续”恢复已暂停的计划，“还没完成”重新打开最近完成的步骤；其他内容会转达给智能体。"
    ),
    "unknown_command": "没有命令 /{command}；现有：/plan、/cancel、/help",
    "block_head": "当前任务规划信息：",
    "block_goal": "- 目标: {goal}",
    "block_progress": "- 步骤进度: {current}/{total}",
    "block_empty": "- 还没有步骤。要做的事多时，请先声明步骤；要求的都已做完时，请直接回答用户。",
    "block_next": (
        "看看用户要求什么、工具已经返回什么。然后做还缺的那一步；如果不缺，就告诉用户已经完成。"
    ),
    "block_closing": "所有步骤都已完成：请用几句话告诉用户结果。",
    "block_foot": (
        "你可以使用以下格式声明新步骤：\n[Step] 步骤描述\n完成当前步骤后，系统会自动推进到下一步。"
    ),
    "summary_goal": "当前任务: {goal}",
    "summary_progress": "进度: {done}/{total} 步已完成",
    "summary_step": "当前步骤: {id}. {name}",
    "summary_no_step": "当前步骤: 无",
    "summary_iterations": "已用迭代: {used}/{limit}",
    "summary_steps": "历史步骤:",
    "summary_hidden": "（另有 {count} 步）",
    "step_running": "(进行中)",
    "step_waiting": "(待执行)",
    "already_done": "此步骤中已经完成：{what}",
    "settled_done": "曾被中断，已经完成：{what}",
    "settled_not_done": "曾被中断，没有完成：{what}",
    "answered_question": "问：{question} 答：{answer}",
    "check_refused": "步骤 {id}（{name}）还不算完成：",
    "step_reopened": "用户说步骤 {id} 还没完成：需要继续做。",
    "too_many_declared": "声明的步骤只加入了前 {limit} 个，另有 {count} 个没有加入；请稍后再声明。",
    "result_tools": "工具：{tools}",
    "question_blank": "问题为空",
    "resuming": "[恢复任务] {summary}",
    "instruction": "用户指令: {text}",
    "call_failed": "失败：{problem}",
    "call_not_run": "未执行：在此之前计划已结束或已暂停",
    "call_cut": "（另有 {count} 个字符被截去）",
    "call_unread": "有一个工具调用未执行：它的参数不是 JSON 对象。请用正确的参数再次调用该工具。",
    "tool_not_offered": "没有这个工具；现有：{takes}",
    "tool_missing": "工具 {tool} 无法在此运行",
    "degraded": "计划无法再使用，因此不带计划继续工作：{problem}",
    "budget_warning": "预算已用 {percent} %",
    "model_busy_again": "模型繁忙或无法连接；{seconds} 秒后再次请求",
    "time_used_up": "预算剩余的 {seconds} 秒已用完，正在进行的已中断。提高预算后可继续",
    "model_too_slow": "模型用时超过 {seconds} 秒",
    "tool_too_slow": "工具用时超过 {seconds} 秒，已被中断；请查看它已经做了什么",
    "reply_too_large": "模型的回复超过 {limit} 个字符",
    "reply_wrong": "模型的回复不符合要求的格式（{problem}）",
    "loop_runs_already": "该代理已在工作；请等它停下",
    "price_unknown": (
        "{argument}：无人知道 {model} 的价格，因此以美元设限无法保证。"
        "请在 `prices` 下设置其价格，或限制 token 数"
    ),
    "out_of_budget": (
        "预算不足：{what} 可能需要 {needs}，上限 {limit} 中已用或已预留 {used}。提高预算后可继续"
    ),
    "out_of_task_budget": (
        "任务 {task} 的预算不足：{what} 可能需要 {needs}，上限 {limit} 中已用或已预留 {used}。"
        "提高预算后可继续"
    ),
    "bad_amount": "{argument}：应为 0 到 {limit} 之间的数",
    "too_many_questions": "已有 {limit} 个问题待回答；请先回答一些",
    "too_many_said": "已有 {limit} 条留言在等待循环；请先让它运行",
    "no_open_question": "没有待回答的问题",
    "question_not_found": "{argument}：没有问题 {question}",
    "question_answered": "问题 {question} 已经回答过",
    "not_a_settlement": "{argument}：请说明是否已经发生：{choices}",
}
