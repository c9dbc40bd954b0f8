"""What people and models read about running an agent from the command line, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # 有什么不对
    "no_model": (
        "没有指明模型：请加 --model NAME，或设置 OUTLAST_MODEL，或在 {file} 中设置 loop.model；"
        "outlast models 显示这里可用的模型，outlast demo 不需要模型"
    ),
    "run_as_person": "智能体不以人的名义工作；请去掉 --as {actor}",
    "answer_left_out": '请写出答复：outlast answer {id} "答复"',
    "demo_not_empty": "{where} 不是空目录；请换一个目录，或不写",
    "demo_no_place": "{where} 无法使用：{problem}；请换一个目录，或不写",
    # 工作之中
    "continue_word": "继续",
    "run_waits": "另一个运行 {holder} 占住此计划直到 {until}；等待中，以防它已经死去",
    "run_done_by_other": "另一个运行已在此期间结束了这个计划",
    "run_pausing": "正在暂停；再按一次 Ctrl-C 立即结束",
    "ask_before_acting": "现在就执行吗？[y/N] ",
    "plan_only": (
        "{goal}\n\n现在只做计划：查看所需内容，添加任务，然后用简短的总结答复。"
        "在人同意之前，不得修改或运行任何东西。"
    ),
    "not_while_planning": "未执行：{tool}。现在只允许做计划；须先经人同意",
    # 结果如何
    "run_said_nothing": "模型一言未发就结束了",
    "run_delivered": "成果（{file}）：",
    "run_go_on": "继续请用：{command}",
    "run_go_on_budget": "提高预算并继续：{command}",
    "run_raise_of_task": "提高任务 {task} 的预算：{command}",
    "run_go_on_answer": "先答复，然后继续：{command}",
    "run_go_on_watch": "查看另一个运行：{command}",
    "run_not_begun": "只作了回答，没有开始：计划 {key} 处于暂停状态。作为单独的计划开始：{command}",
    "run_go_on_paused": "继续 {key}：{command}",
    "run_go_on_plan": "目前只做了计划；执行请用：{command}",
    "run_look": "查看：{show}、{log}",
    "resume_without_model": "让智能体继续：{command}",
    # 问题与答复
    "say_question": "问题 {id}：{question}\n  {command}",
    "say_answered": "已回答问题 {id}：{question}",
    "say_answered_next": "智能体据此继续：{command}",
    "say_heard_soon": "智能体在下一步时听取",
    "say_heard_later": "没有智能体在工作；之后会听取：outlast resume",
    # 花费
    "amount_of_steps": "模型调用 {count}",
    "amount_of_tokens": "词元 {count}",
    "amount_of_money": "美元 {count}",
    "amount_of_time": "用时 {count}",
    "amount_of_calls": "工具调用 {count}",
    "amount_of_replans": "重新计划 {count}",
    "cost_used": "已用：{what}",
    "cost_aside": "已为正在进行的预留：{what}",
    "cost_left": "剩余：{what}",
    "cost_left_of": "{left}（上限 {limit}）",
    "cost_forecast": "未完成的任务可能花费：{what}",
    "cost_unknown": "完成三个任务之前，无法预计未完成任务的花费",
    "cost_of_task": "  {task}：用了 {what}",
    "cost_left_of_task": "  {task}：剩余 {what}",
    "cost_planning": "其中计划本身：{what}",
    # 演示
    "demo_begins": (
        "{where} 中一件真实的小工作：prices.py 有一个错误，测试会显示它。\n"
        "模型是{model}。\n"
        "其余都是真的：文件、工具、测试、进程和强制终止。"
    ),
    "demo_script": "一份脚本，因此不需要密钥",
    "demo_goal": "修好 prices.py 并报告哪里错了",
    "demo_task_find": "找出错误",
    "demo_task_mend": "修好 prices.py",
    "demo_task_report": "写 REPORT.md",
    "demo_plan": "由人做计划，并附上必须通过的检查",
    "demo_works": "智能体开始工作：outlast run",
    "demo_killed": "就在此时被信号 {signal} 终止。此时的计划：",
    "demo_not_killed": "还没来得及终止它，工作就完成了",
    "demo_resumes": "另一个进程仅凭计划继续：outlast resume",
    "demo_asked": "没有人看到那条命令如何结束，所以先问人；人看过之后答复",
    "demo_answer": "没有",
    "demo_ends": "最后的计划",
    "demo_next": "接下来可以试试",
    "demo_own_goal": 'run "你自己的目标" --model NAME   （outlast models 列出模型）',
}
