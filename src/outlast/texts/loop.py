"""The agent loop."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # shown to people
    "loop_completed": ("Plan completed: {done}/{total} steps", "计划已完成：{done}/{total} 步"),
    "loop_failed": (
        "The plan has failed: {done}/{total} steps done, and none of the others can run",
        "计划失败：{done}/{total} 步已完成，其余步骤都无法执行",
    ),
    "loop_paused": (
        "The plan is paused; resume it, then run the loop again",
        "计划已暂停；请先恢复，再运行循环",
    ),
    "loop_limit": (
        "Task in progress ({done}/{total} steps done). Type 'continue' to resume.",
        "任务执行中（{done}/{total} 步已完成）。输入'继续'以恢复执行。",
    ),
    "loop_unsettled": (
        (
            "Attempt {attempt} was interrupted and nobody knows whether it took place: {what}. "
            "Look, and answer: done, or not done"
        ),
        "尝试 {attempt} 被中断，无人知道它是否执行过：{what}。请查看后回答：完成，或没有",
    ),
    "loop_model_failed": ("The model failed: {problem}", "模型失败：{problem}"),
    "loop_cancelled": ("The loop was cancelled", "循环已取消"),
    "call_broken_off": ("broken off", "已中断"),
    "loop_overtaken": (
        "Another runner has taken the plan over; this one has stopped",
        "另一个执行者已接手此计划；本循环已停止",
    ),
    "loop_limit_unplanned": (
        "Stopped at the limit of iterations ({count}). Say how to go on.",
        "已停止：用完 {count} 次迭代。说明接下来做什么即可继续。",
    ),
    "loop_budget": (
        "{problem}. Then type 'continue' to resume.",
        "{problem}。然后输入'继续'以恢复执行。",
    ),
    "loop_waiting": (
        "A question waits for an answer: {question}",
        "有一个问题等待回答：{question}",
    ),
    "loop_dropped": ("The current task was cancelled", "当前任务已取消"),
    "nothing_to_cancel": ("There is no task to cancel", "没有可取消的任务"),
    "loop_slow": (
        "{count} iterations were spent on this step: {task}",
        "此步骤已用 {count} 次迭代：{task}",
    ),
    "loop_let_go": (
        (
            "The agent stopped although the plan is unfinished: {done}/{total} steps done. Type "
            "'continue' to resume."
        ),
        "智能体已停下，但计划尚未完成：{done}/{total} 步已完成。输入'继续'以恢复执行。",
    ),
    "loop_help": (
        (
            "/plan shows the plan, /cancel gives the current task up, /help shows this. 'continue' "
            "resumes a paused plan, 'not done yet' reopens the step completed last; anything else "
            "is said to the agent."
        ),
        (
            "/plan 显示计划，/cancel 放弃当前任务，/help 显示此说明。“继续”恢复已暂停的计划，"
            "“还没完成”重新打开最近完成的步骤；其他内容会转达给智能体。"
        ),
    ),
    "unknown_command": (
        "There is no command /{command}; there are: /plan, /cancel, /help",
        "没有命令 /{command}；现有：/plan、/cancel、/help",
    ),
    "question_blank": ("The question is empty", "问题为空"),
    "tool_not_offered": (
        "There is no such tool; there are: {takes}",
        "没有这个工具；现有：{takes}",
    ),
    "tool_missing": ("The tool {tool} cannot be run here", "工具 {tool} 无法在此运行"),
    "degraded": (
        "The plan cannot be used any more, so the work goes on without one: {problem}",
        "计划无法再使用，因此不带计划继续工作：{problem}",
    ),
    "model_busy_again": (
        "The model is busy or out of reach; asking again in {seconds} s",
        "模型繁忙或无法连接；{seconds} 秒后再次请求",
    ),
    "model_too_slow": ("The model took longer than {seconds} s", "模型用时超过 {seconds} 秒"),
    "tool_too_slow": (
        "The tool took longer than {seconds} s and was broken off; look what it has done so far",
        "工具用时超过 {seconds} 秒，已被中断；请查看它已经做了什么",
    ),
    "reply_too_large": (
        "The reply of the model has more than {limit} characters",
        "模型的回复超过 {limit} 个字符",
    ),
    "reply_wrong": (
        "The reply of the model is not a reply as it has to be ({problem})",
        "模型的回复不符合要求的格式（{problem}）",
    ),
    "loop_runs_already": (
        "This agent is at work already; wait until it has stopped",
        "该代理已在工作；请等它停下",
    ),
    "too_many_questions": (
        "{limit} questions are open already; have some answered first",
        "已有 {limit} 个问题待回答；请先回答一些",
    ),
    "too_many_said": (
        "{limit} messages wait for the loop already; let it run first",
        "已有 {limit} 条留言在等待循环；请先让它运行",
    ),
    "no_open_question": ("No question is open", "没有待回答的问题"),
    "question_not_found": (
        "{argument}: there is no question {question}",
        "{argument}：没有问题 {question}",
    ),
    "question_answered": (
        "Question {question} has been answered already",
        "问题 {question} 已经回答过",
    ),
    "not_a_settlement": (
        "{argument}: say whether it took place: {choices}",
        "{argument}：请说明是否已经发生：{choices}",
    ),
    # shown to the model
    "block_head": ("The plan as it stands:", "当前任务规划信息："),
    "block_goal": ("- Goal: {goal}", "- 目标: {goal}"),
    "block_progress": (
        "- Progress of the step: {current}/{total}",
        "- 步骤进度: {current}/{total}",
    ),
    "block_empty": (
        (
            "- No steps yet. If there is much to do, declare them; if all that was asked for is "
            "done, answer the user."
        ),
        "- 还没有步骤。要做的事多时，请先声明步骤；要求的都已做完时，请直接回答用户。",
    ),
    "block_next": (
        (
            "Look at what was asked for and at what the tools have returned. Then take the one "
            "step that is missing, or, if none is, say to the user that it is done."
        ),
        "看看用户要求什么、工具已经返回什么。然后做还缺的那一步；如果不缺，就告诉用户已经完成。",
    ),
    "block_closing": (
        "All steps are done: tell the user in a few sentences what came of them.",
        "所有步骤都已完成：请用几句话告诉用户结果。",
    ),
    "block_foot": (
        (
            "New steps can be declared like this:\n"
            "[Step] what is to be done\n"
            "When the current step is done, the next one begins by itself."
        ),
        (
            "你可以使用以下格式声明新步骤：\n"
            "[Step] 步骤描述\n"
            "完成当前步骤后，系统会自动推进到下一步。"
        ),
    ),
    "summary_goal": ("Current task: {goal}", "当前任务: {goal}"),
    "summary_progress": ("Progress: {done}/{total} steps done", "进度: {done}/{total} 步已完成"),
    "summary_step": ("Current step: {id}. {name}", "当前步骤: {id}. {name}"),
    "summary_no_step": ("Current step: none", "当前步骤: 无"),
    "summary_iterations": ("Iterations used: {used}/{limit}", "已用迭代: {used}/{limit}"),
    "summary_steps": ("Steps:", "历史步骤:"),
    "summary_hidden": ("({count} more)", "（另有 {count} 步）"),
    "step_running": ("(in progress)", "(进行中)"),
    "step_waiting": ("(to do)", "(待执行)"),
    "already_done": ("Done already for this step: {what}", "此步骤中已经完成：{what}"),
    "settled_done": ("Interrupted, and had been done: {what}", "曾被中断，已经完成：{what}"),
    "settled_not_done": (
        "Interrupted, and had not been done: {what}",
        "曾被中断，没有完成：{what}",
    ),
    "answered_question": ("Asked: {question} Answer: {answer}", "问：{question} 答：{answer}"),
    "check_refused": (
        "Step {id} ({name}) does not count as done yet:",
        "步骤 {id}（{name}）还不算完成：",
    ),
    "step_reopened": (
        "The user says that step {id} is not done yet: it is to be worked on again.",
        "用户说步骤 {id} 还没完成：需要继续做。",
    ),
    "too_many_declared": (
        (
            "Only the first {limit} of the declared steps were added, {count} were not; declare "
            "the others later."
        ),
        "声明的步骤只加入了前 {limit} 个，另有 {count} 个没有加入；请稍后再声明。",
    ),
    "result_tools": ("tools: {tools}", "工具：{tools}"),
    "resuming": ("[Resuming task] {summary}", "[恢复任务] {summary}"),
    "instruction": ("User instruction: {text}", "用户指令: {text}"),
    "call_failed": ("Failed: {problem}", "失败：{problem}"),
    "call_not_run": (
        "Not carried out: the plan had ended or was paused before it",
        "未执行：在此之前计划已结束或已暂停",
    ),
    "call_cut": ("({count} more characters were cut)", "（另有 {count} 个字符被截去）"),
    "call_unread": (
        (
            "A tool call was not carried out: its arguments are not a JSON object. Call the tool "
            "again with arguments that are."
        ),
        "有一个工具调用未执行：它的参数不是 JSON 对象。请用正确的参数再次调用该工具。",
    ),
    # budget
    "budget_warning": ("{percent} % of the budget is used", "预算已用 {percent} %"),
    "time_used_up": (
        (
            "The {seconds} s that were left of the budget are over, and what ran was broken off. "
            "Raise it to go on"
        ),
        "预算剩余的 {seconds} 秒已用完，正在进行的已中断。提高预算后可继续",
    ),
    "price_unknown": (
        (
            "{argument}: nobody knows what {model} costs, so a limit in dollars would not hold. "
            "Set its price under `prices`, or limit the tokens"
        ),
        (
            "{argument}：无人知道 {model} 的价格，因此以美元设限无法保证。请在 `prices` "
            "下设置其价格，或限制 token 数"
        ),
    ),
    "out_of_budget": (
        (
            "The budget does not suffice: {what} {needs} may be needed, {used} of {limit} are used "
            "or set aside. Raise it to go on"
        ),
        "预算不足：{what} 可能需要 {needs}，上限 {limit} 中已用或已预留 {used}。提高预算后可继续",
    ),
    "out_of_task_budget": (
        (
            "The budget of task {task} does not suffice: {what} {needs} may be needed, {used} of "
            "{limit} are used or set aside. Raise it to go on"
        ),
        (
            "任务 {task} 的预算不足：{what} 可能需要 {needs}，上限 {limit} 中已用或已预留 {used}。"
            "提高预算后可继续"
        ),
    ),
    "bad_amount": (
        "{argument}: expected a number from 0 to {limit}",
        "{argument}：应为 0 到 {limit} 之间的数",
    ),
}
