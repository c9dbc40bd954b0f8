"""The report about the work on a plan, and `MISSION.md`."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # the top
    "report_title": ("Report: {title}", "报告：{title}"),
    "report_state": (
        "Plan {key}, revision {revision}: {condition}",
        "计划 {key}，修订 {revision}：{condition}",
    ),
    "report_written": ("As of {at}", "截至 {at}"),
    "report_nothing": ("The plan has no tasks", "计划中没有任务"),
    "report_proved": ("{count:,} of {total:task} proved", "{total:,} 个任务中 {count:,} 个已证明"),
    "report_all_proved": ("All {total:task} proved", "{total:,} 个任务全部已证明"),
    "worth_failed": ("{count:,} failed", "{count:,} 个失败"),
    "worth_doubtful": ("{count:,} doubtful", "{count:,} 个存疑"),
    "worth_unproved": ("{count:,} claimed, not proved", "{count:,} 个声称完成但未证明"),
    "worth_open": ("{count:,} in progress", "{count:,} 个进行中"),
    "worth_pending": ("{count:,} not started", "{count:,} 个未开始"),
    "worth_skipped": ("{count:,} skipped", "{count:,} 个已跳过"),
    "worth_weak": (
        "{count:,} proved by checks that were never seen to fail",
        "{count:,} 个由从未失败过的检查证明",
    ),
    "report_waiting": ("{count:question} for you", "{count:,} 个问题待您答复"),
    "report_lost": (
        "{count:attempt} broke off with the run; the outcome is unknown, or was found out later",
        "{count:,} 次尝试随运行中断；结果未知，或事后才得知",
    ),
    "report_removed": (
        "{count:attempt} for tasks that are no longer in the plan",
        "{count:,} 次尝试针对已不在计划中的任务",
    ),
    "report_outside_tasks": (
        "{count:task} with changes in files that the task does not name",
        "{count:,} 个任务改动了声明之外的文件",
    ),
    "report_worked": (
        "From {begin} to {end}: {took}; work in total: {time}",
        "从 {begin} 到 {end}，历时 {took}；工作合计 {time}",
    ),
    "report_spent": ("Spent: {what}", "花费：{what}"),
    "report_planning_spent": ("of which planning: {what}", "其中规划：{what}"),
    "report_unknown_cost": ("no cost was reported", "没有费用记录"),
    # sections
    "report_questions": ("Waiting for you", "等待您的答复"),
    "report_question": ("Question {id}", "问题 {id}"),
    "report_question_task": ("Question {id}, about task {task}", "问题 {id}，关于任务 {task}"),
    "report_answer": (
        "Answer it with: outlast answer {id} TEXT{as_person}",
        "答复：outlast answer {id} TEXT{as_person}",
    ),
    "report_timeline": ("Timeline", "时间线"),
    "report_summary": ("Summary, as the agent wrote it", "总结（由智能体撰写）"),
    "report_agent_words": (
        "Texts in grey boxes are what agents and programs wrote. Only checks prove anything.",
        "灰框中的文字由智能体或程序写成；只有检查才算证明。",
    ),
    # columns and facts
    "report_result": ("State", "状态"),
    "report_agent": ("Agent", "智能体"),
    "report_attempts": ("Attempts", "尝试"),
    "report_time": ("Time", "用时"),
    "report_cost": ("Cost", "费用"),
    "report_revision": ("Ended in revision", "结束于修订"),
    "report_asked": ("waits for question {id}", "等待问题 {id} 的答复"),
    "report_began": ("Began", "开始"),
    "report_ended": ("Ended", "结果"),
    "report_said": ("Reported", "报告"),
    "report_decided": ("Decided", "决定"),
    "report_needs": ("Needs", "依赖"),
    "report_error": ("Error", "错误"),
    "report_reason": ("Reason", "原因"),
    "report_commit": ("Commit", "提交"),
    "report_no_commit": ("{commit} (no new one)", "{commit}（没有新提交）"),
    "report_outside": ("Changed files that the task does not name", "改动了声明之外的文件"),
    "report_more_files": ("{count:file} more", "另有 {count:,} 个"),
    "report_others_meanwhile": (
        "others worked at the same time, so this may be theirs",
        "其他任务同时在进行，也可能是它们所为",
    ),
    "report_red": ("red", "红"),
    "report_unknown": ("unknown", "未知"),
    "report_green": ("green", "绿"),
    "report_not_run": ("never run", "从未运行"),
    "report_exit": ("exit code {code}", "退出码 {code}"),
    "report_recorded": ("Result, as it was recorded", "记录的结果"),
    "report_output": ("Output of the check, its end", "检查输出的末尾"),
    "report_no_report": ("no report", "没有报告"),
    "report_decision": ("{decision} (by {by})", "{decision}（由 {by} 决定）"),
    "report_calls": (
        "{models:model call}, {tools:tool call}",
        "模型调用 {models:,} 次，工具调用 {tools:,} 次",
    ),
    "report_shortened": ("… {count:line} more", "……还有 {count:,} 行"),
    "decision_next": ("accepted", "通过"),
    "decision_retry": ("try again", "重试"),
    "decision_skip": ("skip the task", "跳过任务"),
    "decision_replan": ("change the plan", "调整计划"),
    "decision_abort": ("give up", "放弃"),
    "attempt_rejected": ("not accepted", "未通过"),
    "attempt_unknown": ("broke off, outcome unknown", "中途断开，结果未知"),
    # the timeline
    "timeline_of": (
        "Timeline of {count:attempt} on {tasks:task}",
        "{tasks:,} 个任务、{count:,} 次尝试的时间线",
    ),
    "timeline_more": ("{count:,} more not drawn", "另有 {count:,} 个任务未画出"),
    "timeline_idle": ("{time} idle", "空闲 {time}"),
    "timeline_plan": ("planning", "规划"),
    "timeline_failed": ("failed, or not accepted", "失败或未通过"),
    "timeline_lost": ("lost, or outcome unknown", "中断或结果未知"),
    "timeline_green": ("check green", "检查通过"),
    "timeline_unknown": ("check without a result", "检查没有结果"),
    "timeline_red": ("check red", "检查未通过"),
    # the command
    "report_two_files": (
        "--md and --html write one file each: give one of them",
        "--md 与 --html 各写一个文件：请只给一个",
    ),
    "say_report_written": ("Wrote {file}: {headline}", "已写入 {file}：{headline}"),
    "say_report_over": (
        "Wrote {file}: {headline}. The old file is now {kept}",
        "已写入 {file}：{headline}。原文件已改名为 {kept}",
    ),
    # MISSION.md
    "mission_title": ("Mission", "任务总览"),
    "mission_hint": (
        "Written by Outlast after every change; edits here are not read.",
        "由 Outlast 在每次更改后生成；此处的修改不会被读取。",
    ),
    "mission_plan": ("Plan", "计划"),
    "mission_reported": ("{agent} reports {status}", "{agent} 报告 {status}"),
    "mission_outside_shared": (
        "files changed meanwhile that no task names",
        "期间有声明之外的文件被改动",
    ),
    "mission_outside": ("changed files that it does not name", "改动了声明之外的文件"),
    "mission_decisions": ("Decisions", "决定"),
    "mission_questions": ("Open questions", "待答复的问题"),
    "mission_none": ("None", "无"),
    "mission_more": ("{count:earlier decision} not shown", "更早的 {count:,} 个决定未列出"),
    "mission_decision": (
        "Task {task}: {decision}, by {by}",
        "任务 {task}：{decision}，由 {by} 决定",
    ),
}
