"""Running an agent from the command line."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # refusals
    "plan_not_begun": (
        "no run has begun this plan yet; let an agent do it: {command}",
        "此计划尚未开始运行；让智能体执行：{command}",
    ),
    "plan_not_begun_by_whom": (
        (
            "no run has begun this plan yet; name who works on it: --agent NAME or --model NAME; "
            "to begin by hand: outlast start{common}"
        ),
        (
            "此计划尚未开始运行；请指明由谁执行：--agent NAME 或 --model NAME；"
            "要手动开始：outlast start{common}"
        ),
    ),
    "no_model": (
        (
            "no model given: add --model NAME, or set it once as OUTLAST_MODEL or as loop.model in "
            "{file}; to see which you can use here: outlast models{lang}; without one: outlast "
            "demo{lang}"
        ),
        (
            "没有指定模型：请加 --model NAME，或设置 OUTLAST_MODEL，或在 {file} 中设置 loop.model；"
            "查看此处可用的模型：outlast models{lang}；不用模型：outlast demo{lang}"
        ),
    ),
    "remembered_model_refused": (
        (
            "the plan remembers the model {value}, which you have not used for it in this "
            "directory and which may be somebody else's choice; choose one yourself: outlast "
            "resume --model NAME{common}"
        ),
        (
            "计划记录的模型是 {value}，但您没有在此目录中为它用过该模型，可能是别人选的；"
            "请自行指定：outlast resume --model NAME{common}"
        ),
    ),
    "remembered_model_unusable": (
        (
            "the model of the last run, {model}, cannot be used: {problem}; with another one: "
            "outlast resume --model NAME{common}"
        ),
        (
            "上次运行的模型 {model} 无法使用：{problem}；换一个模型：outlast resume --model "
            "NAME{common}"
        ),
    ),
    "remembered_ignored": (
        (
            "The plan remembers {value}, which you have not used for it in this directory, so it "
            "is ignored; to choose yourself: outlast resume {flag}{common}"
        ),
        (
            "计划记录了 {value}，但您没有在此目录中为它用过，因此忽略；请自行指定：outlast "
            "resume {flag}{common}"
        ),
    ),
    "allow_unknown": (
        (
            '--allow "{pattern}" allows nothing; the forms are bash:COMMAND, bash, '
            "path:/DIRECTORY and path"
        ),
        "--allow “{pattern}”不起作用；可用的写法：bash:命令、bash、path:/目录、path",
    ),
    "run_as_person": (
        "an agent cannot act as a person; leave out --as {actor}",
        "智能体不能以人的名义工作；请去掉 --as {actor}",
    ),
    "answer_required": (
        'give the answer: outlast answer {id} "the answer"{as_person}',
        '请写出答复：outlast answer {id} "答复"{as_person}',
    ),
    "demo_not_empty": (
        "{where} is not empty; give another directory, or none",
        "{where} 不是空目录；请换一个目录，或省略",
    ),
    "demo_bad_directory": (
        "{where} cannot be used: {problem}; give another directory, or none",
        "{where} 无法使用：{problem}；请换一个目录，或省略",
    ),
    # during a run
    "continue_word": ("continue", "继续"),
    "run_waits": (
        (
            "Another run, {holder}, is working on this plan (until {until}); checking whether it "
            "is still alive"
        ),
        "另一个运行 {holder} 正在使用此计划（至 {until}）；等待确认它是否仍在运行",
    ),
    "run_done_by_other": (
        "The other run has finished this plan in the meantime",
        "另一个运行已在此期间结束了这个计划",
    ),
    "answered_elsewhere": (
        "Question {question} was answered elsewhere: {answer}",
        "问题 {question} 已在别处答复：{answer}",
    ),
    "agents_stopping": (
        "Stopping the agents, in the middle of {tasks}; press Ctrl-C again to end at once",
        "正在停止智能体（未完成：{tasks}）；再按一次 Ctrl-C 立即结束",
    ),
    "run_pausing": (
        "Pausing; press Ctrl-C again to stop at once",
        "正在暂停；再按一次 Ctrl-C 立即结束",
    ),
    "ask_before_acting": ("Carry out this plan? [y/N] ", "执行这个计划吗？[y/N] "),
    "plan_only": (
        (
            "Only plan for now: look at what you need, add the tasks, and reply with a short "
            "summary of the plan. Do not change or run anything until a person has agreed."
        ),
        (
            "现在只做计划：查看所需内容，添加任务，然后回复简短的计划摘要。在人同意之前，"
            "不得修改或运行任何东西。"
        ),
    ),
    "not_while_planning": (
        "Not done: {tool}. Only planning is allowed until a person agrees",
        "未执行：{tool}。人同意之前只允许做计划",
    ),
    # results
    "run_limit": (
        "Paused at the limit of model calls per run ({done}/{total} tasks done)",
        "已达到单次运行的模型调用上限，计划暂停（已完成 {done}/{total} 个任务）",
    ),
    "run_empty_answer": ("The model returned an empty answer", "模型没有返回任何内容"),
    "run_delivered": ("Result ({file}):", "成果（{file}）："),
    "run_continue": ("Continue with: {command}", "继续：{command}"),
    "run_still_paused": (
        "The plan is still paused; to let the agent work on it: {command}",
        "计划仍处于暂停状态；让智能体继续执行：{command}",
    ),
    "run_continue_budget": (
        "Raise the budget and continue: {command}",
        "提高预算并继续：{command}",
    ),
    "run_raise_of_task": (
        "Raise the budget of task {task}: {command}",
        "提高任务 {task} 的预算：{command}",
    ),
    "run_others": (
        "When {task} is done: {done}; if nobody works on it any more: {release}",
        "任务 {task} 完成后：{done}；如果已经没有人在做：{release}",
    ),
    "run_continue_then": ("Then continue: {command}", "然后继续：{command}"),
    "run_continue_answer": ("Answer, then continue: {command}", "先答复，然后继续：{command}"),
    "run_undo": ("To continue it after all: {command}", "如要继续：{command}"),
    "run_restore": ("Bring it back with: {command}", "恢复它：{command}"),
    "run_continue_watch": ("Watch the other run: {command}", "查看另一个运行：{command}"),
    "run_continue_plan": (
        "Only planned so far; carry it out with: {command}",
        "目前只做了计划；执行：{command}",
    ),
    "run_needs_approval": (
        "This plan needs your approval before it is carried out; to give it: {command}",
        "此计划须经您批准才能执行；批准并执行：{command}",
    ),
    "run_planning_limit": (
        "Planning paused at the limit of model calls per run",
        "已达到单次运行的模型调用上限，暂停做计划",
    ),
    "run_continue_planning": ("Continue planning: {command}", "继续做计划：{command}"),
    "run_details_agents": (
        "Report with proof, costs and times: {report}; what happened: {log}",
        "查看报告（证明、花费与用时）：{report}；查看经过：{log}",
    ),
    "run_details": (
        "See the costs: {show}; what happened: {log}",
        "查看花费：{show}；查看经过：{log}",
    ),
    "resume_without_model": ("To let an agent continue: {command}", "让智能体继续：{command}"),
    # permissions
    "permissions_settings": ("Allowed by your settings:", "您的设置允许："),
    "permissions_patterns": ("Allowed for this plan by --allow:", "用 --allow 为此计划允许："),
    "permissions_calls": ('Always allowed by your answers ("always"):', "您答复“总是”而允许："),
    "permissions_none": (
        "Nothing is allowed in advance: agents ask before they leave the workspace or destroy data",
        "没有预先允许任何操作：智能体离开工作区或可能毁坏数据之前都会询问",
    ),
    "permissions_forget": ("Take this back: {command}", "收回许可：{command}"),
    "permissions_forgotten": (
        "What you allowed for this plan is forgotten",
        "已收回您为此计划给出的许可",
    ),
    # questions and answers
    "say_question": (
        "Question {id}: {question}\n  {command}",
        "问题 {id}：{question}\n  {command}",
    ),
    "answer_done": ("done", "已完成"),
    "answer_not_done": ("not done", "未完成"),
    "answer_retry": ("retry", "重试"),
    "answer_skip": ("skip", "跳过"),
    "answer_abort": ("abort", "中止"),
    "answer_approve": ("approve", "批准"),
    "answer_reject": ("reject", "拒绝"),
    "answer_yes": ("yes", "是"),
    "answer_no": ("no", "否"),
    "say_answered": ("Answered question {id}: {question}", "已回答问题 {id}：{question}"),
    "say_answered_next": (
        "Let the agent continue with it: {command}",
        "让智能体据此继续：{command}",
    ),
    "say_read_soon": ("The agent will read it before its next step", "智能体会在下一步之前读到"),
    "say_read_later": (
        "No agent is running; the next run reads it",
        "当前没有智能体在运行；下次运行时它会读到",
    ),
    # costs
    "amount_of_tokens": ("{count:token}", "{count:,} 个 token"),
    "amount_of_replans": ("{count:replan}", "重新规划 {count:,} 次"),
    "cost_used": ("Used: {what}", "已用：{what}"),
    "cost_reserved": ("Reserved for work in progress: {what}", "已为进行中的操作预留：{what}"),
    "cost_left": ("Left: {what}", "剩余：{what}"),
    "cost_forecast": ("Estimated cost of the open tasks: {what}", "未完成任务的预计花费：{what}"),
    "cost_unknown": (
        "The cost of the open tasks can be estimated once three are finished",
        "完成三个任务后才能预计未完成任务的花费",
    ),
    "cost_of_task": ("  {task}: {what}", "  {task}：已用 {what}"),
    "cost_left_of_task": ("  {task}: {what} left", "  {task}：剩余 {what}"),
    "cost_planning": ("Of what was used, planning itself: {what}", "其中用于规划：{what}"),
    "amount_of_limit": ("{amount} of {limit} {unit}", "{unit} {amount}（共 {limit}）"),
    "time_seconds": ("{seconds} s", "{seconds} 秒"),
    "time_minutes": ("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒"),
    "time_hours": ("{hours} h {minutes} min", "{hours} 小时 {minutes} 分"),
    "amount_of_model_calls": ("{count:model call}", "模型调用 {count:,} 次"),
    "amount_of_tool_calls": ("{count:tool call}", "工具调用 {count:,} 次"),
    # the demo
    "demo_begins": (
        (
            "A small real job in {where}: prices.py has a bug, and its tests show it.\n"
            "The model is {model}.\n"
            "Everything else is real: files, tools, tests, processes and the kill."
        ),
        (
            "{where} 中有一个真实的小项目：prices.py 有 bug，测试能复现。\n"
            "模型是{model}。\n"
            "其余都是真的：文件、工具、测试、进程和强制终止。"
        ),
    ),
    "demo_script": ("a script, so no API key is needed", "一份脚本，因此不需要 API 密钥"),
    "demo_goal": ("Fix prices.py and report what was wrong", "修好 prices.py 并报告问题所在"),
    "demo_task_find": ("Find the bug", "找出 bug"),
    "demo_task_fix": ("Fix prices.py", "修好 prices.py"),
    "demo_task_report": ("Write REPORT.md", "写 REPORT.md"),
    "demo_plan": (
        "A person creates the plan, with checks that must pass",
        "由人制定计划，并设置必须通过的检查",
    ),
    "demo_works": ("An agent works on it: outlast run", "智能体开始工作：outlast run"),
    "demo_killed": (
        "Killed by signal {signal} in the middle of that. The plan at this moment:",
        "就在此时被信号 {signal} 终止。此时的计划：",
    ),
    "demo_not_killed": ("It finished before it could be killed", "还没来得及终止它，工作就完成了"),
    "demo_resumes": (
        "Another process continues from the plan alone: outlast resume",
        "另一个进程仅凭计划继续：outlast resume",
    ),
    "demo_asked": (
        "Nobody recorded how that command ended, so a person is asked instead of running it twice",
        "没有记录那条命令是如何结束的，所以先问人，而不是再执行一遍",
    ),
    "demo_ends": ("The plan at the end", "最终的计划"),
    "demo_next": ("Try next", "接下来可以试试"),
    "demo_own_goal": (
        'run "Your own goal" --model NAME   (to see them: outlast models)',
        'run "您自己的目标" --model NAME   （查看模型：outlast models）',
    ),
}
