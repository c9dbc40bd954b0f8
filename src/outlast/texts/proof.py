"""Checks and proof."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # why a task is not done
    "proof_needed": (
        "Task {task_id} is not done before it is seen to pass what was set for it: {checks}",
        "任务 {task_id} 要先通过为它设定的检查才算完成：{checks}",
    ),
    "proof_of_other_checks": (
        "Task {task_id}: the proof is not of the checks that the task has now; run them again",
        "任务 {task_id}：证明不是针对任务现有的检查；请重新运行检查",
    ),
    "check_failed": ("Task {task_id} is not done: {shows}", "任务 {task_id} 尚未完成：{shows}"),
    "tampered": (
        (
            "Task {task_id}: its {what} changed since it was given out or begun; a person looks at "
            "it, and takes it as it is with `outlast check {task_id} --approve`"
        ),
        (
            "任务 {task_id}：它的 {what} 在分派或开始之后有改动；请由人查看，并用 `outlast check "
            "{task_id} --approve` 认可现状"
        ),
    ),
    "not_seen_here": (
        (
            "Task {task_id}: how it stood before was not seen by Outlast here, but elsewhere (was "
            "the project moved or copied?), or was written by hand; a person looks at it, and "
            "takes it as it is with `outlast check {task_id} --approve`"
        ),
        (
            "任务 {task_id}：它此前的状况不是 Outlast 在此处看到的，"
            "而是来自别处（项目是否移动或复制过？）或手写而成；请由人查看，并用 `outlast check "
            "{task_id} --approve` 认可现状"
        ),
    ),
    "check_not_approved": (
        (
            "Task {task_id} has checks that nobody has allowed for this plan: {checks}; a person "
            "allows them with `outlast check --approve`"
        ),
        (
            "任务 {task_id} 的检查尚未获准在此计划中使用：{checks}；请由人用 `outlast check "
            "--approve` 批准"
        ),
    ),
    "check_stopped": (
        "The checks were broken off; nothing was recorded",
        "检查已中断；没有记录任何结果",
    ),
    "no_checker": (
        "{argument}: nobody can run checks for this handle on a plan",
        "{argument}：这个句柄没有可以运行检查的程序",
    ),
    "state_home_failed": (
        (
            "{where}: {problem}; what you allow and what was seen is kept there, or where "
            "XDG_STATE_HOME says"
        ),
        "{where}：{problem}；您的批准和检查所见都保存在那里，或 XDG_STATE_HOME 指定的地方",
    ),
    "state_home_open": (
        (
            "{where}: others may write there too; what you allow and what was seen is kept there, "
            "so let only yourself write to it"
        ),
        "{where}：其他人也可以写入；您的批准和检查所见都保存在那里，请只允许您自己写入",
    ),
    "not_proved_here": (
        (
            "task {tasks}: said to be proved, but not by Outlast here: the proof was made "
            "elsewhere (was the project moved or copied?) or written by hand; `outlast check N` "
            "looks anew"
        ),
        (
            "任务 {tasks}：据称已证明，但不是由 Outlast 在此处证明："
            "证明来自别处（项目是否移动或复制过？）或手写而成；`outlast check N` 会重新检查"
        ),
    ),
    # results of checks
    "said_passed": ("passed", "通过"),
    "said_exit": ("ended with code {value}", "以代码 {value} 结束"),
    "said_signal": ("was killed by signal {value}", "被信号 {value} 终止"),
    "said_timeout": ("did not end within {value} s", "{value} 秒内没有结束"),
    "said_not_started": ("could not be started: {value}", "无法启动：{value}"),
    "said_missing": ("there is no such file", "没有这个文件"),
    "said_outside": ("leads out of the workspace", "指向工作区之外"),
    "said_no_file": ("is no plain file", "不是普通文件"),
    "said_large": ("has more than {value} bytes", "超过 {value} 字节"),
    "said_unreadable": ("cannot be read: {value}", "无法读取：{value}"),
    "said_no_match": ("nothing in it matches", "其中没有匹配的内容"),
    "said_bad_pattern": ("the pattern is no regular expression", "模式不是正则表达式"),
    "said_slow_pattern": ("the search did not end within {value} s", "{value} 秒内没有搜索完"),
    "said_confirmed": ("confirmed by a person", "已由人确认"),
    "said_unconfirmed": ("a person has to confirm it", "需要由人确认"),
    # labels
    "label_proved": ("proved", "已证明"),
    "label_was_green": ("proved (was green)", "已证明（此前已通过）"),
    "label_not_seen_red": ("proved, not seen red", "已证明，但未见其失败过"),
    "label_stale": ("stale", "已过时"),
    "label_tampered": ("tampered", "被改动"),
    "label_forged": ("not proved here", "未在此处证明"),
    "label_unproved": ("unproved", "未证明"),
    "label_unproved_fails": ("unproved, fails now", "未证明，现在不通过"),
    "label_reported": ("reported", "据报告"),
    "label_assumed": ("assumed", "据推断"),
    "label_fails_now": ("fails now", "现在不通过"),
    "label_passes_now": ("passes now", "现在通过"),
    "label_not_approved": ("not approved", "未获批准"),
}
