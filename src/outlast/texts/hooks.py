"""Hooks."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "hook_plan": ("Plan: {title}", "计划：{title}"),
    "hook_objective": ("Objective: {objective}", "目标：{objective}"),
    "hook_progress": ("Progress: {done}/{total}", "进度：{done}/{total}"),
    "hook_current": ("Current task:", "当前任务："),
    "hook_phase": ("Phase: {phase}", "阶段：{phase}"),
    "hook_step": ("Step: {step}", "步骤：{step}"),
    "hook_continue": ("Please continue from where you left off.", "请从上次中断的地方继续。"),
    "hook_paused": (
        "It is paused: leave it alone until the user says to continue.",
        "计划已暂停：在用户说继续之前不要动它。",
    ),
    "hook_found": ("Found existing plan: {title}", "发现已有计划：{title}"),
    "hook_failures": ("Previous failures with {tool}:", "{tool} 之前的失败："),
    "hook_failure": ("- {message} ({count} times)", "- {message}（{count} 次）"),
    "hook_avoid": ("Avoid repeating these mistakes.", "避免重复这些错误。"),
    "hook_views": (
        (
            "You've performed {count} view operations. Consider saving important findings to "
            "findings.md before continuing."
        ),
        "你已执行 {count} 次查看操作。继续之前，请考虑把重要发现保存到 findings.md。",
    ),
    "hook_written": (
        "File operation completed. Consider updating task_plan.md status if a step was completed.",
        "文件操作已完成。如果某个步骤已完成，请考虑更新 task_plan.md 中的状态。",
    ),
    "hook_strikes": (
        (
            "This error has occurred {count} times!\n"
            "You must try a DIFFERENT approach. Do not repeat the same action.\n"
            "Consider:\n"
            "1. Checking error history in errors.md\n"
            "2. Re-reading the task_plan.md for alternative approaches\n"
            "3. Asking the user for guidance"
        ),
        (
            "这个错误已经出现 {count} 次！\n"
            "你必须换一种不同的做法，不要重复同样的操作。\n"
            "可以考虑：\n"
            "1. 查看 errors.md 中的错误历史\n"
            "2. 重读 task_plan.md，寻找其他做法\n"
            "3. 向用户请教"
        ),
    ),
    # the same in our own loop, whose model has the plan's tools
    "hook_views_tools": (
        (
            "You've performed {count} view operations. Consider saving important findings with "
            "{note} before continuing."
        ),
        "你已执行 {count} 次查看操作。继续之前，请考虑用 {note} 保存重要发现。",
    ),
    "hook_written_tools": (
        "File operation completed. If the current step is done, call {complete} with its result.",
        "文件操作已完成。如果当前步骤已完成，请调用 {complete} 并写明结果。",
    ),
    "hook_strikes_tools": (
        (
            "This error has occurred {count} times!\n"
            "You must try a DIFFERENT approach. Do not repeat the same action.\n"
            "Consider:\n"
            '1. Checking the error history: {details}(about="errors")\n'
            "2. Re-reading the plan for alternative approaches: {read}\n"
            "3. Giving the step up, with the reason: {fail}"
        ),
        (
            "这个错误已经出现 {count} 次！\n"
            "你必须换一种不同的做法，不要重复同样的操作。\n"
            "可以考虑：\n"
            '1. 查看错误历史：{details}(about="errors")\n'
            "2. 重读计划，寻找其他做法：{read}\n"
            "3. 放弃这一步，并说明原因：{fail}"
        ),
    ),
    "hook_repeated": (
        (
            "This call of {tool} has failed {count} times. Do not repeat it. Send other "
            "arguments, use another tool, or go on without it."
        ),
        "{tool} 的这个调用已失败 {count} 次。不要重复。请换别的参数、换别的工具，或者跳过它继续。",
    ),
    "hook_struck": (
        (
            "{tool} with these parameters has failed too often in the same way and was not run "
            "again.\n"
            "You must try a DIFFERENT approach: send other arguments, use another tool, or go on "
            "without it."
        ),
        (
            "{tool} 用这些参数已多次以同样的方式失败，这次没有再执行。\n"
            "你必须换一种不同的做法：换别的参数、换别的工具，或者跳过它继续。"
        ),
    ),
    "hook_struck_notice": (
        (
            "{tool} keeps failing in the same way and is now refused; allow it again with `outlast "
            "note --error {tool} --allow{common}`"
        ),
        (
            "{tool} 一再以同样的方式失败，现已拒绝；重新允许：`outlast note --error {tool} "
            "--allow{common}`"
        ),
    ),
    "hook_unknown_error": ("Unknown error", "未知错误"),
    "hook_incomplete": ("WARNING: Plan is not complete!", "警告：计划尚未完成！"),
    "hook_items": ("Incomplete items:", "未完成的项目："),
    "hook_complete_all": (
        "Please complete all tasks or explicitly mark them as skipped before stopping.",
        "停止之前，请完成所有任务，或明确将其标记为跳过。",
    ),
    "hook_verify": ("Plan incomplete - verification required", "计划未完成，需要确认"),
    "hook_refused": (
        "The call was refused before it ran; the reason, if any, follows",
        "调用在执行前被拒绝；若有原因，见下文",
    ),
    "hook_failed": (
        "The hook {name} failed ({problem}) and was skipped; see the log for details",
        "钩子 {name} 出错（{problem}），已跳过；详情见日志",
    ),
    "hook_failed_refused": (
        "The hook {name} failed ({problem}), so the call was refused; see the log for details",
        "钩子 {name} 出错（{problem}），因此拒绝了该调用；详情见日志",
    ),
    "hook_signature": (
        "{argument}: {name} is no hook: it must take (context, plan) and be no generator",
        "{argument}：{name} 不是钩子：它须接受 (context, plan)，且不能是生成器",
    ),
    "hook_missing": (
        "no entry point in outlast.hooks is named {name}; available: {known}",
        "outlast.hooks 中没有名为 {name} 的入口点；可用：{known}",
    ),
}
