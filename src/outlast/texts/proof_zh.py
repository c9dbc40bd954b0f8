"""What people read about checks and proof, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "proof_needed": "任务 {task_id} 要先通过为它设定的检查才算完成：{checks}",
    "proof_of_other_checks": "任务 {task_id}：证明不是针对任务现有的检查；请重新运行检查",
    "check_failed": "任务 {task_id} 尚未完成：{shows}",
    "tampered": (
        "任务 {task_id}：它的 {what} 在分派或开始之后有改动；请由人查看，"
        "并用 `outlast check {task_id} --approve` 认可现状"
    ),
    "not_seen_here": (
        "任务 {task_id}：它此前的状况不是 Outlast 在此处看到的，而是来自别处"
        "（项目是否移动或复制过？）或手写而成；请由人查看，"
        "并用 `outlast check {task_id} --approve` 认可现状"
    ),
    "check_not_approved": (
        "任务 {task_id} 的检查尚未获准在此计划中使用：{checks}；"
        "请由人用 `outlast check --approve` 批准"
    ),
    "check_stopped": "检查已中断；没有记录任何结果",
    "no_checker": "{argument}：这个句柄没有可以运行检查的程序",
    "state_home_failed": (
        "{where}：{problem}；您的批准和检查所见都保存在那里，或 XDG_STATE_HOME 指定的地方"
    ),
    "state_home_open": (
        "{where}：其他人也可以写入；您的批准和检查所见都保存在那里，请只允许您自己写入"
    ),
    "said_passed": "通过",
    "said_exit": "以代码 {value} 结束",
    "said_signal": "被信号 {value} 终止",
    "said_timeout": "{value} 秒内没有结束",
    "said_not_started": "无法启动：{value}",
    "said_missing": "没有这个文件",
    "said_outside": "指向工作区之外",
    "said_no_file": "不是普通文件",
    "said_large": "超过 {value} 字节",
    "said_unreadable": "无法读取：{value}",
    "said_no_match": "其中没有匹配的内容",
    "said_bad_pattern": "模式不是正则表达式",
    "said_slow_pattern": "{value} 秒内没有搜索完",
    "said_confirmed": "已由人确认",
    "said_unconfirmed": "需要由人确认",
    "not_proved_here": (
        "任务 {tasks}：据称已证明，但不是由 Outlast 在此处证明：证明来自别处"
        "（项目是否移动或复制过？）或手写而成；`outlast check N` 会重新检查"
    ),
    "label_proved": "已证明",
    "label_was_green": "已证明（此前已通过）",
    "label_not_seen_red": "已证明，但未见其失败过",
    "label_stale": "已过时",
    "label_tampered": "被改动",
    "label_forged": "未在此处证明",
    "label_unproved": "未证明",
    "label_unproved_fails": "未证明，现在不通过",
    "label_reported": "据报告",
    "label_assumed": "据推断",
    "label_fails_now": "现在不通过",
    "label_passes_now": "现在通过",
    "label_not_approved": "未获批准",
}
