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
    "status_interrupted": ("interrupted", "已中断"),
    "status_needs_approval": ("needs approval", "待批准"),
    "status_pending": ("pending", "待执行"),
    "status_in_progress": ("in progress", "进行中"),
    "status_completed": ("completed", "已完成"),
    "status_failed": ("failed", "已失败"),
    "status_skipped": ("skipped", "已跳过"),
    "status_blocked": ("blocked", "受阻"),
    # answers
    "say_created": ("Created plan {key}: {title}", "已新建计划 {key}：{title}"),
    "say_add_first": (
        'Now add tasks: outlast add "First task" "Second task"{common}',
        '接着添加任务：outlast add "第一个任务" "第二个任务"{common}',
    ),
    "say_edit_file": ("Edit it by hand: {file}", "也可直接编辑：{file}"),
    "say_start": (
        (
            "There is no plan here yet.\n"
            '  outlast new "Your goal"{lang}          create a plan\n'
            '  outlast add "A task" "Another"{lang}   add tasks to it\n'
            "  outlast help{lang}                     see all commands\n"
            "  outlast demo{lang}                     watch an agent at work; no API key needed"
        ),
        (
            "这里还没有计划。\n"
            '  outlast new "您的目标"{lang}            新建计划\n'
            '  outlast add "一个任务" "另一个"{lang}   添加任务\n'
            "  outlast help{lang}                      查看全部命令\n"
            "  outlast demo{lang}                      观看智能体工作；不需要 API 密钥"
        ),
    ),
    "say_start_again": (
        (
            "No plan is open here; ended: {ended} (to see them: outlast list{lang}).\n"
            '  outlast new "Your goal"{lang}          create another plan\n'
            '  outlast add "A task" "Another"{lang}   add tasks to it\n'
            "  outlast help{lang}                     see all commands\n"
            "  outlast demo{lang}                     watch an agent at work; no API key needed"
        ),
        (
            "这里没有未结束的计划；已结束：{ended}（查看：outlast list{lang}）。\n"
            '  outlast new "您的目标"{lang}            再新建一个计划\n'
            '  outlast add "一个任务" "另一个"{lang}   添加任务\n'
            "  outlast help{lang}                      查看全部命令\n"
            "  outlast demo{lang}                      观看智能体工作；不需要 API 密钥"
        ),
    ),
    "say_no_plans": ("There are no plans here.", "这里没有计划。"),
    "say_plans_gone": (
        "Plans were here and are gone: {keys}. Bring them back: outlast doctor --restore{lang}",
        "这里曾有计划，现已不见：{keys}。找回：outlast doctor --restore{lang}",
    ),
    "say_forgotten": (
        "Forgot plan {key}: it can no longer be brought back if its files vanish",
        "已删除用于找回计划 {key} 的副本；其文件若消失，将无法找回",
    ),
    "say_archived_plans": (
        "{count:archived plan}: outlast list --archived{lang}",
        "{count:,} 个已归档的计划：outlast list --archived{lang}",
    ),
    "say_ended_plans": (
        "{count:finished plan}: outlast list{lang}",
        "{count:,} 个已结束的计划：outlast list{lang}",
    ),
    "say_show_plan": (
        "Show one: outlast show --plan {key}{lang}",
        "查看：outlast show --plan {key}{lang}",
    ),
    "say_switch_plan": (
        "Switch to another: outlast use {other}{lang}",
        "切换到另一个：outlast use {other}{lang}",
    ),
    "row_next": ("next: {task}", "下一个：{task}"),
    "row_run": ("{actor} at work", "{actor} 正在执行"),
    "row_run_since": ("{actor} at work, {time}", "{actor} 正在执行，{time}前开始"),
    "row_since": ("{actor}, {time}", "{actor}，{time}前开始"),
    "row_moment": ("<1 min", "不到 1 分钟"),
    "row_minutes": ("{count:,} min", "{count:,} 分钟"),
    "row_hours": ("{count:,} h", "{count:,} 小时"),
    "row_days": ("{count:day}", "{count:,} 天"),
    "row_more": ("  (+{count:,})", "（另有 {count:,} 个）"),
    "say_phase_created": ("Created phase {phase}", "已新建阶段 {phase}"),
    "say_added": ("Added {task}", "已添加 {task}"),
    "say_ready": ("{count:task} can start now:", "现在可以开始 {count:,} 个任务："),
    "say_started": (
        "Started {task}; when it is done, run: outlast done{number}{common}",
        "已开始 {task}；完成后请运行：outlast done{number}{common}",
    ),
    "say_passed_before": (
        "Warning: its checks already pass, so they will prove little",
        "注意：检查现在已通过，完成时再通过不足以证明",
    ),
    "say_current": (
        "In progress: {task}; when it is done, run: outlast done{common}",
        "进行中：{task}；完成后请运行：outlast done{common}",
    ),
    "say_next": (
        "Next: {task}; start it with: outlast start{common}",
        "下一个：{task}；开始：outlast start{common}",
    ),
    "say_next_more": (
        (
            "Next: {task}; start it with: outlast start{common} ({more:,} more: outlast next "
            "--all{common})"
        ),
        (
            "下一个：{task}；开始：outlast start{common}（另有 {more:,} 个：outlast next "
            "--all{common}）"
        ),
    ),
    "say_waiting": (
        "No other task can start yet; in progress: {tasks}",
        "暂时没有其他可开始的任务；进行中：{tasks}",
    ),
    "say_unreadable": (
        (
            "No task can start in the readable part of the plan; repair it first: outlast doctor "
            "--repair{as_person}"
        ),
        "计划可读的部分中没有可以开始的任务；请先修复：outlast doctor --repair{as_person}",
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
        "Removed {task} from the plan; to bring it back: outlast undo{common}",
        "已从计划中移除 {task}；恢复：outlast undo{common}",
    ),
    "say_current_plan": (
        "Now on plan {key}: {title}  {done}/{total} {status}",
        "当前计划 {key}：{title}  {done}/{total} {status}",
    ),
    "say_variable_first": (
        "In this shell OUTLAST_PLAN={plan} comes first; unset it to work on {key}",
        "此终端设置了 OUTLAST_PLAN={plan}，优先生效；取消设置后才会使用 {key}",
    ),
    "say_paused": (
        "Plan {key} is paused ({done}/{total}); continue with: outlast resume{as_person}",
        "计划 {key} 已暂停（{done}/{total}）；继续：outlast resume{as_person}",
    ),
    "say_pausing": (
        (
            "Plan {key} is paused ({done}/{total}); {worker} stops after its current call, then "
            "continue with: outlast resume{as_person}"
        ),
        (
            "计划 {key} 已暂停（{done}/{total}）；{worker} 做完当前调用后停下，之后继续：outlast "
            "resume{as_person}"
        ),
    ),
    "say_still_paused": (
        "Paused; go on with: outlast resume{as_person}",
        "已暂停；继续：outlast resume{as_person}",
    ),
    "say_resumed": ("Plan {key} resumed ({done}/{total})", "计划 {key} 已恢复（{done}/{total}）"),
    "say_edited": ("Changed {task}", "已修改 {task}"),
    "say_assumed": (
        (
            "Task {task} was only assumed to be done\n"
            "  if it is done: outlast done {task}{common}\n"
            "  if it is not:  outlast edit {task} --reopen{common}"
        ),
        (
            "任务 {task} 只是推定完成\n"
            "  确实已完成：outlast done {task}{common}\n"
            "  尚未完成：  outlast edit {task} --reopen{common}"
        ),
    ),
    "say_old_goal": ("  its goal was: {goal}", "  原目标：{goal}"),
    "say_plan_edited": ("Changed plan {key}: {title}", "已修改计划 {key}：{title}"),
    "say_claimed": (
        (
            "Claimed {task} until {until}; the claim's token is {token}\n"
            "  when it is done:     outlast done {number} --token {token}{common}\n"
            "  to extend the claim: outlast claim {number} --token {token}{common}\n"
            "  to give it back:     outlast release {number} --token {token}{common}"
        ),
        (
            "已认领 {task}，至 {until}；认领令牌为 {token}\n"
            "  完成时：  outlast done {number} --token {token}{common}\n"
            "  延长认领：outlast claim {number} --token {token}{common}\n"
            "  放弃认领：outlast release {number} --token {token}{common}"
        ),
    ),
    "say_released": ("Released {task}", "已放弃 {task}"),
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
        ("Not run, because no person has approved these yet (outlast check --approve{as_person}):"),
        "以下检查尚未由人批准，因此没有运行（outlast check --approve{as_person}）：",
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
        'Nothing noted yet: outlast note "What you learned"{common}',
        '还没有任何记录：outlast note "发现了什么"{common}',
    ),
    "say_accepted": (
        "Applied {count:change} from the files; the plan as it was before: {kept}",
        "已应用文件中的 {count:,} 处更改；原计划已备份：{kept}",
    ),
    "say_nothing_pending": (
        "No edit was held back; nothing was changed or copied",
        "没有被搁置的编辑：未作更改，也未保存备份",
    ),
    "say_aborted": (
        "Plan {key} is aborted ({done}/{total}); to continue it after all: {command}",
        "计划 {key} 已中止（{done}/{total}）；如要继续：{command}",
    ),
    "say_dropped": (
        "Plan {key} is dropped; bring it back with: {command}",
        "计划 {key} 已移入归档；恢复：{command}",
    ),
    "say_stop_wait": (
        "Waiting until {holder} has stopped; it ends its current call first",
        "正在等待 {holder} 停下；它会先结束当前的调用",
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
    "say_line_box": (
        "line {line}: unknown box; the task is not ticked: {line_text}",
        "第 {line} 行：无法识别的复选框；任务未勾选：{line_text}",
    ),
    "say_line_nested": (
        "line {line}: tasks have no levels; this one follows the task above it: {line_text}",
        "第 {line} 行：任务不分层级；此任务排在上一任务之后：{line_text}",
    ),
    "say_unread_need": (
        "left out a need, because that task is not in the file, or comes later: {line_text}",
        "已略去一项依赖，因为所依赖的任务不在文件中，或排在后面：{line_text}",
    ),
    "say_unread_need_at": (
        (
            "line {line}: left out a need, because that task is not in the file, or comes later: "
            "{line_text}"
        ),
        "第 {line} 行：已略去一项依赖，因为所依赖的任务不在文件中，或排在后面：{line_text}",
    ),
    "say_unread_file": ("not read: {line_text}", "未读取：{line_text}"),
    "say_unread_link": (
        "not read, because it is a link: {line_text}",
        "是链接，未读取：{line_text}",
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
        "unknown command {command}; for a list of all commands: outlast help --all{lang}",
        "未知命令 {command}；全部命令：outlast help --all{lang}",
    ),
    "name_is_number": (
        "{name} is a number, not a task name; to need several tasks: --needs {needs}",
        "{name} 是编号，不能作任务名称；依赖多个任务请写：--needs {needs}",
    ),
    "export_ending": (
        "{file}: unknown ending {ending}; use .md or .json, or choose a format: --format {forms}",
        "{file}：未知的扩展名 {ending}；请用 .md 或 .json，或指定格式：--format {forms}",
    ),
    "command_near": (
        "unknown command {command}; did you mean: outlast {words}",
        "未知命令 {command}；是否想用：outlast {words}",
    ),
    "option_unknown": (
        "unknown option {option}; usage: {usage}",
        "未知选项 {option}；用法：{usage}",
    ),
    "option_or_key": (
        "unknown option {option}; for a key that begins with -: outlast {command} -- KEY",
        "未知选项 {option}；以 - 开头的标识请写：outlast {command} -- KEY",
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
        "{given}: expected a revision such as 12 or r12; to see them: outlast log{common}",
        "{given}：应为修订号，例如 12 或 r12；查看：outlast log{common}",
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
        "unexpected argument {extra} (quote text that contains spaces); usage: {usage}",
        "多余的参数 {extra}（含空格的文字请加引号）；用法：{usage}",
    ),
    "arguments_extra_text": (
        "unexpected argument {extra}; did you mean: outlast {words}{common}",
        "多余的参数 {extra}；是否想用：outlast {words}{common}",
    ),
    "reason_required": (
        'say why {task} failed: outlast fail {task} "the reason"{common}',
        '请说明 {task} 失败的原因：outlast fail {task} "失败原因"{common}',
    ),
    "no_own_task": (
        "{actor} has no task in progress; give a task number, or start a task first",
        "{actor} 没有进行中的任务；请给出任务编号，或先开始一个任务",
    ),
    "no_own_task_paused": (
        "{actor} has no task in progress, and the plan is paused; give a task number",
        "{actor} 没有进行中的任务，计划也已暂停；请给出任务编号",
    ),
    "nothing_to_edit": (
        "say what to change, such as --name TEXT; for all options: outlast help edit{lang}",
        "请说明要修改什么，例如 --name TEXT；全部选项：outlast help edit{lang}",
    ),
    "edit_apart": (
        "{options}: these change the plan itself; edit a task with a separate command",
        "{options}：这些选项修改计划本身；修改任务请另用一条命令",
    ),
    "options_apart": ("{options}: only one of these can be given", "{options}：只能使用其中一个"),
    "yes_needed": (
        "{command} changes the whole plan at once; to confirm: outlast {command} --yes{as_person}",
        "{command} 会一次改动整个计划；如确认，请运行：outlast {command} --yes{as_person}",
    ),
    "person_inside_agent": (
        (
            "{argument}: {agent} runs this ({variable} is set), and an agent cannot act as a "
            "person; leave it out, or ask a person to type it in their own terminal"
        ),
        (
            "{argument}：此进程由 {agent} 运行（已设置 {variable}），智能体不能以人的身份行事；"
            "请去掉它，或请人在自己的终端里输入"
        ),
    ),
    "only_people": (
        "Only a person may use {command}, and {actor} is an agent; ask a person to do it",
        "只有人才能使用 {command}，而 {actor} 是智能体；请让人来做",
    ),
    "only_people_elsewhere": (
        (
            "Only a person may use {command}, and {actor} runs this ({variable} is set); "
            "ask a person to type it in their own terminal"
        ),
        (
            "只有人才能使用 {command}，而此进程由 {actor} 运行（已设置 {variable}）；"
            "请让人在自己的终端里输入"
        ),
    ),
    "file_exists": (
        "{path} already exists; choose another name, or add --yes to replace it and keep a copy",
        "文件 {path} 已存在；请换一个名称，或加 --yes 替换（原文件会另存备份）",
    ),
    "hint_add": ('Add a task: outlast add "…"{common}', '添加任务：outlast add "…"{common}'),
    "hint_archived": ("For example: {command}", "例如：{command}"),
    "hint_done": (
        "When it is done: outlast done {task_id}{common}",
        "完成后：outlast done {task_id}{common}",
    ),
    "hint_done_paused": (
        "You can still complete a task: outlast done N{as_person}",
        "仍可完成任务：outlast done N{as_person}",
    ),
    "hint_next": ("See what is next: outlast next{common}", "查看下一步：outlast next{common}"),
    "hint_release": (
        "Give it back: outlast release {task_id}{common}",
        "放弃它：outlast release {task_id}{common}",
    ),
    "hint_reopen": (
        "Reopen it: outlast edit {task_id} --reopen{common}",
        "重新打开：outlast edit {task_id} --reopen{common}",
    ),
    "hint_resume": ("Resume it: outlast resume{as_person}", "恢复：outlast resume{as_person}"),
    "hint_return": (
        "If nobody works on it any more: outlast release {task_id}{common}",
        "如果已经没有人在做：outlast release {task_id}{common}",
    ),
    "hint_skip": (
        "Skip it: outlast skip {task_id}{common}",
        "跳过：outlast skip {task_id}{common}",
    ),
    "hint_start": (
        "Start the next one: outlast start{common}",
        "开始下一个：outlast start{common}",
    ),
    "hint_task": (
        "See who has it: outlast show {task_id}{common}",
        "查看由谁在做：outlast show {task_id}{common}",
    ),
    "hint_tasks": ("See the tasks: outlast show{common}", "查看任务：outlast show{common}"),
    "hint_undo_by": ("Undo that: outlast undo {by}{common}", "撤销它：outlast undo {by}{common}"),
    "hint_undo_own": (
        "Undo your own: outlast undo {instead}{common}",
        "撤销自己的：outlast undo {instead}{common}",
    ),
    "hint_check_failed": (
        "Fix it, then: outlast done {number}{common} (to override: outlast help done{lang})",
        "修正后再运行：outlast done {number}{common}（其他处理方式：outlast help done{lang}）",
    ),
    "hint_check_unknown": (
        "Once the check can run to its end: outlast done {number}{common}",
        "待检查能够完整运行后，再运行：outlast done {number}{common}",
    ),
    "hint_claim_token": ("If you hold the claim, add --token TOKEN", "认领者请加上 --token TOKEN"),
    "hint_drop": ("Drop it then: outlast drop{as_person}", "之后再移走它：outlast drop{as_person}"),
    "hint_stop_run": (
        "A person can stop it: outlast {command} --stop{as_person}",
        "人可以让它停下：outlast {command} --stop{as_person}",
    ),
    "hint_use": (
        "Work on that plan: outlast use{lang} {key}",
        "使用该计划：outlast use{lang} {key}",
    ),
    "hint_new": ('Create one: outlast new "GOAL"{lang}', '新建：outlast new "目标"{lang}'),
}
