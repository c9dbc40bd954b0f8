"""The agent loop."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # shown to people
    "loop_completed": ("Plan completed: {done}/{total} steps", "计划已完成：{done}/{total} 步"),
    "loop_failed": (
        "Plan failed: {done}/{total} tasks done, and none of the others can run",
        "计划失败：已完成 {done}/{total} 个任务，其余任务都无法执行",
    ),
    "loop_aborted": (
        "The plan was aborted ({done}/{total} tasks done)",
        "计划已中止（已完成 {done}/{total} 个任务）",
    ),
    "loop_dropped": (
        "A person asked to drop the plan; the run has stopped",
        "有人要求移走计划；运行已停止",
    ),
    "loop_paused": (
        "The plan is paused; resume it, then run the agent again",
        "计划已暂停；请先恢复，再运行智能体",
    ),
    "loop_limit": (
        "Task in progress ({done}/{total} steps done). Type 'continue' to resume.",
        "任务执行中（{done}/{total} 步已完成）。输入'继续'以恢复执行。",
    ),
    "loop_limit_hint": ("Type 'continue' to resume.", "输入'继续'以恢复执行。"),  # its end
    "settle_killed": (
        "{call} was running when the agent was killed. Did it finish? [d]one / [n]ot done",
        "智能体被强制终止时，{call}正在运行。它执行完了吗？已完成 / 未完成",
    ),
    "settle_stopped": (
        "{call} was running when you stopped it. Did it finish? [d]one / [n]ot done",
        "您让它停下时，{call}正在运行。它执行完了吗？已完成 / 未完成",
    ),
    "settle_open": (
        "{call} was running when the agent stopped. Did it finish? [d]one / [n]ot done",
        "智能体停下时，{call}正在运行。它执行完了吗？已完成 / 未完成",
    ),
    "loop_model_failed": ("The model failed: {problem}", "模型失败：{problem}"),
    "loop_stopped": ("The run was stopped", "运行已停止"),
    "loop_stopped_paused": ("The run was stopped; its plan is paused", "运行已停止；计划已暂停"),
    "call_interrupted": ("interrupted", "已中断"),
    "loop_overtaken": (
        "Another run has taken over the plan; this one has stopped",
        "另一个运行已接手此计划；本次运行已停止",
    ),
    "loop_limit_unplanned": (
        "Stopped at the limit of {count:iteration}. Tell the agent how to continue.",
        "已达到 {count:,} 次迭代的上限，已停止。请告诉智能体如何继续。",
    ),
    "loop_waiting": (
        "A question is waiting for an answer: {question}",
        "有一个问题等待回答：{question}",
    ),
    "loop_others": ("{tasks}; nothing else can start", "{tasks}；没有其他可以开始的任务"),
    "loop_task_of": ("{id} {name} is being done by {actor}", "{actor} 正在做 {id} {name}"),
    "loop_plan_cancelled": ("The plan was cancelled", "计划已取消"),
    "nothing_to_cancel": ("There is no unfinished plan to cancel", "没有可取消的计划"),
    "loop_slow": (
        "{count:iteration} spent on this task so far: {task}",
        "此任务已用 {count:,} 次迭代：{task}",
    ),
    "loop_unfinished": (
        "The agent stopped before the plan was finished: {done}/{total} tasks done",
        "智能体已停下，但计划尚未完成：已完成 {done}/{total} 个任务",
    ),
    "loop_held": (
        "The agent wanted to stop and was told to go on: {done}/{total} steps done",
        "智能体想停下，已让它继续：{done}/{total} 步已完成",
    ),
    "loop_unconfirmed": (
        "Step {id} ({name}) is only assumed to be done; the agent was asked to confirm it",
        "步骤 {id}（{name}）只是推定完成；已请智能体确认",
    ),
    "loop_failed_step": ("step {id} ({name}): {problem}", "步骤 {id}（{name}）：{problem}"),
    "begin_question": ("Begin?", "开始吗？"),
    "loop_help": (
        (
            "/plan shows the plan, /cancel cancels the plan, /help shows this. 'continue' resumes "
            "a paused plan, 'not done yet' reopens the task completed last; anything else "
            "is passed to the agent."
        ),
        (
            "/plan 显示计划，/cancel 取消计划，/help 显示此说明。“继续”恢复已暂停的计划，"
            "“还没完成”重新打开最近完成的任务；其他内容会转达给智能体。"
        ),
    ),
    "unknown_command": (
        "Unknown command /{command}; available: /plan, /cancel, /help",
        "未知命令 /{command}；可用：/plan、/cancel、/help",
    ),
    "question_blank": ("The question is empty", "问题为空"),
    "tool_nearest": (
        "Unknown tool; did you mean {nearest}? Available: {takes}",
        "没有这个工具；是不是 {nearest}？可用：{takes}",
    ),
    "tool_not_offered": ("Unknown tool; available: {takes}", "没有这个工具；可用：{takes}"),
    "tool_missing": ("The tool {tool} is not available here", "工具 {tool} 在此不可用"),
    "degraded": (
        "The plan can no longer be used, so the work continues without it: {problem}",
        "计划无法再使用，因此不带计划继续工作：{problem}",
    ),
    "model_busy_again": (
        "The model is busy or unreachable; retrying in {seconds} s",
        "模型繁忙或无法连接；{seconds} 秒后重试",
    ),
    "model_too_slow": ("The model took longer than {seconds} s", "模型用时超过 {seconds} 秒"),
    "tool_too_slow": (
        "The tool took longer than {seconds} s and was stopped; check what it has done so far",
        "工具用时超过 {seconds} 秒，已被终止；请查看它已经做了什么",
    ),
    "reply_too_large": (
        "The model's reply has more than {limit:character}",
        "模型的回复超过 {limit:,} 个字符",
    ),
    "reply_wrong": (
        "The model's reply is malformed ({problem})",
        "模型的回复格式有误（{problem}）",
    ),
    "loop_runs_already": (
        "This agent is already running; wait until it has stopped",
        "该智能体已在运行；请等它停下",
    ),
    "too_many_questions": (
        "{limit:question is|questions are} already open; have some answered first",
        "已有 {limit:,} 个问题待回答；请先回答一些",
    ),
    "too_many_messages": (
        "{limit:message is|messages are} already waiting for the agent; let it run first",
        "已有 {limit:,} 条留言在等待智能体；请先让它运行",
    ),
    "no_open_question": ("There is no open question", "没有待回答的问题"),
    "question_not_found": (
        "There is no question {question}; open questions: {open}",
        "没有问题 {question}；待回答的问题：{open}",
    ),
    "question_answered": (
        "Question {question} has already been answered",
        "问题 {question} 已经回答过",
    ),
    "permit_elsewhere": (
        (
            "Question {question} asks for a permission: say yes where the agent runs; only a no "
            "counts from elsewhere"
        ),
        "问题 {question} 请求许可：请在智能体运行之处同意；别处只能拒绝",
    ),
    "unclear_settle": (
        '"{answer}" does not answer question {question}: answer done (d) or not done (n)',
        "“{answer}”没有回答问题 {question}：请回答“已完成”（d）或“未完成”（n）",
    ),
    "unclear_permit": (
        '"{answer}" does not answer question {question}: answer yes (y), no (n) or always (a)',
        "“{answer}”没有回答问题 {question}：请回答“是”（y）、“否”（n）或“总是”（a）",
    ),
    "unclear_yes_or_no": (
        '"{answer}" does not answer question {question}: answer yes (y) or no (n)',
        "“{answer}”没有回答问题 {question}：请回答“是”（y）或“否”（n）",
    ),
    "question_left_open": (
        "Question {question} stays open; answer it later",
        "问题 {question} 仍未回答；可以稍后再答",
    ),
    # shown to the model
    "block_head": ("Current plan:", "当前任务规划信息："),
    "block_goal": ("- Goal: {goal}", "- 目标: {goal}"),
    "block_description": ("- Description: {text}", "- 说明: {text}"),
    "block_progress": ("- Step progress: {current}/{total}", "- 步骤进度: {current}/{total}"),
    "block_empty": (
        (
            "- No steps yet. If there is much to do, declare the steps; if everything asked for is "
            "done, answer the user."
        ),
        "- 还没有步骤。要做的事多时，请先声明步骤；要求的都已做完时，请直接回答用户。",
    ),
    "block_next": (
        (
            "Compare what was asked for with what the tools have returned. Then take the one step "
            "that is missing; if none is, write [Done] and tell the user that it is done."
        ),
        (
            "对照用户的要求和工具已返回的结果。然后做还缺的那一步；"
            "如果不缺，就写 [完成]，并告诉用户已经完成。"
        ),
    ),
    "block_closing": (
        "All steps are done: tell the user the outcome in a few sentences.",
        "所有步骤都已完成：请用几句话告诉用户结果。",
    ),
    "block_failed": (
        (
            "The plan has failed and cannot go on: tell the user in a few sentences what is done, "
            "what failed, and why."
        ),
        "计划已失败，无法继续：请用几句话告诉用户完成了什么、什么失败了，以及原因。",
    ),
    "block_foot": (
        (
            "Declare new steps like this:\n"
            "[Step] what to do\n"
            "When the current step is done, the next one starts automatically."
        ),
        (
            "你可以使用以下格式声明新步骤：\n"
            "[Step] 步骤描述\n"
            "完成当前步骤后，系统会自动推进到下一步。"
        ),
    ),
    "summary_goal": ("Current task: {goal}", "当前任务: {goal}"),
    "summary_unapproved": (
        "Only plan: a person has to approve this plan before anything is changed or run",
        "只做计划：人批准此计划之前，不得修改或运行任何东西",
    ),
    "summary_progress": ("Progress: {done}/{total} steps done", "进度: {done}/{total} 步已完成"),
    "summary_step": ("Current step: {id}. {name}", "当前步骤: {id}. {name}"),
    "summary_no_step": ("Current step: none", "当前步骤: 无"),
    "summary_iterations": ("Iterations used: {used}/{limit}", "已用迭代: {used}/{limit}"),
    "summary_steps": ("Steps:", "历史步骤:"),
    "summary_hidden": ("({count:,} more)", "（另有 {count:,} 步）"),
    "step_running": ("(in progress)", "(进行中)"),
    "step_waiting": ("(to do)", "(待执行)"),
    "step_blocked": ("(after {needs})", "(在 {needs} 之后)"),
    "step_taken": ("({actor} works on it)", "({actor} 正在处理)"),
    "check_refused": ("Step {id} ({name}) is not done yet:", "步骤 {id}（{name}）还没有完成："),
    "mark_refused": (
        "Step {id} ({name}) was not marked as done:",
        "步骤 {id}（{name}）没有标记为完成：",
    ),
    "mark_unclear": (
        (
            "Nothing was marked as done: it is not clear which step of the plan this is about: "
            "{mark}. Name a step by its number: [Step 2 Done]."
        ),
        "没有步骤被标记为完成：不清楚说的是计划中的哪一步：{mark}。请用编号指明：[步骤2完成]。",
    ),
    "assumed_step": (
        (
            "Step {id} is assumed to be done, because you moved on. If it is not, declare it "
            "again: [Step] and its name."
        ),
        ("你已转到别的事，因此推定步骤 {id} 已完成。如果还没有，请重新声明：[Step] 加上它的名称。"),
    ),
    "assumed_end": (
        (
            "No step is open, but step {id} is only assumed to be done. If everything is done, "
            "write [Done]; if not, declare what is missing with [Step] and do it."
        ),
        (
            "没有待做的步骤，但步骤 {id} 只是推定完成。如果都已做完，请写 [完成]；"
            "如果没有，请用 [Step] 声明还缺的步骤并去做。"
        ),
    ),
    "stop_held": (
        (
            "The work is not finished: {done}/{total} steps are done. Go on with step {step}. "
            "Write [Done] when it is done, or call {skip} if it is not needed."
        ),
        (
            "工作还没有完成：{done}/{total} 步已完成。请继续步骤 {step}。做完后写 [完成]；"
            "如果不需要这一步，请调用 {skip}。"
        ),
    ),
    "stop_question": (
        "Nobody can answer now. Decide yourself, say what you assume, and go on.",
        "现在没有人能回答。请自行决定，说明你的假设，然后继续。",
    ),
    "not_done_said": ("{message} (about step {id})", "{message}（指步骤 {id}）"),
    "loop_reopened": ("Step {id} is open again.", "步骤 {id} 已重新打开。"),
    "step_reopened": (
        "The user says that step {id} is not done yet; work on it again.",
        "用户说步骤 {id} 还没完成；请继续做。",
    ),
    "too_many_declared": (
        (
            "Only the first {limit:declared step was|declared steps were} added, {count:,} were "
            "not; declare the others later."
        ),
        "声明的步骤只加入了前 {limit:,} 个，另有 {count:,} 个没有加入；请稍后再声明。",
    ),
    "resuming": ("[Resuming task] {summary}", "[恢复任务] {summary}"),
    "instruction": ("User instruction: {text}", "用户指令: {text}"),
    "brief_aside": ("[Paused task] {brief}", "[已暂停的任务] {brief}"),
    "exchange_before": ("[What came last before the interruption]", "[中断之前的最后一段对话]"),
    "goal_changed": (
        "The user has changed the goal. It is now: {goal}",
        "用户已更改目标。现在的目标是：{goal}",
    ),
    "told_user": ("The user {change}.", "用户{change}。"),
    "told_plan": ("The user changed the plan: {change}.", "用户修改了计划：{change}。"),
    "told_file": ("{name} was changed: {change}.", "{name} 被修改：{change}。"),
    "told_more": (
        "And {count:more change|more changes}; {read} shows them.",
        "另有 {count:,} 处修改；用 {read} 查看。",
    ),
    "told_finding": ('noted "{name}" among the findings', "记下发现“{name}”"),
    "told_prose": ("changed the notes in the plan's file", "修改了计划文件中的备注"),
    "nothing_to_resume": (
        "The plan has ended ({done}/{total} steps done): {goal}. To begin another, say what to do.",
        "计划已结束（{done}/{total} 步已完成）：{goal}。要开始新的计划，请说明要做什么。",
    ),
    "nothing_begun": (
        "There is no plan to go on with. To begin one, say what to do.",
        "没有可以继续的计划。要开始新的计划，请说明要做什么。",
    ),
    "goal_now": ("The goal is: {goal}", "目标是：{goal}"),
    "goal_blank": ("The new goal is empty", "新目标是空的"),
    "goal_same": ("That is the goal already.", "目标本来就是这样。"),
    "goal_question": (
        "Change the goal to: {goal}? Answer yes or no",
        "把目标改为：{goal}？请回答“是”或“否”",
    ),
    "goal_waits": (
        (
            "The user has been asked and has not answered yet. The goal stays until the user "
            "agrees; go on with what does not depend on it."
        ),
        "已询问用户，尚未得到回答。用户同意之前目标不变；请先做与此无关的工作。",
    ),
    "goal_accepted": ("The user agrees. The goal is now: {goal}", "用户同意。现在的目标是：{goal}"),
    "goal_declined": (
        "The user does not agree, the goal stays. Answer: {answer}",
        "用户不同意，目标不变。回答：{answer}",
    ),
    "call_unfinished": (
        (
            "The run ended before a result of this call was recorded. "
            "Look before you repeat it, unless you are told whether it was done."
        ),
        "运行在此调用的结果记录之前就结束了。除非已说明它是否完成，重做之前请先查看。",
    ),
    "call_failed": ("Failed: {problem}", "失败：{problem}"),
    "repeat_answered": (
        "Not run again, since it had already ended: {call}. The model gets its recorded result",
        "没有再次执行：{call}。它此前已经结束，模型收到的是当时记录的结果",
    ),
    "repeat_done": (
        "Not run again: this call already succeeded. To run it again, repeat it.",
        "没有再次执行：这个调用此前已经执行成功。如需再次执行，请重复该调用。",
    ),
    "repeat_person": (
        "Not run again: a person said that this call was done. To run it again, repeat it.",
        "没有再次执行：有人确认这个调用已经完成。如需再次执行，请重复该调用。",
    ),
    "repeat_settled": (
        "Not run again: this call was interrupted, but it was done. To run it again, repeat it.",
        "没有再次执行：这个调用曾被中断，但已经完成。如需再次执行，请重复该调用。",
    ),
    "repeat_failed": (
        "Not run again: this call already failed. To run it again, repeat it. {problem}",
        "没有再次执行：这个调用此前已经失败。如需再次执行，请重复该调用。{problem}",
    ),
    "repeat_output": ("Its output was:\n{output}", "当时的输出：\n{output}"),
    "repeat_silent": ("It had no output.", "当时没有输出。"),
    "repeat_unrecorded": ("Its output was not recorded.", "当时的输出没有记录。"),
    "call_not_run": (
        "Not run: the plan had already ended or was paused",
        "未执行：在此之前计划已结束或已暂停",
    ),
    "call_cut": (
        "({count:more character|more characters} omitted)",
        "（另有 {count:,} 个字符被截去）",
    ),
    "call_unread": (
        (
            "A tool call was not run: its arguments are not a JSON object. Call the tool again "
            "with a JSON object."
        ),
        "有一个工具调用未执行：它的参数不是 JSON 对象。请用 JSON 对象作为参数再次调用该工具。",
    ),
    # budget
    "budget_warning": ("{percent}% of the budget is used", "预算已用 {percent}%"),
    "time_used_up": (
        (
            "The remaining {seconds} s of the budget are used up, and the running call was "
            "stopped. Raise the budget to continue"
        ),
        "预算剩余的 {seconds} 秒已用完，正在进行的调用已终止。提高预算后可继续",
    ),
    "replan_needs_plan": (
        "{argument}: the loop `replan` works on a plan; leave it True, or use the loop `tools`",
        "{argument}：循环 `replan` 依赖计划；请保持 True，或使用循环 `tools`",
    ),
    "needs_replan": (
        '{argument}: only the loop `replan` can do that; use loop="replan"',
        '{argument}：只有循环 `replan` 支持此选项；请使用 loop="replan"',
    ),
    "price_unknown": (
        (
            "{argument}: the price of {model} is unknown, so a limit in dollars cannot be "
            "enforced. Set its price under `prices`, or limit the tokens"
        ),
        (
            "{argument}：{model} 的价格未知，无法按美元限制。请在 `prices` 下设置其价格，或限制 "
            "token 数"
        ),
    ),
    "out_of_budget": (
        (
            "Not enough budget for {what}: {needs:,} more may be needed, and {used:,} of {limit:,} "
            "are used or reserved. Raise the budget to continue"
        ),
        (
            "预算不足（{what}）：可能还需要 {needs:,}，上限 {limit:,} 中已使用或预留 {used:,}。"
            "提高预算后可继续"
        ),
    ),
    "out_of_task_budget": (
        (
            "Not enough budget for {what} of task {task}: {needs:,} more may be needed, and "
            "{used:,} of {limit:,} are used or reserved. Raise the budget to continue"
        ),
        (
            "任务 {task} 的预算不足（{what}）：可能还需要 {needs:,}，上限 {limit:,} 中已使用或预留 "
            "{used:,}。提高预算后可继续"
        ),
    ),
    "bad_amount": (
        "{argument}: expected a number from 0 to {limit:,}",
        "{argument}：应为 0 到 {limit:,} 之间的数",
    ),
    "unit_model_calls": ("model calls", "模型调用"),
    "unit_tool_calls": ("tool calls", "工具调用"),
    "unit_tokens": ("tokens", "token 数"),
    "unit_money": ("money", "费用"),
    "unit_time": ("time", "时间"),
    "unit_replans": ("replans", "重新规划"),
}
