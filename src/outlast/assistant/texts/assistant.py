"""The assistant: its answers, and the chat."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # the conversation
    "input_blank": (
        "Say what to do, or type a command such as /todo list; /help shows all.",
        "请说明要做什么，或输入命令，例如 /todo list；/help 列出全部命令。",
    ),
    "assistant_busy": (
        "the assistant is answering another input; wait for it, or cancel it",
        "助手正在处理另一条输入；请等它结束，或取消它",
    ),
    "assistant_no_model": (
        (
            "No model is configured, so only slash commands work (see /help). To choose one, "
            "type outlast chat --model NAME{lang}, or set OUTLAST_MODEL, or loop.model in {file} "
            "(in Python: Assistant(NAME)). To see the models that you can use here: outlast "
            "models{lang}"
        ),
        (
            "未配置模型，只能使用斜杠命令（见 /help）。配置方法：outlast chat --model "
            "NAME{lang}，或设置 OUTLAST_MODEL，或在 {file} 中设置 loop.model（在 Python 中："
            "Assistant(NAME)）。查看此处可用的模型：outlast models{lang}"
        ),
    ),
    "assistant_not_in_memory": (
        "{argument}: the assistant keeps its tasks in a directory or a database, not in {value}",
        "{argument}：助手的任务保存在目录或数据库中，不能是 {value}",
    ),
    "assistant_directory_failed": (
        "{where}: {problem}; the assistant keeps its tasks there (setting: assistant.directory)",
        "{where}：{problem}；助手的任务保存在那里（设置项：assistant.directory）",
    ),
    "nothing_to_continue": (
        "There is no unfinished task to continue. Say what to do.",
        "没有可以继续的任务。请说明要做什么。",
    ),
    "question_gone": (
        (
            "Your input was not used: its question is no longer open, because it was answered or "
            "cancelled elsewhere."
        ),
        "未采用：该问题已在别处得到回答或被取消。",
    ),
    "task_elsewhere": (
        "Another process is working on this task. Wait for it, or stop it there.",
        "另一个进程正在处理此任务。请等它结束，或在那里停止它。",
    ),
    "task_kept": (
        "The task is paused; type 'continue' to try again.",
        "任务已暂停；输入“继续”可再试一次。",
    ),
    "task_gone": (
        "The task is not there any more: it was finished or dropped elsewhere.",
        "该任务已不存在：已在别处完成或被放弃。",
    ),
    "turn_cancelled": (
        "Stopped. Type 'continue' to go on, or /cancel to drop the task.",
        "已停止。输入“继续”可接着做，输入 /cancel 可放弃该任务。",
    ),
    "turn_not_begun": ("Stopped before a task began.", "已停止，任务尚未开始。"),
    "answer_missed": ("Finished: {goal}\n{answer}", "已完成：{goal}\n{answer}"),
    "no_task_to_cancel": ("There is no task to cancel.", "没有可取消的任务。"),
    "task_cancelled": ("Cancelled: {goal}", "已取消：{goal}"),
    "no_task": ("There is no unfinished task.", "没有未完成的任务。"),
    "task_goal": ("Task: {goal}", "任务：{goal}"),
    "task_steps": (
        "Steps: {steps} of {limit}; tool runs: {succeeded} succeeded, {failed} failed",
        "步数：{steps}/{limit}；工具执行：成功 {succeeded}，失败 {failed}",
    ),
    "task_waiting": ("waits for your answer: {question}", "等待您的回答：{question}"),
    "task_continues": ("{state}; type 'continue' to go on", "{state}；输入“继续”可接着做"),
    "task_working": ("being worked on now", "正在进行"),
    "tasks_unfinished": (
        "Other unfinished tasks; their turn comes when the one above is finished or cancelled:",
        "其他未完成的任务，上面的任务完成或取消后轮到它们：",
    ),
    "tasks_unreadable": (
        "{count:task} cannot be read; to find out why: outlast doctor{lang} {where}",
        "{count:,} 个任务无法读取；查明原因：outlast doctor{lang} {where}",
    ),
    "assistant_help": (
        (
            "Any other text is a task for the model, or the answer to its question.\n"
            "  continue\n"
            "      goes on with the paused task\n"
            "  cancel\n"
            "      the same as /cancel\n"
            "\n"
            "Todos, appointments and tasks are in {where}"
        ),
        (
            "其他文字是交给模型的任务，或对其问题的回答。\n"
            "  继续\n"
            "      接着做已暂停的任务\n"
            "  取消当前任务\n"
            "      与 /cancel 相同\n"
            "\n"
            "待办、日程和任务保存在 {where}"
        ),
    ),
    "assistant_look": (
        "  to look at the tasks: cd {where} && outlast list --archived{lang}",
        "  查看任务：cd {where} && outlast list --archived{lang}",
    ),
    # the chat
    "chat_greeting": (
        "Outlast assistant with {model}. /help lists the commands, Ctrl-D leaves.",
        "Outlast 助手，模型 {model}。/help 列出命令，Ctrl-D 退出。",
    ),
    "chat_greeting_no_model": (
        "Outlast assistant without a model: slash commands work (/help). Ctrl-D leaves.",
        "Outlast 助手，未配置模型：斜杠命令可用（/help）。Ctrl-D 退出。",
    ),
    "chat_question_waits": (
        "1 question is open, for the task: {goal}",
        "有 1 个问题等待回答，任务：{goal}",
    ),
    "chat_task_paused": (
        "Paused task: {goal}; type 'continue' to go on with it.",
        "暂停的任务：{goal}；输入“继续”即可继续。",
    ),
    "chat_tasks_paused": (
        "{count:other task is|other tasks are} paused; /plan shows all.",
        "另有 {count} 个任务已暂停；/plan 可查看全部。",
    ),
    "chat_answer_prompt": ("answer> ", "回答> "),
    "chat_thinking": ("thinking", "思考中"),
    "chat_working": ("working", "处理中"),
    "chat_status": ("{seconds}  {what}  (Ctrl-C stops)", "{seconds}  {what}（Ctrl-C 停止）"),
    "chat_stopping": ("Stopping …", "正在停止……"),
    "chat_how_to_leave": (
        "Ctrl-D leaves; so does Ctrl-C, pressed again.",
        "按 Ctrl-D 退出；再按一次 Ctrl-C 也会退出。",
    ),
    "chat_help_leaving": ("To leave the chat: /exit, or Ctrl-D", "退出对话：/exit 或 Ctrl-D"),
    "chat_question_stays": (
        "The question stays open: outlast chat shows it again.",
        "问题仍在等待回答：再次运行 outlast chat 时会显示。",
    ),
    "chat_reminders_lost": (
        "Reminders cannot be read for now: {problem}",
        "暂时无法读取提醒：{problem}",
    ),
    "chat_tasks_lost": ("Tasks cannot be read for now: {problem}", "暂时无法读取任务：{problem}"),
    "chat_history_lost": (
        "What you type is not kept for the next chat: {problem}",
        "输入的内容不会保留到下次对话：{problem}",
    ),
}
