"""Checks and proof."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # why a task is not done
    "proof_needed": (
        "Task {task_id} is not done until its checks pass: {checks}",
        "任务 {task_id} 须先通过检查才算完成：{checks}",
    ),
    "proof_of_other_checks": (
        "Task {task_id}: the proof is for checks that have changed since; run the checks again",
        "任务 {task_id}：证明针对的是旧的检查；请重新运行检查",
    ),
    "check_failed": ("Task {task_id} is not done: {shows}", "任务 {task_id} 尚未完成：{shows}"),
    "checks_unknown": (
        "Nobody knows whether it is done, since a check gave no result, twice: {problem}",
        "检查两次都没有结果，无法得知任务是否完成：{problem}",
    ),
    "check_unknown": (
        (
            "Task {task_id}: nobody knows whether it is done: {shows}. Run the check again before "
            "anything is repeated"
        ),
        "任务 {task_id}：尚不清楚是否完成：{shows}。请先重新检查，不要直接重做",
    ),
    "tampered": (
        (
            "Task {task_id}: its {what} changed after it was claimed or started; review it, then "
            "accept it with `outlast check {task_id} --approve{as_person}`"
        ),
        (
            "任务 {task_id}：{what} 在认领或开始之后有改动；请由人查看，确认无误后运行 `outlast "
            "check {task_id} --approve{as_person}`"
        ),
    ),
    "not_seen_here": (
        (
            "Task {task_id}: its earlier state was recorded elsewhere (was the project moved or "
            "copied?) or by hand, not by Outlast here; review it, then accept it with `outlast "
            "check {task_id} --approve{as_person}`"
        ),
        (
            "任务 {task_id}：此前的状态不是由此处的 Outlast 记录的，"
            "而是来自别处（项目是否移动或复制过？）或手工写入；请由人查看，确认无误后运行 `outlast "
            "check {task_id} --approve{as_person}`"
        ),
    ),
    "check_not_approved": (
        (
            "Task {task_id} has checks that nobody has approved for this plan: {checks}; a person "
            "approves them with `outlast check {task_id} --approve{as_person}`"
        ),
        (
            "任务 {task_id} 的检查尚未获准在此计划中运行：{checks}；请由人用 `outlast check "
            "{task_id} --approve{as_person}` 批准"
        ),
    ),
    "check_stopped": (
        "The checks were interrupted; nothing was recorded",
        "检查已中断；没有记录任何结果",
    ),
    "no_checker": (
        "{argument}: this plan handle cannot run checks",
        "{argument}：此计划句柄无法运行检查",
    ),
    "state_home_failed": (
        (
            "{where}: {problem}; approvals, permissions and check results are stored there, or in "
            "XDG_STATE_HOME"
        ),
        "{where}：{problem}；批准、许可和检查结果保存在那里，或 XDG_STATE_HOME 指定的目录",
    ),
    "state_home_open": (
        (
            "{where}: other users can write there; approvals, permissions and check results are "
            "stored in it, so make it writable only by you"
        ),
        "{where}：其他用户也可以写入；批准、许可和检查结果保存在那里，请只允许自己写入",
    ),
    "permissions_damaged": (
        "{where} is damaged, so nothing that you allowed before counts: you are asked again",
        "{where} 已损坏，之前的许可都不算数：会重新询问您",
    ),
    "permissions_not_kept": (
        (
            "Allowed in this run only, because it contains a secret, has more than {longest:,} "
            "characters, or {most:,} are kept already: {what}"
        ),
        "只在本次运行中允许，因为含有机密、超过 {longest:,} 个字符，或已保存 {most:,} 条：{what}",
    ),
    "not_proved_here": (
        (
            "task {tasks}: recorded as proved, but not by Outlast here: the proof was made "
            "elsewhere (was the project moved or copied?) or written by hand; `outlast "
            "check{number}{common}` runs the checks again"
        ),
        (
            "任务 {tasks}：记录为已证明，但不是由此处的 Outlast 证明的："
            "证明来自别处（项目是否移动或复制过？）或手工写入；`outlast check{number}{common}` "
            "会重新检查"
        ),
    ),
    # results of checks
    "outcome_passed": ("passed", "通过"),
    "outcome_exit": ("exited with code {value}", "退出码 {value}"),
    "outcome_signal": ("was killed by signal {value}", "被信号 {value} 终止"),
    "outcome_timeout": ("did not finish within {value} s", "{value} 秒内没有结束"),
    "outcome_not_started": ("could not be started: {value}", "无法启动：{value}"),
    "outcome_missing": ("file not found", "文件不存在"),
    "outcome_outside": ("is outside the workspace", "位于工作区之外"),
    "outcome_no_file": ("is not a regular file", "不是普通文件"),
    "outcome_no_report": ("no agent has reported", "没有智能体报告"),
    "outcome_empty": ("the report says nothing there", "报告中该项为空"),
    "outcome_no_text": ("no match in the report", "报告中没有匹配的内容"),
    "outcome_large": ("is larger than {value} bytes", "超过 {value} 字节"),
    "outcome_unreadable": ("cannot be read: {value}", "无法读取：{value}"),
    "outcome_no_match": ("no match in the file", "文件中没有匹配的内容"),
    "outcome_bad_pattern": (
        "the pattern is not a valid regular expression",
        "不是有效的正则表达式",
    ),
    "outcome_slow_pattern": (
        "the search did not finish within {value} s",
        "{value} 秒内没有搜索完",
    ),
    "outcome_confirmed": ("confirmed by a person", "已由人确认"),
    "outcome_unconfirmed": ("needs a person to confirm it", "需要由人确认"),
    # labels
    "label_proved": ("proved", "已证明"),
    "label_was_green": ("proved (was green)", "已证明（开始前检查就已通过）"),
    "label_not_seen_red": ("proved, not seen red", "已证明，但未见检查失败过"),
    "label_stale": ("stale", "证明已失效"),
    "label_tampered": ("tampered", "检查遭改动"),
    "label_forged": ("not proved here", "未在此处证明"),
    "label_unproved": ("unproved", "未证明"),
    "label_unproved_fails": ("unproved, fails now", "未证明，现在不通过"),
    "label_reported": ("reported", "仅口头报告"),
    "label_assumed": ("assumed", "推定"),
    "label_fails_now": ("fails now", "现在不通过"),
    "label_passes_now": ("passes now", "现在通过"),
    "label_unknown": ("could not be checked", "无法检查"),
    "label_not_approved": ("not approved", "未批准"),
}
