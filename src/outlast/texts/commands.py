"""What commands answer and how they refuse a command line."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # statuses, lists and the tree
    "nothing": ("none", "无"),
    "waits": ("waits for {ids}", "等待 {ids}"),
    "status_idle": ("idle", "空闲"),
    "status_running": ("running", "运行中"),
    "status_paused": ("paused", "已暂停"),
    "status_aborted": ("aborted", "已中止"),
    "status_pending": ("pending", "待执行"),
    "status_in_progress": ("in_progress", "进行中"),
    "status_completed": ("completed", "已完成"),
    "status_failed": ("failed", "已失败"),
    "status_skipped": ("skipped", "已跳过"),
    "status_blocked": ("blocked", "受阻"),
    # answers
    "say_begun": ("Began plan {key}: {title}", "已新建计划 {key}：{title}"),
    "say_add_first": (
        'Now add tasks: outlast add "First task" "Second task"',
        '接着添加任务：outlast add "第一个任务" "第二个任务"',
    ),
    "say_edit_file": ("Edit it by hand: {file}", "也可直接编辑：{file}"),
    "say_start": (
        (
            "There is no plan here yet.\n"
            '  outlast new "What is to be reached"   begins one\n'
            '  outlast add "A task" "Another"        adds tasks; outlast help shows the rest\n'
            "  outlast demo                          shows an agent at work; no key is needed"
        ),
        (
            "这里还没有计划。\n"
            '  outlast new "要达到的目标"          新建计划\n'
            '  outlast add "一个任务" "另一个"     添加任务；outlast help 显示其余命令\n'
            "  outlast demo                        演示智能体的工作；不需要密钥"
        ),
    ),
    "say_start_again": (
        (
            "No plan is open here; ended: {ended} (outlast show --plan KEY).\n"
            '  outlast new "What is to be reached"   begins another one\n'
            '  outlast add "A task" "Another"        adds tasks; outlast help shows the rest\n'
            "  outlast demo                          shows an agent at work; no key is needed"
        ),
        (
            "这里没有未结束的计划；已结束：{ended}（outlast show --plan KEY）。\n"
            '  outlast new "要达到的目标"          再新建一个\n'
            '  outlast add "一个任务" "另一个"     添加任务；outlast help 显示其余命令\n'
            "  outlast demo                        演示智能体的工作；不需要密钥"
        ),
    ),
    "say_no_plans": ("There are no plans here.", "这里没有计划。"),
    "say_list_columns": ("KEY|STATUS|DONE|UPDATED|TITLE", "键|状态|完成|更新时间|标题"),
    "say_phase_begun": ("Began phase {phase}", "已开始阶段 {phase}"),
    "say_added": ("Added {task}", "已添加 {task}"),
    "say_ready": ("{count} may be started now:", "现在可以开始的有 {count} 个："),
    "say_started": (
        "Started {task}; when it is done: outlast done",
        "已开始 {task}；完成后请用：outlast done",
    ),
    "say_green_before": (
        "Its checks pass already: that they pass at the end will show little",
        "它的检查现在已经通过：最后再通过说明不了多少",
    ),
    "say_current": (
        "In progress: {task}; when it is done: outlast done",
        "进行中：{task}；完成后请用：outlast done",
    ),
    "say_next": (
        "Next: {task}; begin it with: outlast start",
        "下一个：{task}；开始它请用：outlast start",
    ),
    "say_next_more": (
        "Next: {task}; begin it with: outlast start ({more} more: outlast next --all)",
        "下一个：{task}；开始：outlast start（另有 {more} 个：outlast next --all）",
    ),
    "say_unread": (
        (
            "No task can be started in what can be read of the plan; mend it first: outlast doctor "
            "--mend"
        ),
        "计划可读的部分中没有可以开始的任务；请先修复：outlast doctor --mend",
    ),
    "say_finished": (
        "All {total} tasks are finished; plan {key} is complete",
        "全部 {total} 个任务都已结束；计划 {key} 已完成",
    ),
    "say_done": ("Done: {task} ({done}/{total})", "已完成：{task}（{done}/{total}）"),
    "say_done_known": (
        "Done: {task}, {known} ({done}/{total})",
        "已完成：{task}，{known}（{done}/{total}）",
    ),
    "say_unproved": (
        "It is recorded as unproved: nothing was seen to show that it is done",
        "已记录为未证明：没有看到它已完成的证据",
    ),
    "say_retried": (
        "Failed: {task}; it waits to be tried again (retry {retry} of {limit})",
        "失败：{task}；等待重试（第 {retry} 次，最多 {limit} 次）",
    ),
    "say_failed": (
        "Failed for good: {task} ({done}/{total})",
        "最终失败：{task}（{done}/{total}）",
    ),
    "say_skipped": ("Skipped {task} ({done}/{total})", "已跳过 {task}（{done}/{total}）"),
    "say_removed": (
        "Took {task} out of the plan; outlast undo brings it back",
        "已把 {task} 移出计划；outlast undo 可恢复",
    ),
    "say_paused": (
        "Plan {key} is paused ({done}/{total}); go on with: outlast resume",
        "计划 {key} 已暂停（{done}/{total}）；继续请用：outlast resume",
    ),
    "say_resumed": ("Plan {key} goes on ({done}/{total})", "计划 {key} 继续进行（{done}/{total}）"),
    "say_edited": ("Changed {task}", "已更改 {task}"),
    "say_plan_edited": ("Changed plan {key}: {title}", "已更改计划 {key}：{title}"),
    "say_claimed": (
        (
            "Claimed {task} until {until}; the claim's number is {token}\n"
            "  outlast done {number} --token {token}      when it is done\n"
            "  outlast claim {number} --token {token}     to hold it longer\n"
            "  outlast release {number} --token {token}   to give it back"
        ),
        (
            "已认领 {task}，直到 {until}；认领编号为 {token}\n"
            "  outlast done {number} --token {token}      完成时\n"
            "  outlast claim {number} --token {token}     延长认领\n"
            "  outlast release {number} --token {token}   交回任务"
        ),
    ),
    "say_released": ("Gave back {task}", "已交回 {task}"),
    "say_reset": (
        "Put every task back to pending ({count}); as the plan was before: {kept}",
        "全部 {count} 个任务已恢复为待执行；之前的计划保存在：{kept}",
    ),
    "say_approved": ("Allowed from now on, for this plan:", "从现在起允许此计划使用："),
    "say_pardoned": (
        "Taken as it is now, though changed ({what}): {task}; the log keeps that",
        "虽有改动（{what}），仍按现状认可：{task}；日志中有记录",
    ),
    "say_unapproved": (
        "Not run, since nobody has allowed these yet (outlast check --approve):",
        "以下检查尚未有人允许，因此没有运行（outlast check --approve）：",
    ),
    "say_no_checks": ("No task that is meant has checks.", "所指的任务都没有检查。"),
    "say_noted": ("Noted {id} [{category}] {title}", "已记录 {id} [{category}] {title}"),
    "say_noted_error": (
        "Noted an error of {tool} (seen so far: {count})",
        "已记录 {tool} 的错误（至今 {count} 次）",
    ),
    "say_tool_allowed": (
        "{tool} is allowed again (errors taken out: {count})",
        "{tool} 再次获准（去掉的错误：{count} 条）",
    ),
    "say_findings": ("Findings:", "发现："),
    "say_errors": ("Errors:", "错误："),
    "say_times": ("{count} times", "{count} 次"),
    "say_source": ("from {source}", "来源：{source}"),
    "say_no_notes": (
        'Nothing has been noted yet: outlast note "What was learned"',
        '还没有任何记录：outlast note "学到了什么"',
    ),
    "say_accepted": (
        "Took the files in (changes: {count}); as the plan was before: {kept}",
        "已采纳文件，共 {count} 项更改；之前的计划保存在：{kept}",
    ),
    "say_nothing_held": (
        "Nothing was held back: nothing was changed, and no copy was written",
        "没有被搁置的内容：没有更改，也没有保存副本",
    ),
    "say_archived": ("Plan {key} is archived: {where}", "计划 {key} 已归档：{where}"),
    "say_imported": (
        "Began plan {key} (tasks: {count}): {title}",
        "已新建计划 {key}，共 {count} 个任务：{title}",
    ),
    "say_line_not_read": ("line {line} was not understood: {said}", "第 {line} 行无法理解：{said}"),
    "say_exported": ("Wrote {file} ({form})", "已写入 {file}（{form}）"),
    "say_exported_over": (
        "Wrote {file} ({form}); what was there before: {kept}",
        "已写入 {file}（{form}）；原来的内容保存在：{kept}",
    ),
    "watch_left_out": ("({count} more)", "（另有 {count} 个任务）"),
    "say_undone": ("Took back r{revision}: {what}", "已撤回 r{revision}：{what}"),
    "say_healthy": ("Everything is in order.", "一切正常。"),
    "say_trouble": ("Something needs attention; see above.", "有需要处理的问题；见上。"),
    # a command line that is not understood
    "command_unknown": (
        "unknown command {command}; outlast help lists all",
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
        "{option} is given a value that it does not take, or lacks one; usage: {usage}",
        "{option} 多给或缺少取值；用法：{usage}",
    ),
    "option_wrong": (
        "{option}: expected {expected}; usage: {usage}",
        "{option}：应为 {expected}；用法：{usage}",
    ),
    "not_a_revision": (
        "{given}: expected a revision such as 12 or r12, as outlast log shows them",
        "{given}：应为版本号，例如 12 或 r12；outlast log 会列出",
    ),
    "not_a_span": (
        "{given}: expected two revisions such as r12..r15, r12.. or ..r15",
        "{given}：应为两个版本，例如 r12..r15、r12.. 或 ..r15",
    ),
    "argument_left_out": (
        "{argument} is missing; usage: {usage}",
        "缺少 {argument}；用法：{usage}",
    ),
    "arguments_left_over": (
        "too many words (put a text in quotes); usage: {usage}",
        "词太多（文字请加引号）；用法：{usage}",
    ),
    "reason_left_out": (
        'say why {task} failed: outlast fail {task} "why it failed"',
        '请说明 {task} 失败的原因：outlast fail {task} "失败原因"',
    ),
    "no_own_task": (
        "{actor} has no task in progress; name one, or start one first",
        "{actor} 没有进行中的任务；请指明任务，或先开始一个",
    ),
    "nothing_to_edit": (
        "say what to change, such as --name TEXT; outlast help edit lists all",
        "请说明要更改什么，例如 --name TEXT；outlast help edit 列出全部",
    ),
    "edit_apart": (
        "{options}: these belong to the plan itself; edit a task in a command of its own",
        "{options}：这些属于计划本身；更改任务请另用一条命令",
    ),
    "options_apart": ("{options}: only one of these can be given", "{options}：只能给出其中一个"),
    "token_left_out": (
        "the claim's number is missing: outlast release {task} --token TOKEN",
        "缺少认领编号：outlast release {task} --token TOKEN",
    ),
    "yes_needed": (
        "{command} changes the whole plan at once; a person who means it adds --yes",
        "{command} 会一次更改整个计划；确认要这样做的人请加 --yes",
    ),
    "only_people": (
        "{command} is for people; it was asked for by {actor}",
        "{command} 只供人使用；请求者是 {actor}",
    ),
    "file_exists": (
        (
            "There is a file {path} already; take another name, or add --yes: the file is kept "
            "then under another name"
        ),
        "文件 {path} 已存在；请换一个名称，或加 --yes：原文件会以另一名称保留",
    ),
    "hint_check_failed": (
        "Put it right, then: outlast done {number}; what else a person can do: outlast help done",
        "改正之后：outlast done {number}；人还可以怎样做：outlast help done",
    ),
    "hint_claimed": (
        "Whoever holds the claim adds its number: --token NUMBER",
        "认领者请加上认领编号：--token NUMBER",
    ),
    "hint_name_plan": (
        "Name a plan with --plan KEY or OUTLAST_PLAN; outlast list shows them.",
        "用 --plan KEY 或 OUTLAST_PLAN 指明计划；outlast list 列出全部。",
    ),
}
