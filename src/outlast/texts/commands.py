"""What commands answer and how they refuse a command line."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # statuses, lists and the tree
    "nothing": ("none", "无"),
    "waits": ("needs {ids}", "需先完成 {ids}"),
    "status_idle": ("idle", "未开始"),
    "status_running": ("running", "运行中"),
    "status_paused": ("paused", "已暂停"),
    "status_aborted": ("aborted", "已中止"),
    "status_pending": ("pending", "待执行"),
    "status_in_progress": ("in progress", "进行中"),
    "status_completed": ("completed", "已完成"),
    "status_failed": ("failed", "已失败"),
    "status_skipped": ("skipped", "已跳过"),
    "status_blocked": ("blocked", "受阻"),
    # answers
    "say_created": ("Created plan {key}: {title}", "已新建计划 {key}：{title}"),
    "say_add_first": (
        'Now add tasks: outlast add "First task" "Second task"',
        '接着添加任务：outlast add "第一个任务" "第二个任务"',
    ),
    "say_edit_file": ("Edit it by hand: {file}", "也可直接编辑：{file}"),
    "say_start": (
        (
            "There is no plan here yet.\n"
            '  outlast new "Your goal"          create a plan\n'
            '  outlast add "A task" "Another"   add tasks; outlast help lists all commands\n'
            "  outlast demo                     watch an agent at work; no API key needed"
        ),
        (
            "这里还没有计划。\n"
            '  outlast new "你的目标"            新建计划\n'
            '  outlast add "一个任务" "另一个"   添加任务；outlast help 列出全部命令\n'
            "  outlast demo                      观看智能体工作；不需要 API 密钥"
        ),
    ),
    "say_start_again": (
        (
            "No plan is open here; ended: {ended} (outlast show --plan KEY).\n"
            '  outlast new "Your goal"          create another plan\n'
            '  outlast add "A task" "Another"   add tasks; outlast help lists all commands\n'
            "  outlast demo                     watch an agent at work; no API key needed"
        ),
        (
            "这里没有未结束的计划；已结束：{ended}（outlast show --plan KEY）。\n"
            '  outlast new "你的目标"            再新建一个计划\n'
            '  outlast add "一个任务" "另一个"   添加任务；outlast help 列出全部命令\n'
            "  outlast demo                      观看智能体工作；不需要 API 密钥"
        ),
    ),
    "say_no_plans": ("There are no plans here.", "这里没有计划。"),
    "say_list_columns": ("KEY|STATUS|DONE|UPDATED|TITLE", "标识|状态|完成|更新时间|标题"),
    "say_phase_created": ("Created phase {phase}", "已新建阶段 {phase}"),
    "say_added": ("Added {task}", "已添加 {task}"),
    "say_ready": ("{count:task} can start now:", "现在可以开始 {count:,} 个任务："),
    "say_started": (
        "Started {task}; when it is done, run: {command}",
        "已开始 {task}；完成后请运行：{command}",
    ),
    "say_passed_before": (
        "Warning: its checks already pass, so they will prove little",
        "注意：检查现在已通过，完成时再通过不足以证明",
    ),
    "say_current": (
        "In progress: {task}; when it is done, run: outlast done",
        "进行中：{task}；完成后请运行：outlast done",
    ),
    "say_next": (
        "Next: {task}; start it with: outlast start",
        "下一个：{task}；开始：outlast start",
    ),
    "say_next_more": (
        "Next: {task}; start it with: outlast start ({more:,} more: outlast next --all)",
        "下一个：{task}；开始：outlast start（另有 {more:,} 个：outlast next --all）",
    ),
    "say_unreadable": (
        (
            "No task can start in the readable part of the plan; repair it first: outlast doctor "
            "--repair"
        ),
        "计划可读的部分中没有可以开始的任务；请先修复：outlast doctor --repair",
    ),
    "say_finished": (
        "Plan {key} is complete: {total:task} finished",
        "计划 {key} 已完成：共 {total:,} 个任务",
    ),
    "say_done": ("Done: {task} ({done}/{total})", "已完成：{task}（{done}/{total}）"),
    "say_done_known": (
        "Done: {task}, {known} ({done}/{total})",
        "已完成：{task}，{known}（{done}/{total}）",
    ),
    "say_unproved": (
        "Recorded as unproved: no check has shown that it is done",
        "已记录为未证明：没有检查能证明它已完成",
    ),
    "say_retried": (
        "Failed: {task}; it will be retried (retry {retry} of {limit})",
        "失败：{task}；等待重试（第 {retry} 次，最多 {limit} 次）",
    ),
    "say_failed": (
        "Failed for good: {task} ({done}/{total})",
        "彻底失败：{task}（{done}/{total}）",
    ),
    "say_skipped": ("Skipped {task} ({done}/{total})", "已跳过 {task}（{done}/{total}）"),
    "say_removed": (
        "Removed {task} from the plan; outlast undo brings it back",
        "已从计划中移除 {task}；outlast undo 可恢复",
    ),
    "say_paused": (
        "Plan {key} is paused ({done}/{total}); continue with: outlast resume",
        "计划 {key} 已暂停（{done}/{total}）；继续：outlast resume",
    ),
    "say_resumed": ("Plan {key} resumed ({done}/{total})", "计划 {key} 已恢复（{done}/{total}）"),
    "say_edited": ("Changed {task}", "已修改 {task}"),
    "say_assumed": (
        (
            "Task {task} was only assumed to be done\n"
            "  outlast done {task}            if it is done\n"
            "  outlast edit {task} --reopen   if it is not"
        ),
        (
            "任务 {task} 只是推定完成\n"
            "  outlast done {task}            确实已完成\n"
            "  outlast edit {task} --reopen   尚未完成"
        ),
    ),
    "say_old_goal": ("  its goal was: {goal}", "  原目标：{goal}"),
    "say_plan_edited": ("Changed plan {key}: {title}", "已修改计划 {key}：{title}"),
    "say_claimed": (
        (
            "Claimed {task} until {until}; the claim's token is {token}\n"
            "  outlast done {number} --token {token}      when it is done\n"
            "  outlast claim {number} --token {token}     to extend the claim\n"
            "  outlast release {number} --token {token}   to give it back"
        ),
        (
            "已认领 {task}，至 {until}；认领令牌为 {token}\n"
            "  outlast done {number} --token {token}      完成时\n"
            "  outlast claim {number} --token {token}     延长认领\n"
            "  outlast release {number} --token {token}   放弃认领"
        ),
    ),
    "say_released": ("Released {task}", "已放弃认领 {task}"),
    "say_reset": (
        "Reset {count:task} to pending; the plan as it was before: {kept}",
        "已将 {count:,} 个任务重置为待执行；原计划已备份：{kept}",
    ),
    "say_approved": ("Approved for this plan from now on:", "已批准此计划今后运行："),
    "say_change_accepted": (
        "Accepted as it is now, although {what} changed: {task}; the log records this",
        "虽有改动（{what}），仍按现状接受：{task}；日志中有记录",
    ),
    "say_unapproved": (
        "Not run, because nobody has approved these yet (outlast check --approve):",
        "以下检查尚未获批准，因此没有运行（outlast check --approve）：",
    ),
    "say_no_checks": ("None of these tasks has checks.", "这些任务没有设置检查。"),
    "say_noted": ("Noted {id} [{category}] {title}", "已记录 {id} [{category}] {title}"),
    "say_noted_error": (
        "Noted an error of {tool} (seen {count:time} so far)",
        "已记录 {tool} 的错误（至今 {count:,} 次）",
    ),
    "say_tool_allowed": (
        "{tool} is allowed again ({count:error} removed)",
        "已重新允许 {tool}（移除 {count:,} 条错误）",
    ),
    "say_findings": ("Findings:", "发现："),
    "say_errors": ("Errors:", "错误："),
    "say_times": ("{count:time}", "{count:,} 次"),
    "say_source": ("from {source}", "来源：{source}"),
    "say_no_notes": (
        'Nothing noted yet: outlast note "What you learned"',
        '还没有任何记录：outlast note "发现了什么"',
    ),
    "say_accepted": (
        "Applied {count:change} from the files; the plan as it was before: {kept}",
        "已应用文件中的 {count:,} 处更改；原计划已备份：{kept}",
    ),
    "say_nothing_pending": (
        "No edit was held back; nothing was changed or copied",
        "没有被搁置的编辑：未作更改，也未保存备份",
    ),
    "say_archived": (
        "Plan {key} is archived as {name}; bring it back with: {command}",
        "计划 {key} 已归档为 {name}；恢复：{command}",
    ),
    "say_archived_status": ("{status}, archived", "{status}，已归档"),
    "say_restored": (
        "Plan {key} is restored; look at it with: {command}",
        "计划 {key} 已恢复；查看：{command}",
    ),
    "say_replaced": (
        "The plan that had the key is archived as {name}; bring it back with: {command}",
        "原来使用该标识的计划已归档为 {name}；恢复：{command}",
    ),
    "say_imported": (
        "Created plan {key} with {count:task}: {title}",
        "已新建计划 {key}，共 {count:,} 个任务：{title}",
    ),
    "say_line_unparsed": (
        "line {line} could not be parsed: {line_text}",
        "第 {line} 行无法解析：{line_text}",
    ),
    "say_exported": ("Wrote {file} ({form})", "已写入 {file}（{form}）"),
    "say_exported_over": (
        "Wrote {file} ({form}); the previous file was kept: {kept}",
        "已写入 {file}（{form}）；原文件已保留：{kept}",
    ),
    "watch_left_out": ("({count:,} more)", "（另有 {count:,} 个任务）"),
    "say_undone": ("Undid r{revision}: {what}", "已撤销 r{revision}：{what}"),
    "say_healthy": ("Everything is in order.", "一切正常。"),
    "say_trouble": ("Some problems need attention; see above.", "有需要处理的问题；见上。"),
    # a command line that is not understood
    "command_unknown": (
        "unknown command {command}; outlast help lists all commands",
        "未知命令 {command}；outlast help 列出全部命令",
    ),
    "command_near": (
        "unknown command {command}; did you mean: outlast {nearest}",
        "未知命令 {command}；是否想用：outlast {nearest}",
    ),
    "option_unknown": (
        "unknown option {option}; usage: {usage}",
        "未知选项 {option}；用法：{usage}",
    ),
    "option_near": (
        "unknown option {option}, did you mean {nearest}? Usage: {usage}",
        "未知选项 {option}，是否想用 {nearest}？用法：{usage}",
    ),
    "option_value": (
        "{option}: a value is missing, or one was given that it does not take; usage: {usage}",
        "{option}：缺少取值，或不接受取值；用法：{usage}",
    ),
    "option_wrong": (
        "{option}: expected {expected}; usage: {usage}",
        "{option}：应为 {expected}；用法：{usage}",
    ),
    "not_a_revision": (
        "{given}: expected a revision such as 12 or r12, as outlast log shows them",
        "{given}：应为修订号，例如 12 或 r12；outlast log 会列出",
    ),
    "not_a_span": (
        "{given}: expected two revisions such as r12..r15, r12.. or ..r15",
        "{given}：应为两个修订，例如 r12..r15、r12.. 或 ..r15",
    ),
    "argument_required": (
        "{argument} is missing; usage: {usage}",
        "缺少 {argument}；用法：{usage}",
    ),
    "arguments_extra": (
        "too many arguments (quote text that contains spaces); usage: {usage}",
        "参数过多（含空格的文字请加引号）；用法：{usage}",
    ),
    "reason_required": (
        'say why {task} failed: outlast fail {task} "the reason"',
        '请说明 {task} 失败的原因：outlast fail {task} "失败原因"',
    ),
    "no_own_task": (
        "{actor} has no task in progress; give a task number, or start a task first",
        "{actor} 没有进行中的任务；请给出任务编号，或先开始一个任务",
    ),
    "nothing_to_edit": (
        "say what to change, such as --name TEXT; outlast help edit lists all options",
        "请说明要修改什么，例如 --name TEXT；outlast help edit 列出全部选项",
    ),
    "edit_apart": (
        "{options}: these change the plan itself; edit a task with a separate command",
        "{options}：这些选项修改计划本身；修改任务请另用一条命令",
    ),
    "options_apart": ("{options}: only one of these can be given", "{options}：只能使用其中一个"),
    "token_required": (
        "the claim's token is missing: outlast release {task} --token TOKEN",
        "缺少认领令牌：outlast release {task} --token TOKEN",
    ),
    "yes_needed": (
        "{command} changes the whole plan at once; to confirm, add --yes",
        "{command} 会一次改动整个计划；如确认，请加 --yes",
    ),
    "person_inside_tool": (
        "{argument}: a tool or a check of an agent cannot act as a person",
        "{argument}：智能体的工具或检查不能以人的身份行事",
    ),
    "only_people": (
        "{command} is for people only; {actor} asked for it",
        "{command} 只供人使用；请求者是 {actor}",
    ),
    "file_exists": (
        "{path} already exists; choose another name, or add --yes to replace it and keep a copy",
        "文件 {path} 已存在；请换一个名称，或加 --yes 替换（原文件会另存备份）",
    ),
    "hint_check_failed": (
        "Fix it and run outlast done {number} again (to override: outlast help done)",
        "修正后重新运行：outlast done {number}（其他处理方式：outlast help done）",
    ),
    "hint_claim_token": ("If you hold the claim, add --token TOKEN", "认领者请加上 --token TOKEN"),
    "hint_in_archive": (
        "A plan with that key is archived: outlast show --archived {name}, outlast restore {name}",
        "该标识有已归档的计划：outlast show --archived {name}，outlast restore {name}",
    ),
    "hint_name_archived": (
        "outlast list --archived shows them all.",
        "outlast list --archived 可列出全部。",
    ),
    "hint_name_plan": (
        "Choose a plan with --plan KEY or OUTLAST_PLAN; outlast list shows them all.",
        "用 --plan KEY 或 OUTLAST_PLAN 指定计划；outlast list 列出全部。",
    ),
}
