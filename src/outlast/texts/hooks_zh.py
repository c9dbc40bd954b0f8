"""What people and models read about hooks, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "hook_plan": "计划：{title}",
    "hook_objective": "目标：{objective}",
    "hook_progress": "进度：{done}/{total}",
    "hook_current": "当前任务：",
    "hook_phase": "阶段：{phase}",
    "hook_step": "步骤：{step}",
    "hook_continue": "请从上次中断的地方继续。",
    "hook_paused": "计划已暂停：在用户说继续之前不要动它。",
    "hook_found": "发现已有计划：{title}",
    "hook_failures": "{tool} 之前的失败：",
    "hook_failure": "- {message}（{count} 次）",
    "hook_avoid": "避免重复这些错误。",
    "hook_views": "你已执行 {count} 次查看操作。继续之前，请考虑把重要发现保存到 findings.md。",
    "hook_written": "文件操作已完成。如果某个步骤已完成，请考虑更新 task_plan.md 中的状态。",
    "hook_strikes": (
        "这个错误已经出现 {count} 次！\n"
        "你必须换一种不同的做法，不要重复同样的操作。\n"
        "可以考虑：\n"
        "1. 查看 errors.md 中的错误历史\n"
        "2. 重读 task_plan.md，寻找其他做法\n"
        "3. 向用户请教"
    ),
    "hook_struck": (
        "{tool} 用这些参数已多次以同样的方式失败，这次没有再执行。\n"
        "你必须换一种不同的做法，或者向用户请教。"
    ),
    "hook_struck_told": (
        "{tool} 一再以同样的方式失败，已被拒绝；`outlast note --error {tool} --allow` 可再次允许"
    ),
    "hook_unknown_error": "未知错误",
    "hook_incomplete": "警告：计划尚未完成！",
    "hook_items": "未完成的项目：",
    "hook_complete_all": "停止之前，请完成所有任务，或明确将其标记为跳过。",
    "hook_verify": "计划未完成，需要确认",
    "hook_refused": "调用在执行前被拒绝；若有原因，见下文",
    "hook_failed": "钩子 {name} 出错（{problem}），已略过；详情见日志",
    "hook_missing": "没有名为 {name} 的入口点 outlast.hooks；可用的有：{known}",
}
