"""Mailboxes: what is wrong with a command or a report."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "mailbox_no_front_matter": (
        "{where}: expected a front matter: the first line must be ---",
        "{where}：缺少 front matter：第一行应为 ---",
    ),
    "mailbox_open_front_matter": (
        "{where}: the front matter has no closing line ---",
        "{where}：front matter 没有结束行 ---",
    ),
    "mailbox_long_field": ("{where}: the field {field} is too long", "{where}：字段 {field} 过长"),
    "mailbox_field": (
        "{where}: the field {field} is {value!r}, which is not allowed",
        "{where}：字段 {field} 的值 {value!r} 无效",
    ),
    "mailbox_unusable": (
        "{where}: the mailbox cannot be used: {problem}",
        "{where}：无法使用该信箱：{problem}",
    ),
    "report_unusable": (
        "{where}: the report cannot be used: {problem}",
        "{where}：无法使用该报告：{problem}",
    ),
    "not_a_command_id": (
        "{argument}: expected a uuid, with or without task- before it",
        "{argument}：应为 uuid，前面可加 task-",
    ),
    "not_a_session_id": (
        "{argument}: expected the id of a session: letters, digits, dots, hyphens",
        "{argument}：应为会话编号：字母、数字、点或连字符",
    ),
    "report_foreign": ("no command with this id was sent", "没有发出过该编号的指令"),
    "report_late": (
        "the report came after its command had been given up",
        "报告到达时，对应的指令已被放弃",
    ),
    "report_duplicate": (
        "another report about the same command was taken before",
        "同一指令的另一份报告已被采用",
    ),
    "mailbox_same_directory": (
        (
            "mailbox.commands is {commands} and mailbox.reports is {reports}: "
            "waiting files need directories of their own"
        ),
        "mailbox.commands 为 {commands}，mailbox.reports 为 {reports}：待处理文件需要各自的目录",
    ),
    "worker_task": ("Task from the mailbox", "信箱任务"),
    "worker_died": (
        (
            "The worker ended while the agent worked. What it has done is not known: "
            "look before you repeat it."
        ),
        "智能体工作时 worker 已退出，已完成的部分不明：重做之前请先检查。",
    ),
    "worker_begins": ("{command}: {about}", "开始 {command}：{about}"),
    "worker_reported": ("{command}: reported {status}", "{command}：已报告 {status}"),
    "worker_of_shell": (
        (
            "the agent shell runs the commands of a plan, and an order in a mailbox has none; "
            "without a mailbox: outlast run PLAN.md --agent shell"
        ),
        (
            "智能体 shell 运行计划中的命令，而信箱里的指令不带命令；不用信箱："
            "outlast run PLAN.md --agent shell"
        ),
    ),
    "worker_leaves": (
        "{command}: stopped before its end; the next worker finds out what was done",
        "{command}：尚未结束就已停止；由下一个 worker 查明完成了哪些部分",
    ),
    "worker_waits_for_disk": (
        "The report about {command} cannot be written; trying again every {seconds} s: {problem}",
        "无法写入 {command} 的报告，每 {seconds} 秒重试一次：{problem}",
    ),
    "order_sent": ("Sent {file}\n", "已发送 {file}\n"),
    "order_awaited": (
        "Waiting for the report about task {task}, which was asked for before the interruption",
        "正在等待任务 {task} 的报告（中断之前已发出指令）",
    ),
    "order_withdrawn": (
        "The command was withdrawn before any agent claimed it",
        "指令在被领取之前已撤回",
    ),
    "order_never_sent": ("The command was never sent", "指令没有发出"),
    "order_claimed": ("An agent has claimed it\n", "已有智能体领取\n"),
    "order_waits": (
        (
            "No agent has claimed it yet; "
            "to start one: outlast worker --agent NAME --mailbox {mailbox}\n"
        ),
        "还没有智能体领取；启动一个：outlast worker --agent NAME --mailbox {mailbox}\n",
    ),
    "report_set_aside": (
        "The report cannot be used: {problem}. It was moved to {where}",
        "报告无法使用：{problem}。已移至 {where}",
    ),
    "order_unclaimed": (
        (
            "No agent claimed the command within {seconds} seconds; it was withdrawn. "
            "To start one: outlast worker --agent NAME --mailbox {mailbox}"
        ),
        (
            "{seconds} 秒内没有智能体领取该指令，已撤回。"
            "启动一个：outlast worker --agent NAME --mailbox {mailbox}"
        ),
    ),
    "order_timed_out": (
        (
            "The agent that claimed the command did not report within {seconds} seconds; "
            "it may still be at work"
        ),
        "领取该指令的智能体在 {seconds} 秒内没有提交报告，可能仍在工作",
    ),
}
