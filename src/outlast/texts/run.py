"""Running an agent from the command line."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # refusals
    "no_model": (
        (
            "no model is named: add --model NAME, or set it once as OUTLAST_MODEL or as loop.model "
            "in {file}; outlast models shows which can be used here, and outlast demo needs none"
        ),
        (
            "没有指明模型：请加 --model NAME，或设置 OUTLAST_MODEL，或在 {file} 中设置 loop.model；"
            "outlast models 显示这里可用的模型，outlast demo 不需要模型"
        ),
    ),
    "run_as_person": (
        "an agent does not work in the name of a person; leave --as {actor} out",
        "智能体不以人的名义工作；请去掉 --as {actor}",
    ),
    "answer_left_out": (
        'say what the answer is: outlast answer {id} "the answer"',
        '请写出答复：outlast answer {id} "答复"',
    ),
    "demo_not_empty": (
        "{where} is not empty; name another directory, or none",
        "{where} 不是空目录；请换一个目录，或不写",
    ),
    "demo_no_place": (
        "{where} cannot be used: {problem}; name another directory, or none",
        "{where} 无法使用：{problem}；请换一个目录，或不写",
    ),
    # during a run
    "continue_word": ("continue", "继续"),
    "run_waits": (
        "Another run, {holder}, holds this plan until {until}; waiting, in case it died",
        "另一个运行 {holder} 占住此计划直到 {until}；等待中，以防它已经死去",
    ),
    "run_done_by_other": (
        "The other run has ended this plan meanwhile",
        "另一个运行已在此期间结束了这个计划",
    ),
    "run_pausing": ("Pausing; Ctrl-C again ends at once", "正在暂停；再按一次 Ctrl-C 立即结束"),
    "ask_before_acting": ("Shall this be done now? [y/N] ", "现在就执行吗？[y/N] "),
    "plan_only": (
        (
            "{goal}\n"
            "\n"
            "Only plan for now: look at what you need, add the tasks, and reply with a short "
            "summary of the plan. Nothing may be changed or run before a person has agreed."
        ),
        (
            "{goal}\n"
            "\n"
            "现在只做计划：查看所需内容，添加任务，然后用简短的总结答复。在人同意之前，"
            "不得修改或运行任何东西。"
        ),
    ),
    "not_while_planning": (
        "Not done: {tool}. Only planning is allowed before a person agrees",
        "未执行：{tool}。现在只允许做计划；须先经人同意",
    ),
    # results
    "run_said_nothing": ("The model ended without a word", "模型一言未发就结束了"),
    "run_delivered": ("What came out ({file}):", "成果（{file}）："),
    "run_go_on": ("Go on with: {command}", "继续请用：{command}"),
    "run_go_on_budget": ("Raise the budget and go on: {command}", "提高预算并继续：{command}"),
    "run_raise_of_task": (
        "Raise the budget of task {task}: {command}",
        "提高任务 {task} 的预算：{command}",
    ),
    "run_go_on_answer": ("Answer, then go on: {command}", "先答复，然后继续：{command}"),
    "run_go_on_watch": ("Follow the other run: {command}", "查看另一个运行：{command}"),
    "run_not_begun": (
        "Only answered, not begun: the plan {key} is paused. As a plan of its own: {command}",
        "只作了回答，没有开始：计划 {key} 处于暂停状态。作为单独的计划开始：{command}",
    ),
    "run_go_on_paused": ("Go on with {key}: {command}", "继续 {key}：{command}"),
    "run_go_on_plan": (
        "Only planned so far; do it with: {command}",
        "目前只做了计划；执行请用：{command}",
    ),
    "run_look": ("Look at it: {show}, {log}", "查看：{show}、{log}"),
    "resume_without_model": ("To let an agent go on: {command}", "让智能体继续：{command}"),
    # questions and answers
    "say_question": (
        "Question {id}: {question}\n  {command}",
        "问题 {id}：{question}\n  {command}",
    ),
    "say_answered": ("Answered question {id}: {question}", "已回答问题 {id}：{question}"),
    "say_answered_next": ("The agent goes on with it: {command}", "智能体据此继续：{command}"),
    "say_heard_soon": ("The agent takes it in at its next step", "智能体在下一步时听取"),
    "say_heard_later": (
        "No agent is at work; it is heard after: outlast resume",
        "没有智能体在工作；之后会听取：outlast resume",
    ),
    # costs
    "amount_of_steps": ("model calls {count}", "模型调用 {count}"),
    "amount_of_tokens": ("tokens {count}", "词元 {count}"),
    "amount_of_money": ("${count}", "美元 {count}"),
    "amount_of_time": ("time {count}", "用时 {count}"),
    "amount_of_calls": ("tool calls {count}", "工具调用 {count}"),
    "amount_of_replans": ("replans {count}", "重新计划 {count}"),
    "cost_used": ("Used: {what}", "已用：{what}"),
    "cost_aside": ("Set aside for what has begun: {what}", "已为正在进行的预留：{what}"),
    "cost_left": ("Left: {what}", "剩余：{what}"),
    "cost_left_of": ("{left} of {limit}", "{left}（上限 {limit}）"),
    "cost_forecast": ("The open tasks may cost: {what}", "未完成的任务可能花费：{what}"),
    "cost_unknown": (
        "What the open tasks may cost is unknown before three have been finished",
        "完成三个任务之前，无法预计未完成任务的花费",
    ),
    "cost_of_task": ("  {task}: {what}", "  {task}：用了 {what}"),
    "cost_left_of_task": ("  {task}: left {what}", "  {task}：剩余 {what}"),
    "cost_planning": ("Of this, planning itself: {what}", "其中计划本身：{what}"),
    # the demo
    "demo_begins": (
        (
            "A small real job in {where}: prices.py has a mistake, and its tests show it.\n"
            "The model is {model}.\n"
            "All else is real: files, tools, tests, processes, the kill."
        ),
        (
            "{where} 中一件真实的小工作：prices.py 有一个错误，测试会显示它。\n"
            "模型是{model}。\n"
            "其余都是真的：文件、工具、测试、进程和强制终止。"
        ),
    ),
    "demo_script": ("a script, so that no key is needed", "一份脚本，因此不需要密钥"),
    "demo_goal": ("Mend prices.py and report what was wrong", "修好 prices.py 并报告哪里错了"),
    "demo_task_find": ("Find the mistake", "找出错误"),
    "demo_task_mend": ("Mend prices.py", "修好 prices.py"),
    "demo_task_report": ("Write REPORT.md", "写 REPORT.md"),
    "demo_plan": (
        "A person makes the plan, with checks that have to pass",
        "由人做计划，并附上必须通过的检查",
    ),
    "demo_works": ("An agent works on it: outlast run", "智能体开始工作：outlast run"),
    "demo_killed": (
        "Killed by signal {signal}, in the middle of that. The plan as it is then:",
        "就在此时被信号 {signal} 终止。此时的计划：",
    ),
    "demo_not_killed": (
        "It was done before there was a moment to kill it",
        "还没来得及终止它，工作就完成了",
    ),
    "demo_resumes": (
        "Another process goes on, from the plan alone: outlast resume",
        "另一个进程仅凭计划继续：outlast resume",
    ),
    "demo_asked": (
        "Nobody saw how that command ended; a person is asked, who looks and says",
        "没有人看到那条命令如何结束，所以先问人；人看过之后答复",
    ),
    "demo_answer": ("not done", "没有"),
    "demo_ends": ("The plan at the end", "最后的计划"),
    "demo_next": ("Try next", "接下来可以试试"),
    "demo_own_goal": (
        'run "A goal of your own" --model NAME   (outlast models lists them)',
        'run "你自己的目标" --model NAME   （outlast models 列出模型）',
    ),
}
