"""The replan loop: what it asks its model, its progress, its limits."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # sections of requests
    "section_now": ("Time", "当前时间"),
    "section_tools": ("Tools", "工具"),
    "tool_takes_text": ("Input: {name}.", "输入：{name}。"),
    "tool_takes_object": (
        "Input: a JSON object with {fields} (? is optional).",
        "输入：JSON 对象，字段：{fields}（? 为可选）。",
    ),
    "section_feedback": (
        "What the user wants instead of the last proposal",
        "用户对上次提议的修改意见",
    ),
    "section_refusal": (
        "Why the last proposal, which the user approved, was not carried out",
        "用户同意的上次提议未能执行的原因",
    ),
    "section_item": ("Current item", "当前计划项"),
    "section_finished": ("Finished", "已完成"),
    "section_remaining": ("Remaining items of the present plan", "现有计划的剩余项"),
    "section_conclusion": ("Conclusion of the last item", "上一项的结论"),
    "section_observations": ("Observations", "观察结果"),
    "section_clarifications": ("Questions and answers", "澄清记录"),
    "section_counts": ("Counts", "统计"),
    "item_none": ("none: the plan has no further item", "无：计划没有更多的项"),
    "thought_counts": (
        "steps {steps} of {limit}; tool runs: {succeeded} succeeded, {failed} failed",
        "步数 {steps}/{limit}；工具执行：成功 {succeeded}，失败 {failed}",
    ),
    "action_repeats": (
        (
            "Do not run {tool} again with the same input: the observations have its result. Is "
            "the item done?"
        ),
        "不要再用相同的输入运行 {tool}：观察结果里已有它的结果。这一项完成了吗？",
    ),
    "must_not_continue": (
        "The last {count} tool runs failed: answer with ask_user or done, not with continue.",
        "最近 {count} 次工具执行都失败了：请选择 ask_user 或 done，不要选择 continue。",
    ),
    "action_refused": (
        "not run: too many tool runs in a row failed; answer with ask_user or done",
        "未执行：工具连续失败次数过多；请选择 ask_user 或 done",
    ),
    "question_repeated": (
        "not asked: the user has answered this question",
        "未提问：用户已经回答过这个问题",
    ),
    "action_not_run": (
        "Not run: {count} tool runs in a row failed; the model has to ask you or end the item",
        "未执行：工具已连续失败 {count} 次；模型只能向您提问或结束此项",
    ),
    "question_not_asked": (
        "Not asked: you have answered this question",
        "未提问：您已经回答过这个问题",
    ),
    "action_was_done": (
        "carried out before the work was interrupted; its output was lost",
        "工作中断前已执行；输出已丢失",
    ),
    "action_unknown": (
        "interrupted: it is unknown whether it took effect; find out before you repeat it",
        "执行被中断：不清楚是否已生效；重复之前请先查明",
    ),
    "action_had_secret": (
        "not run: its input contained a secret, and secrets are not stored; decide again",
        "未执行：输入中含有机密，机密不会保存；请重新决定",
    ),
    "replan_has_nothing_new": (
        "plan: everything in it is finished; if nothing remains, answer with done",
        "plan：其中的事项都已完成；如果没有剩余事项，请选择 done",
    ),
    "replan_would_end": ("and ends with the answer: {answer}", "并以此答复结束：{answer}"),
    # progress
    "steps_planned": ("Planned: {count:item}", "规划完成：共 {count} 步"),
    "steps_replanned": ("Replanned: {count:item}", "重规划完成：共 {count} 步"),
    "plan_items": ("Plan:\n{items}", "计划列表：\n{items}"),
    "item_current": (
        "Current item: {number}/{total} - {name}",
        "当前计划项：{number}/{total} - {name}",
    ),
    "replan_outdated": (
        "There are new items or answers since then, so what remains has to be decided again",
        "此后有新的计划项或回答，需要重新决定剩余事项",
    ),
    "replan_skipped": (
        "Not replanned: the item brought nothing new",
        "跳过重规划：该项没有带来新信息",
    ),
    "replan_item_ended": ("item ended: {name}", "计划项已结束：{name}"),
    "replan_answered": ("the user answered: {answer}", "用户回答：{answer}"),
    "thought_decided": ("Decision: {what}", "思考决策：{what}"),
    "thought_acts": ("run a tool", "执行动作"),
    "thought_finishes": ("item done", "步骤完成"),
    "thought_asks": ("ask you", "请求澄清"),
    "thought_ends": ("task done", "任务完成"),
    "answer_unusable": ("The model's answer cannot be used", "模型的回答无法使用"),
    "step_action": ("Action: {tool} -> {input}", "步骤动作：{tool} -> {input}"),
    "step_succeeded": ("Result: succeeded", "步骤结果：成功"),
    "step_failed": ("Result: failed", "步骤结果：失败"),
    "step_counts": (
        "Progress: {done} done, {left} open; tool runs: {succeeded} succeeded, {failed} failed",
        "完成情况：已完成 {done}，未完成 {left}；工具执行：成功 {succeeded} 次，失败 {failed} 次",
    ),
    # answers
    "please_confirm": ("Please confirm: {question}", "请确认：{question}"),
    "planning_unavailable": (
        (
            "Planning is unavailable now: the model gave no usable answer. Slash commands still "
            "work, see /help."
        ),
        "规划功能暂时不可用：模型没有给出可用的回答。斜杠命令仍可使用，见 /help。",
    ),
    "planning_unavailable_run": (
        "Planning is unavailable now: the model gave no usable answer.",
        "规划功能暂时不可用：模型没有给出可用的回答。",
    ),
    "replan_limit": (
        "Done: {done}\nNot finished because: {why}\nNext: {next}",
        "已完成部分：{done}\n未完成原因：{why}\n下一步建议：{next}",
    ),
    "limit_nothing_done": ("nothing yet", "暂无"),
    "limit_runs": (
        "tool runs: {succeeded} succeeded, {failed} failed",
        "工具执行：成功 {succeeded} 次，失败 {failed} 次",
    ),
    "limit_reached": ("the limit of {limit:step} is reached", "已达到 {limit} 步的上限"),
    "limit_left": ("still open: {items}", "尚未完成：{items}"),
    "limit_next": (
        "type 'continue' for more steps, or give a smaller task",
        "输入“继续”以增加步数，或给出更小的任务",
    ),
    "limit_next_run": (
        "`outlast resume` goes on with more steps; or give a smaller goal",
        "用 `outlast resume` 增加步数并继续，或给出更小的目标",
    ),
}
