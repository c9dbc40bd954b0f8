"""The orchestrator: what it tells its model and people about tasks and agents."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # headings of a request to the model
    "section_goal": ("Goal", "目标"),
    "section_told": ("What the user has said", "用户说过的话"),
    "section_needed": (
        "Results of the tasks that this one needs, as their agents report them",
        "所依赖任务的结果（由各智能体报告）",
    ),
    "section_tasks": ("Tasks", "任务"),
    "section_task": ("Task", "任务"),
    "section_advice": ("Why the plan has to change", "为什么要调整计划"),
    "section_expected": ("Expected output", "预期输出"),
    "section_told_agent": ("What the agent was told to do differently", "要求智能体改变的做法"),
    "section_checks": ("Checks", "检查"),
    "section_check_output": ("Output of the failed checks", "未通过检查的输出"),
    "section_strays": (
        "Files that were changed although the task does not name them",
        "改动了任务声明之外的文件",
    ),
    "section_status": ("Status in the agent's report", "智能体报告的状态"),
    "section_results": ("Results, as the agent reports them", "智能体报告的成果"),
    "section_pitfalls": ("Pitfalls, as the agent reports them", "智能体报告的问题"),
    "section_next_steps": ("Next steps, as the agent proposes them", "智能体建议的下一步"),
    "section_late": (
        "Reports about earlier attempts, which came too late to be taken",
        "关于先前尝试的报告（超时后才到，未采用）",
    ),
    "checks_green": ("All checks pass", "所有检查均通过"),
    "checks_red": ("A check fails", "有检查未通过"),
    "checks_none": ("The task has no checks", "该任务没有检查"),
    # the plan of a model
    "plan_name_twice": ("a second task is named {name!r}", "有两个任务都叫 {name!r}"),
    "plan_need_unknown": (
        "{need!r} is no task: use positions from 1 to {count}, or names",
        "{need!r} 不是任务：请使用 1 到 {count} 的序号或任务名称",
    ),
    "plan_needs_circle": ("the tasks {tasks} wait for each other", "任务 {tasks} 相互等待"),
    "plan_unreadable": (
        "The model did not answer with a plan, in three tries",
        "模型三次都没有给出可用的计划",
    ),
    "too_many_replans": (
        "The plan was changed {count:time} already; look at it before it goes on",
        "计划已调整 {count:,} 次；请查看后再继续",
    ),
    # work on a task
    "task_ended_elsewhere": (
        "Somebody else ended the task or took it over",
        "任务已由他人结束或接手",
    ),
    "task_lane_failed": (
        "The work on task {task} broke off: {problem}",
        "任务 {task} 的执行意外中断：{problem}",
    ),
    "nothing_to_start": ("There is no task that could start", "没有可以开始的任务"),
    "task_edited": ("The task was edited: read it again", "任务已修改：请重新阅读"),
    "person_chose_done": ("A person says that it is done", "有人说已完成"),
    "person_chose_retry": ("A person wants another try", "有人要求再试一次"),
    "person_chose_edit": ("A person has edited the task", "有人修改了任务"),
    "person_chose_skip": ("A person wants it skipped", "有人要求跳过"),
    "person_chose_abort": ("A person wants the plan aborted", "有人要求中止计划"),
    # checks and commands that nobody has approved
    "ask_to_approve": (
        (
            "Nobody has approved these checks and commands:\n{rules}\n"
            "May they run on this machine? Answer yes or no."
        ),
        "以下检查和命令还没有人批准：\n{rules}\n可以在这台机器上运行吗？请回答 是 或 否。",
    ),
    "checks_unapproved": (
        "{count:check} not approved, so no task can be proved; look at them and approve them",
        "有 {count:,} 项检查未经批准，任务无法得到证明；请查看并批准",
    ),
    # changes of the plan
    "patch_changed": (" (changed: {fields})", "（修改：{fields}）"),
    "patch_needs": (" (needs {tasks})", "（依赖 {tasks}）"),
    "ask_replan": (
        (
            "The plan should change: {reason}\n{patch}\n"
            "Answer approve; reject and why; edit, once you have changed the plan yourself; or say "
            "what should be different."
        ),
        (
            "计划需要调整：{reason}\n{patch}\n"
            "请回答 批准；拒绝，并说明原因；修改（您已自行改好计划）；或说明应当怎样调整。"
        ),
    ),
    "planned_in_turn": (
        "The planner does not say what its tasks need, so they run one after the other.",
        "规划未说明任务之间的依赖，因此各任务依次执行。",
    ),
    "replanned": ("The plan has changed: {reason}\n{patch}", "计划已调整：{reason}\n{patch}"),
    "replan_approve": ("A person has approved the change", "有人批准了调整"),
    "replan_reject": (
        "A person has rejected the change of the plan: go on with the plan as it is",
        "有人拒绝了对计划的调整：请按原计划继续",
    ),
    "replan_edit": ("A person has changed the plan", "有人自行修改了计划"),
    "replan_unanswered": (
        "The plan should change, and nobody has approved that yet",
        "计划需要调整，尚未有人批准",
    ),
    # the summary without a model
    "summary_finished": (
        "The plan is finished: {done:,} of {total:,} tasks are done",
        "计划已完成：共 {total:,} 个任务，完成 {done:,} 个",
    ),
    "summary_unfinished": (
        "The plan is not finished: {done:,} of {total:,} tasks are done",
        "计划未完成：共 {total:,} 个任务，完成 {done:,} 个",
    ),
    "summary_skipped": ("{count:,} skipped", "跳过 {count:,} 个"),
    "summary_task_pending": ("{task} {name} (not begun)", "{task} {name}（未开始）"),
    "summary_task_in_progress": ("{task} {name} (not finished)", "{task} {name}（未完成）"),
    "summary_task_completed": ("{task} {name} (done)", "{task} {name}（已完成）"),
    "summary_task_failed": ("{task} {name} (failed)", "{task} {name}（失败）"),
    "summary_task_skipped": ("{task} {name} (skipped)", "{task} {name}（已跳过）"),
    # what a coding agent is told
    "order_intro": (
        (
            "Carry out the task below in this directory. Work until it is done, then report. "
            "Report FAILED or PARTIAL_SUCCESS honestly if something is missing: the result is "
            "checked."
        ),
        (
            "请在本目录中完成下面的任务，做完后提交报告。如有未完成之处，请如实报告 FAILED 或 "
            "PARTIAL_SUCCESS：结果会被检查。"
        ),
    ),
    "order_task": ("Task", "任务"),
    "order_context": ("Context", "背景"),
    "order_constraints": ("Constraints", "约束条件"),
    "order_expected": ("Expected output", "预期输出"),
    "order_checks": ("These checks must pass afterwards", "完成后须通过以下检查"),
    "order_files": ("Change only these files", "只修改以下文件"),
    "order_protect": ("Do not change these files", "不要修改以下文件"),
    "order_advice": (
        "What to do differently than in the last attempt",
        "与上次尝试相比应当改变的做法",
    ),
    "preflight_begins": (
        "Checking whether {agent} can work here (at most a minute, once a day)",
        "先确认 {agent} 能否在此工作（最多一分钟，每天一次）",
    ),
    "preflight_task": ("Preflight", "预检"),
    "preflight_write": (
        "Write the word {word} into the file {file}, and nothing else. Then report SUCCESS.",
        "把单词 {word} 写入文件 {file}，不要写其他内容。然后报告 SUCCESS。",
    ),
    "preflight_read": (
        "Read the file {file} and report the word in it, as the result. Change nothing.",
        "读取文件 {file}，把其中的单词作为结果报告。不要做任何更改。",
    ),
    "preflight_not_done": ("It did not do the trial task: {says}", "它没能完成试运行任务：{says}"),
    "preflight_failed": (
        (
            "{agent} cannot work here, so no task was started: {problem}\n"
            "Fix that, then continue. To start without this trial, set preflight = false below "
            "[orchestrator] in your settings"
        ),
        (
            "{agent} 无法在此工作，因此没有开始任何任务：{problem}\n"
            "请先解决，再继续。要跳过试运行，请在您的设置中 [orchestrator] 下写入 preflight = false"
        ),
    ),
    "ask_to_work": ("Task {task} {name!r} is yours.", "任务 {task} {name!r} 由您完成。"),
    "ask_to_work_answers": (
        "Answer done when it is done, perhaps with a word about the result; or skip or abort.",
        "完成后请回答 完成，可附上结果说明；也可以回答 跳过 或 中止。",
    ),
    "person_has_to_work": ("A person has to carry out the task", "任务需要由人完成"),
    "order_guide": (
        "The guidelines of this project are in {file}: read them first.",
        "本项目的规范在 {file} 中：请先阅读。",
    ),
    "order_done_before": (
        "These calls were made for the task before; do not repeat them without need",
        "此前已为该任务进行过以下调用；如无必要请勿重复",
    ),
    "submit_report_tool": (
        "Report how the task ended. This ends your work on it.",
        "报告任务的结果。报告后，你在该任务上的工作即告结束。",
    ),
    "report_taken": ("Report received; it will be checked", "已收到报告；结果会被检查"),
    "report_wanted": (
        "Go on with the tools, or end the work with a call of `{tool}`.",
        "请继续使用工具，或者调用 `{tool}` 结束工作。",
    ),
    "work_interrupted": (
        "The run ended while its model worked on the task",
        "模型执行任务时，运行中断",
    ),
    "work_too_long": (
        "There was no report after {count:model call}",
        "调用模型 {count:,} 次后仍没有报告",
    ),
    "agent_needs_own_model": (
        "The agent {agent} needs a model: give one with --model NAME",
        "智能体 {agent} 需要模型：请用 --model 名称 指定",
    ),
    "agent_needs_run": (
        "The agent {agent} works only inside a run: outlast run GOAL --agent {agent}",
        "智能体 {agent} 只能在运行中工作：outlast run 目标 --agent {agent}",
    ),
    "agent_settle_prompt": (
        (
            "You were interrupted. Do not go on and change nothing. "
            "Report what you had finished of the task: SUCCESS only if all of it was done."
        ),
        (
            "你的工作被中断了。不要继续，也不要做任何更改。请报告任务完成到哪一步："
            "全部完成才报告 SUCCESS。"
        ),
    ),
    "agent_not_installed": (
        "{agent} is not installed, or not on the PATH",
        "未安装 {agent}，或它不在 PATH 中",
    ),
    "agent_not_installed_how": (
        "{agent} is not installed, or not on the PATH; to install it: {command}",
        "未安装 {agent}，或它不在 PATH 中；安装方法：{command}",
    ),
    "agent_model_unreachable": ("Its model cannot be reached", "无法连接它的模型"),
    "agent_model_refused": (
        "Its model returned an error: {error} ({status})",
        "它的模型返回错误：{error}（{status}）",
    ),
    "agent_broken": (
        "{agent}: the package of this agent cannot be used: {problem}",
        "{agent}：无法使用提供该智能体的软件包：{problem}",
    ),
    "agent_incomplete": (
        "{agent}: what its package provides is no agent: it has no {parts}",
        "{agent}：软件包提供的不是智能体：缺少 {parts}",
    ),
    "agent_unknown": (
        "there is no agent {name!r}; there are: {known}",
        "没有智能体 {name!r}；可用的有：{known}",
    ),
    "agent_unknown_close": (
        "there is no agent {name!r}; did you mean {close}? There are: {known}",
        "没有智能体 {name!r}；您是指 {close} 吗？可用的有：{known}",
    ),
    "agent_option_alone": (
        "{options}: only for the tasks of an agent; add --agent NAME",
        "{options}：只用于智能体执行的任务；请加 --agent NAME",
    ),
    "loop_with_agent": (
        (
            "--loop is for a model that does the work itself; here the agent {agent} does it: "
            "leave out --loop"
        ),
        "--loop 用于由模型自己执行的工作；这里由智能体 {agent} 执行：请去掉 --loop",
    ),
    "review_alone": (
        "--review: only with --agent NAME or --loop replan, which change the plan as they go",
        "--review：只能与 --agent NAME 或 --loop replan 一起使用，它们会边做边调整计划",
    ),
    "agent_without_levels": (
        "--permissions is for agents that choose their steps; {agent} does what the plan says",
        "--permissions 只用于自行决定步骤的智能体；{agent} 只做计划写明的事",
    ),
    "layout_needs_mailbox": (
        "--layout {layout} is a layout of mailboxes: add --mailbox DIR",
        "--layout {layout} 是信箱的布局：请加 --mailbox DIR",
    ),
    "agent_and_mailbox": (
        (
            "--mailbox leaves the choice of the agent to its workers: leave out --agent here, "
            "and start one with: outlast worker --agent {agent} --mailbox {mailbox}{lang}"
        ),
        (
            "--mailbox 由处理信箱的一方决定使用哪个智能体：此处不要加 --agent，"
            "另行启动：outlast worker --agent {agent} --mailbox {mailbox}{lang}"
        ),
    ),
    "agent_needs_model": (
        (
            "no model to plan this goal with: add --model NAME, or write the plan yourself and "
            "type: outlast run plan.md --agent {agent}{lang}"
        ),
        (
            "没有可用来制定计划的模型：请加 --model NAME，或自己写好计划后执行："
            "outlast run plan.md --agent {agent}{lang}"
        ),
    ),
    "agent_nothing_to_do": (
        "the plan {key} has no tasks, and there is no model to plan with: add --model NAME",
        "计划 {key} 没有任务，也没有可用来制定计划的模型：请加 --model NAME",
    ),
    "tasks_without_command": (
        (
            "the agent shell has no command to run for {count:task}: {tasks}; add a line "
            "- run: COMMAND below each"
        ),
        "智能体 shell 只运行命令，而 {count:,} 个任务没有命令：{tasks}；请在其下加一行 - run: 命令",
    ),
    "agent_or_bridge": (
        "{argument}: give an agent or a bridge",
        "{argument}：请给出智能体或 bridge 之一",
    ),
    "no_goal_yet": ("{argument}: call plan or run first", "{argument}：请先调用 plan 或 run"),
    "no_step_left": ("{argument}: all steps are finished", "{argument}：所有步骤均已完成"),
    "verdict_unreadable": (
        "The model did not answer with a decision, in three tries",
        "模型三次都没有给出可用的决定",
    ),
    "no_model_here": ("this run has no model", "本次运行没有模型"),
    "remembered_agent_refused": (
        (
            "the plan remembers the agent {value}, which you have not used for it in this "
            "directory and which may be somebody else's choice; choose one yourself: outlast "
            "resume --agent NAME{common}"
        ),
        (
            "计划记录的智能体是 {value}，但您没有在此目录中为它用过该智能体，可能是别人选的；"
            "请自行指定：outlast resume --agent NAME{common}"
        ),
    ),
    "plan_file_missing": ("{file}: there is no such file", "{file}：没有这个文件"),
    "plan_file_needs_agent": (
        (
            "to carry out the plan in {file}, say who works: --agent shell for its own commands, "
            "else claude-code, codex, tools or human"
        ),
        (
            "要执行 {file} 中的计划，请指定由谁执行：--agent shell 运行其中的命令，"
            "或 claude-code、codex、tools、human"
        ),
    ),
    "plan_file_continued": (
        (
            "Going on with the plan {key}, which has the goal of {file}; for a new one add "
            "--key NAME"
        ),
        "继续计划 {key}，它的目标与 {file} 相同；如需新建请加 --key NAME",
    ),
    "plan_file_sequential": (
        (
            "No task of {file} says what it needs, so they run one after the other; if they may "
            "run side by side: outlast edit --order graph{common}"
        ),
        (
            "{file} 中没有任务写明依赖，因此将依次执行；如可同时执行："
            "outlast edit --order graph{common}"
        ),
    ),
    "outlook_done": ("Not run again: {tasks}", "不再执行：{tasks}"),
    "outlook_in_doubt": (
        "Interrupted, to be settled first: {tasks}",
        "曾被中断，先确认结果：{tasks}",
    ),
    "outlook_failed": ("Failed, not run again: {tasks}", "已失败，不再执行：{tasks}"),
    "outlook_reported": ("Reported, still to be checked: {tasks}", "已收到报告，尚待检查：{tasks}"),
    "outlook_replanned": ("To be replanned, as decided: {tasks}", "按决定重新规划：{tasks}"),
    "outlook_asked": ("Waits for your answer: {tasks}", "等待您的答复：{tasks}"),
    "outlook_answered": ("Goes on as you answered: {tasks}", "按您的答复继续：{tasks}"),
    "outlook_begun": ("Goes on with another attempt: {tasks}", "继续，再试一次：{tasks}"),
    "outlook_left": ("Still to do: {tasks}", "尚待执行：{tasks}"),
    "outlook_more": ("{count:,} more", "另外 {count:,} 个"),
    # the live view
    "lane_attempt": ("attempt {attempt}", "第 {attempt} 次尝试"),
    "lane_checks": ("being checked", "正在检查"),
    "lane_judges": ("report being judged", "正在评估报告"),
    "lane_asks": ("waits for your answer", "等待您的答复"),
    "lane_again": ("about to be tried again", "即将重试"),
    "lanes_more": ("and {count:,} more", "另有 {count:,} 个任务"),
    "scene_plans": ("planning", "正在制定计划"),
    "scene_goes_on": ("deciding how to go on", "正在决定下一步"),
    "scene_ends": ("finishing", "正在收尾"),
    "ask_before_agent": (
        "Carry out this plan with {agent}? [y/N] ",
        "用 {agent} 执行这个计划吗？[y/N] ",
    ),
    "ask_before_agents": (
        "Carry out this plan with {agent}, {count:task} at a time? [y/N] ",
        "用 {agent} 执行这个计划（同时最多 {count:,} 个任务）吗？[y/N] ",
    ),
    "ask_before_human": (
        "Go through this plan with you, task by task? [y/N] ",
        "由您逐个完成这个计划的任务吗？[y/N] ",
    ),
    "agent_may_read": ("may only read", "只可读取"),
    "agent_may_edit": ("may edit files", "可修改文件"),
    "agent_may_full": ("may run anything", "可运行任何命令"),
    "commands_to_approve": ("These commands would run:", "将会运行以下命令："),
    "worker_serves": (
        "{agent} serves {where} and works in {workspace}; Ctrl-C ends it",
        "{agent} 正在处理 {where}，工作目录 {workspace}；按 Ctrl-C 结束",
    ),
    "worker_ended": ("Carried out {count:command}", "已处理 {count:,} 条指令"),
    "agent_no_report": (
        "The agent ended with exit code {code} and without a report: {says}",
        "智能体以退出码 {code} 结束，没有提交报告：{says}",
    ),
    "agent_silent": (
        "The agent ended with exit code {code} and without a word",
        "智能体以退出码 {code} 结束，没有留下任何说明",
    ),
    "agent_killed": (
        "The agent was killed (signal {signal}); its cost is known only in part",
        "智能体被杀死（信号 {signal}）；花费只知道一部分",
    ),
    "session_unknown": (
        "{agent} does not know session {session} any more; a new one begins\n",
        "{agent} 已不认识会话 {session}；现在开始新会话\n",
    ),
    "agent_too_slow": (
        "The agent was stopped after {seconds} seconds",
        "智能体运行 {seconds} 秒后被终止",
    ),
    "task_without_command": (
        "Task {task} has no command: give it a line `- run: COMMAND`",
        "任务 {task} 没有命令：请为它加上一行 `- run: 命令`",
    ),
    "command_ended": ("The command ended with exit code {code}", "命令已结束，退出码 {code}"),
    "agent_proved": (
        "The agent reports success, and all checks pass",
        "智能体报告成功，所有检查均通过",
    ),
    "agent_succeeded": ("The agent reports success", "智能体报告成功"),
    "agent_failed": ("The agent reports failure", "智能体报告失败"),
    "agent_denied": (
        "The agent was not permitted to: {calls}",
        "智能体没有以下操作的权限：{calls}",
    ),
    "agent_permit": (
        (
            "To permit it, change your own settings of that agent, or let it work with "
            "--permissions full (everything); then answer retry."
        ),
        (
            "如要允许，请修改该智能体自己的设置，或用 --permissions full（允许一切）运行；"
            "然后回答 重试。"
        ),
    ),
    "files_outside": (
        "Task {task} changed files that it does not name: {files}",
        "任务 {task} 改动了声明之外的文件：{files}",
    ),
    "files_outside_shared": (
        "While task {task} and others ran, files changed that none of them names: {files}",
        "任务 {task} 与其他任务同时进行时，有声明之外的文件被改动：{files}",
    ),
    "files_outside_more": ("{files} and {count:other}", "{files}，另有 {count:,} 个"),
    "report_unclear": (
        "It is not clear from the report whether the task is done",
        "从报告看不出任务是否完成",
    ),
    "settle_order": (
        (
            "The run was killed while {agent} worked on task {task}. "
            "Is the task done? Look, then answer done or not done."
        ),
        (
            "运行在 {agent} 执行任务 {task} 时被强制终止。这个任务做完了吗？"
            "请查看后回答 已完成 或 未完成。"
        ),
    ),
    "person_confirmed": (
        "A person confirms that the agent finished its work",
        "有人确认智能体已完成工作",
    ),
    "checks_confirmed": (
        (
            "The run was killed before the agent reported. The checks were red before it worked "
            "and are green now, so the work was done."
        ),
        "运行在智能体报告之前被终止。检查在智能体工作之前未通过，现在已通过，说明工作已完成。",
    ),
    "orders_unsettled": (
        "It is not known how the work on these tasks ended: {tasks}; answer the open questions",
        "不清楚以下任务的执行结果：{tasks}；请回答待答的问题",
    ),
    "checks_confirmed_late": (
        (
            "The agent has not reported in time. The checks were red before it worked and are "
            "green now, so the work was done."
        ),
        "智能体没有按时报告。检查在智能体工作之前未通过，现在已通过，说明工作已完成。",
    ),
    "checks_failed": ("A check fails: {problem}", "检查未通过：{problem}"),
    "tasks_claimed": (
        "The remaining tasks are claimed by others: {tasks}",
        "其余任务已由他人认领：{tasks}",
    ),
    "ask_to_confirm": (
        (
            "Task {task} {name!r} seems to be done. Please confirm:\n{rules}\n"
            "Answer yes, or say what is wrong."
        ),
        "任务 {task} {name!r} 看来已完成。请确认：\n{rules}\n请回答 是，或说明哪里不对。",
    ),
    "person_needed": ("A person has to confirm it", "需要有人确认"),
    "person_has_confirmed": ("A person has confirmed it", "有人已确认"),
    "person_has_denied": ("A person says that something is wrong", "有人指出有误"),
    "ask_what_to_do": (
        (
            "Task {task} {name!r} is not done: {problem}\n"
            "What now? Answer retry, skip or abort; done, if you have done it yourself; edit and "
            "how the task should read; or say what to do differently."
        ),
        (
            "任务 {task} {name!r} 没有完成：{problem}\n"
            "怎么办？请回答 重试、跳过 或 中止；如果您已自己做完，请回答 完成；"
            "修改，并写出新的任务说明；也可以说明应当怎样改做。"
        ),
    ),
    "ask_about_command": (
        (
            "Task {task} {name!r} is not done: {problem}\n"
            "What now? Answer retry, skip or abort; or done, if you have done it yourself. "
            "If its command or a check is wrong, correct it in the plan, then answer retry."
        ),
        (
            "任务 {task} {name!r} 没有完成：{problem}\n"
            "怎么办？请回答 重试、跳过 或 中止；如果您已自己做完，请回答 完成。"
            "如果命令或检查有误，请先在计划中改正，再回答 重试。"
        ),
    ),
}
