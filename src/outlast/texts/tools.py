"""Tools: the plan's own, files, the shell, and permission to use them."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # the plan's own tools
    "delta_added": ("Added {ids}, {done}/{total} done.", "已添加 {ids}，完成 {done}/{total}。"),
    "delta_kept": (
        "Not added again, as the plan already has {ids}.",
        "计划中已有 {ids}，未重复添加。",
    ),
    "delta_completed": ("{done}/{total} done.", "已完成 {done}/{total}。"),
    "delta_retried": (
        "Failed {task}, retry {tries} of {limit}.",
        "{task} 失败，第 {tries} 次重试，最多 {limit} 次。",
    ),
    "delta_failed": (
        "Failed {task} for good, {done}/{total} done.",
        "{task} 彻底失败，完成 {done}/{total}。",
    ),
    "delta_skipped": ("Skipped {task}, {done}/{total}.", "{task} 已跳过，{done}/{total}。"),
    "delta_progress": ("Task {task}: {current}/{total}", "任务 {task}：{current}/{total}"),
    "delta_now": ("Now {task}.", "现在是 {task}。"),
    "delta_finished": ("The plan is complete.", "计划已完成。"),
    "delta_paused": ("The plan is paused.", "计划已暂停。"),
    "delta_assumed": (
        "{task} was only assumed to be done; complete it to confirm that.",
        "{task} 只是推定完成；请完成它以确认。",
    ),
    "delta_waiting": (
        "Nothing can start until others have finished.",
        "其他任务完成之前没有可开始的任务。",
    ),
    "delta_stuck": ("None of the remaining tasks can run.", "剩余任务都无法执行。"),
    "agent_foot": (
        "When the current step is done, call {complete} with its number.",
        "完成当前步骤后，用它的编号调用 {complete}。",
    ),
    "agent_next": (
        (
            "You have no step in progress: do the next one that can start, then call {complete} "
            "with its number."
        ),
        "你没有进行中的步骤：请做下一个可开始的步骤，做完后用它的编号调用 {complete}。",
    ),
    "agent_empty": ("There are no steps yet: add them with {add}.", "还没有步骤：用 {add} 添加。"),
    "agent_unapproved": (
        "You may add and change steps with {add}; do none of them yet.",
        "可以用 {add} 添加和修改步骤；暂时不要执行。",
    ),
    "agent_paused": (
        "The plan is paused: do not work on it until it is resumed.",
        "计划已暂停：恢复之前请勿继续。",
    ),
    "agent_ended": (
        "The plan has ended: there is nothing left to do in it.",
        "计划已结束：没有要做的任务。",
    ),
    "call_form": (
        "{argument}: not a tool call of OpenAI, Anthropic, Gemini, LangChain or MCP",
        "{argument}：不是 OpenAI、Anthropic、Gemini、LangChain 或 MCP 的工具调用",
    ),
    "tool_prefix_wrong": (
        "{argument}: expected at most 32 letters, digits, _ or -",
        "{argument}：应为不超过 32 个字母、数字、_ 或 -",
    ),
    "not_json": ("{argument}: not valid JSON: {problem}", "{argument}：不是有效的 JSON：{problem}"),
    "todos_not_array": ("{argument} must be an array", "{argument} 必须是数组"),
    "plan_title_needed": (
        "{argument} is required when creating a new persistent plan",
        "创建新的持久化计划时必须提供 {argument}",
    ),
    "persist_failed": ("Failed to persist plan: {problem}", "计划持久化失败：{problem}"),
    "todo_objective": ("Task objectives extracted from todos", "从待办列表提取的任务目标"),
    "todo_created": (
        "Plan created and saved to {file}:",
        "计划已创建并保存到 {file}：",
    ),
    "todo_created_in_memory": ("Plan created:", "计划已创建："),
    "todo_facts": ("Title: {title}\nSteps: {steps}", "标题：{title}\n步骤：{steps}"),
    "todo_path": ("Path: {path}", "路径：{path}"),
    "todo_updated": (
        "Todo list updated ({done}/{total} completed):",
        "待办列表已更新（完成 {done}/{total}）：",
    ),
    "todo_saved": ("(Saved to {file})", "（已保存到 {file}）"),
    "todo_kept": ("(Saved to the plan)", "（已保存到计划）"),
    "todo_refused": ("Refused:", "被拒绝："),
    "no_plan_to_read": (
        "No plan exists. Use todo_write with persist=true to create one.",
        "没有计划。用 todo_write 并设 persist=true 来创建一个。",
    ),
    "plan_read": (
        ("# {title}\n\n**Objective:** {goal}\n**Progress:** {done}/{total}\n"),
        ("# {title}\n\n**目标：** {goal}\n**进度：** {done}/{total}\n"),
    ),
    "finding_kept": (
        ("Finding saved:\nCategory: {category}\nTitle: {title}\nID: {id}"),
        ("发现已保存：\n类别：{category}\n标题：{title}\n编号：{id}"),
    ),
    "finding_saved": (
        ("Finding saved to findings.md:\nCategory: {category}\nTitle: {title}\nID: {id}"),
        ("发现已保存到 findings.md：\n类别：{category}\n标题：{title}\n编号：{id}"),
    ),
    # files, searches and the shell
    "file_edited": ("Replaced {count:occurrence}", "已替换 {count:,} 处"),
    "edit_changes_nothing": (
        "old and new: expected two different texts, and old must not be empty",
        "old 与 new：应为两段不同的文本，且 old 不能为空",
    ),
    "old_not_found": (
        "{path}: old was not found in the file; read the file again and copy the text exactly",
        "{path}：文件中没有 old；请重新读取文件并原样复制",
    ),
    "old_not_unique": (
        "{path}: old occurs {count:time}; include more of the surrounding text, or use replace_all",
        "{path}：old 出现了 {count:,} 次；请多带一些上下文，或使用 replace_all",
    ),
    "part_too_large": (
        "{path}: more than {limit:byte}; read fewer lines with offset and limit",
        "{path}：超过 {limit:,} 字节；请用 offset 和 limit 少读几行",
    ),
    "not_a_directory": (
        "{path}: expected a directory; read_file shows a file",
        "{path}：应为目录；文件用 read_file 查看",
    ),
    "nothing_found": ("(nothing found)", "（没有找到）"),
    "more_left_out": ("(and {count:,} more)", "（另有 {count:,} 项）"),
    "search_cut": (
        "(only the first {count:,}; narrow the search)",
        "（只列出前 {count:,} 项；请缩小范围）",
    ),
    "search_too_long": (
        "The search took more than {seconds} s; use a simpler pattern or a smaller path",
        "搜索超过 {seconds} 秒；请换更简单的表达式或更小的路径",
    ),
    "search_failed": ("The search failed with exit code {code}", "搜索失败，退出码 {code}"),
    "pattern_wrong": ("pattern: {problem}", "pattern：表达式有误（{problem}）"),
    "command_not_started": (
        "The command could not be started: {problem}",
        "命令无法启动：{problem}",
    ),
    "command_too_long": (
        "Stopped after {seconds} s. Output:\n{output}",
        "{seconds} 秒后被终止。输出：\n{output}",
    ),
    "command_killed": (
        "Killed by signal {signal}. Output:\n{output}",
        "被信号 {signal} 终止。输出：\n{output}",
    ),
    "command_failed": (
        "Exit code {code}. Output:\n{output}",
        "退出码 {code}。输出：\n{output}",
    ),
    "no_output": ("(no output)", "（没有输出）"),
    "output_cut": ("[… {count:byte} omitted …]", "[… 省略 {count:,} 字节 …]"),
    "left_out": ("[… {count:character} omitted …]", "[… 省略 {count:,} 个字符 …]"),
    "path_missing": (
        "path: missing; send a path inside the workspace",
        "path：缺少；请发送工作区内的路径",
    ),
    "path_outside": (
        "{path}: outside; send a path inside the workspace",
        "{path}：在工作区之外；请发送工作区内的路径",
    ),
    "path_of_plans": (
        "{path}: only the plan's own tools may change the files of plans",
        "{path}：计划的文件只能由计划自己的工具修改",
    ),
    "path_closed": (
        "{path}: closed; of the files of plans only these can be read: {views}",
        "{path}：不可读取；计划的文件中只能读取：{views}",
    ),
    "file_missing": (
        "{path}: there is no such file; did you mean {nearest}?",
        "{path}：没有这个文件；是不是 {nearest}？",
    ),
    "not_a_file": ("{path}: expected a regular file", "{path}：应为普通文件"),
    "path_is_directory": (
        "{path}: expected a file, got a directory; list_directory shows what is in it",
        "{path}：应为文件，实际是目录；用 list_directory 查看其内容",
    ),
    "file_too_large": ("{path}: larger than {limit:byte}", "{path}：超过 {limit:,} 字节"),
    "file_not_text": ("{path}: expected UTF-8 text", "{path}：应为 UTF-8 文本"),
    "file_failed": ("{path}: {problem}", "{path}：系统拒绝（{problem}）"),
    "content_too_large": (
        "content: expected at most {limit:byte} of UTF-8, got {size:,}",
        "content：最多 {limit:,} 字节（UTF-8），实际 {size:,} 字节",
    ),
    # permission
    "permit_outside": (
        (
            "{tool} wants to access something outside the workspace: `{what}`. Allow? (yes / no / "
            "always)"
        ),
        "{tool} 要访问工作区之外的内容：`{what}`。允许吗？（是 / 否 / 总是）",
    ),
    "permit_destructive": (
        "{tool} wants to run a possibly destructive command: `{what}`. Allow? (yes / no / always)",
        "{tool} 要执行可能有破坏性的操作：`{what}`。允许吗？（是 / 否 / 总是）",
    ),
    "permit_unanswered": ("(no answer)", "（无人回答）"),
    "not_permitted": (
        (
            "Not allowed, and there is no one to ask: `{what}`. Find another way inside the "
            "workspace; a person can allow it beforehand with --allow or --yes"
        ),
        (
            "不被允许，而且没有人可以询问：`{what}`。请在工作区内另想办法；人可以事先用 --allow 或 "
            "--yes 允许"
        ),
    ),
    "not_permitted_answer": (
        "Not allowed: `{what}`. The answer was: {answer}",
        "不被允许：`{what}`。回答是：{answer}",
    ),
    "answer_prompt": ("Answer (empty: later): ", "答复（留空则稍后答复）："),
    "question_at_terminal": (
        ("\n? {id}  {text}\nAnswer (leave empty to answer later): "),
        ("\n? {id}  {text}\n答复（留空则稍后答复）："),
    ),
    # tools of your own
    "tool_twice": ("{argument}: two tools are named {name}", "{argument}：有两个工具都叫 {name}"),
    "tool_taken": (
        "{argument}: the plan already has a tool named {name}; give yours another name",
        "{argument}：计划已有名为 {name} 的工具；请给你的工具另取名称",
    ),
    "tool_lacks": (
        "{argument}: {name} is not a complete tool; it lacks {lacks}",
        "{argument}：{name} 不是完整的工具；缺少 {lacks}",
    ),
    "tool_name_wrong": (
        "{argument}: expected up to 64 letters, digits, _ or -, got {name}",
        "{argument}：应为至多 64 个字母、数字、_ 或 -，实际是 {name}",
    ),
    "tool_signature": (
        "{name}: a tool takes named parameters of types that JSON supports: {problem}",
        "{name}：工具的参数须有名称，且类型须为 JSON 支持的类型：{problem}",
    ),
    "tool_entry_missing": (
        "{name}: no installed package provides a tool of this name; available: {choices}",
        "{name}：没有已安装的包提供这个名称的工具；可用：{choices}",
    ),
    "tool_entry_broken": (
        "{name}: the package of this tool cannot be loaded: {problem}",
        "{name}：提供这个工具的包无法加载：{problem}",
    ),
    "tool_params": ("{problems}", "参数有误：{problems}"),
    "tool_arguments": ("{tool}: {problem}", "{tool}：参数有误（{problem}）"),
}
