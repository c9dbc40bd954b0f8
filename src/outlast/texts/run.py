"""Running an agent from the command line."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # refusals
    "no_model": (
        (
            "no model given: add --model NAME, or set it once as OUTLAST_MODEL or as loop.model in "
            "{file}; outlast models shows which you can use here, and outlast demo needs none"
        ),
        (
            "没有指定模型：请加 --model NAME，或设置 OUTLAST_MODEL，或在 {file} 中设置 loop.model；"
            "outlast models 显示此处可用的模型，outlast demo 不需要模型"
        ),
    ),
    "run_as_person": (
        "an agent cannot act as a person; leave out --as {actor}",
        "智能体不能以人的名义工作；请去掉 --as {actor}",
    ),
    "answer_required": (
        'give the answer: outlast answer {id} "the answer"',
        '请写出答复：outlast answer {id} "答复"',
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
    "run_pausing": (
        "Pausing; press Ctrl-C again to stop at once",
        "正在暂停；再按一次 Ctrl-C 立即结束",
    ),
    "ask_before_acting": ("Do this now? [y/N] ", "现在执行吗？[y/N] "),
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
    "run_continue_budget": (
        "Raise the budget and continue: {command}",
        "提高预算并继续：{command}",
    ),
    "run_raise_of_task": (
        "Raise the budget of task {task}: {command}",
        "提高任务 {task} 的预算：{command}",
    ),
    "run_continue_answer": ("Answer, then continue: {command}", "先答复，然后继续：{command}"),
    "run_continue_watch": ("Watch the other run: {command}", "查看另一个运行：{command}"),
    "run_not_started": (
        (
            "Only answered and remembered, not started: plan {key} is paused. To make this a "
            "separate plan: {command}"
        ),
        "只作了回答并已记住，没有开始：计划 {key} 处于暂停状态。另建一个计划：{command}",
    ),
    "run_continue_paused": ("Continue {key}: {command}", "继续 {key}：{command}"),
    "run_continue_plan": (
        "Only planned so far; carry it out with: {command}",
        "目前只做了计划；执行：{command}",
    ),
    "run_details": ("See the details: {show}, {log}", "查看详情：{show}、{log}"),
    "resume_without_model": ("To let an agent continue: {command}", "让智能体继续：{command}"),
    # questions and answers
    "say_question": (
        "Question {id}: {question}\n  {command}",
        "问题 {id}：{question}\n  {command}",
    ),
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
        "The outcome of that command is unknown, so the agent asks a person, who looks and answers",
        "那条命令的结果未知，所以智能体先询问人；人查看后作答",
    ),
    "demo_answer": ("not done", "未完成"),
    "demo_ends": ("The plan at the end", "最终的计划"),
    "demo_next": ("Try next", "接下来可以试试"),
    "demo_own_goal": (
        'run "Your own goal" --model NAME   (outlast models lists them)',
        'run "你自己的目标" --model NAME   （outlast models 列出模型）',
    ),
}
