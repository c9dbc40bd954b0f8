"""Tools: the plan's own, files, the shell, permission to use them; and the MCP server."""

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
    "todo_created": ("Plan created and saved to {file}:", "计划已创建并保存到 {file}："),
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
    "todo_order_given_up": (
        "(The steps were not worked on in turn: from now on they may be done in any order)",
        "（步骤没有按顺序进行：此后可按任意顺序完成）",
    ),
    "order_given_up": (
        "task {task} was worked on before its turn: the order no longer binds",
        "任务 {task} 未轮到就已开始：此后不再要求按顺序进行",
    ),
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
    "command_failed": ("Exit code {code}. Output:\n{output}", "退出码 {code}。输出：\n{output}"),
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
        "{argument}：计划已有名为 {name} 的工具；请给您的工具另取名称",
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
    # what a client tells its model about the server
    "mcp_instructions_default": (
        (
            "A plan that is kept outside of this conversation: it survives compaction and "
            "restarts. For work of several steps, call add_tasks once, then complete_task or "
            "fail_task for each task as you go; the answer names the next one. After a restart, "
            "call plan_read. Save what you learn with findings_write."
        ),
        (
            "计划保存在本次对话之外，压缩和重启都不会丢失。多步工作先调用一次 add_tasks，"
            "之后每完成一项就调用 complete_task 或 fail_task，回答会给出下一项。重启之后先调用 "
            "plan_read。用 findings_write 保存发现。"
        ),
    ),
    "mcp_instructions_planmanager": (
        (
            "A plan that is kept outside of this conversation: it survives compaction and "
            "restarts. initializePlan creates it; then call startNextTask and completeTask or "
            "failTask in turn."
        ),
        (
            "计划保存在本次对话之外，压缩和重启都不会丢失。用 initializePlan 创建，之后轮流调用 "
            "startNextTask 与 completeTask 或 failTask。"
        ),
    ),
    "mcp_instructions_todo": (
        (
            "todo_write with persist=true saves a todo list as a plan that survives compaction "
            "and restarts; plan_read shows it; findings_write saves what you learn."
        ),
        (
            "todo_write 加 persist=true 会把待办列表保存为计划，压缩和重启都不会丢失；plan_read "
            "显示计划；findings_write 保存发现。"
        ),
    ),
    # resources
    "mcp_resource_plan": ("The plan: its goal, phases and tasks", "计划：目标、阶段和任务"),
    "mcp_resource_brief": (
        "What an agent needs to continue: goal, what people said, results, findings, errors",
        "继续工作须知：目标、用户的话、结果、发现、错误",
    ),
    "mcp_resource_findings": ("All findings", "全部发现"),
    "mcp_resource_errors": ("All errors", "全部错误"),
    "mcp_resource_graph": (
        "The dependencies of the tasks, as Mermaid",
        "任务的依赖关系（Mermaid）",
    ),
    "resource_unknown": ("There is no resource {uri}", "没有资源 {uri}"),
    "mcp_not_attached": (
        (
            "Unfinished plans here that this session is not attached to: {plans}. Only if the user "
            "wants to continue one, attach the session to it, such as with: {attach}"
        ),
        (
            "这里有未完成的计划，但本次会话没有关联它们：{plans}。只有用户想继续其中一个时才关联，"
            "例如运行：{attach}"
        ),
    ),
    "mcp_tool_unknown": (
        "There is no such tool; the nearest one is {nearest}",
        "没有这个工具；最接近的是 {nearest}",
    ),
    "mcp_tool_is_command": (
        (
            "There is no such tool: the plan is kept in files, and no tool copies or replaces a "
            "whole plan. A command does: {command}"
        ),
        "没有这个工具：计划保存在文件里，工具不能复制或替换整个计划。请用命令：{command}",
    ),
    # questions to a person
    "mcp_cannot_ask_user": (
        (
            "This client cannot show a question to the user. Ask in your reply, end your turn, "
            "and go on when the user has answered"
        ),
        "此客户端不能向用户显示问题。请在回复里提问并结束这一轮，等用户回答后再继续",
    ),
    "mcp_cannot_propose_goal": (
        (
            "The user cannot decide that in this client. Ask in your reply whether the goal should "
            'change; the user changes it with: outlast edit --goal "GOAL"{as_person}'
        ),
        (
            "用户不能在此客户端决定此事。请在回复里询问是否更改目标；用户这样更改：outlast edit "
            '--goal "目标"{as_person}'
        ),
    ),
    "mcp_cannot_approve_checks": (
        (
            "The user cannot decide that in this client. Ask the user to look at the checks and to "
            "approve them in a terminal with: outlast check --approve{as_person}"
        ),
        (
            "用户不能在此客户端决定此事。请让用户查看检查，并在终端里批准：outlast check "
            "--approve{as_person}"
        ),
    ),
    "mcp_field_answer": ("Answer", "回答"),
    "mcp_field_yes": ("Yes", "是"),
    "mcp_answered": ("The user answers: {answer}", "用户回答：{answer}"),
    "mcp_not_answered": (
        "The user has not answered. Go on with what does not depend on it, or end your turn.",
        "用户没有回答。请先做与此无关的工作，或结束这一轮。",
    ),
    "mcp_nothing_to_approve": (
        "There is nothing to approve: every check of an unfinished task may run.",
        "没有需要批准的内容：未完成任务的检查都可以运行。",
    ),
    "mcp_checks_approved": (
        "The user has approved the checks that the question showed.",
        "用户已批准问题中列出的检查。",
    ),
    "mcp_checks_refused": (
        "The user has not approved the checks; they do not run.",
        "用户没有批准这些检查，它们不会运行。",
    ),
    "mcp_goal_changed": ("The user agrees; the goal has changed.", "用户同意，目标已更改。"),
    "mcp_goal_kept": ("The user does not agree; the goal stays.", "用户不同意，目标不变。"),
    # the server
    "server_of_person": (
        "{argument}: a model calls this server, so it acts as an agent, never as {person}",
        "{argument}：调用此服务器的是模型，所以它以智能体身份行动，不能是 {person}",
    ),
    "mcp_serves": (
        "Serving plans at {url} for clients that send the bearer token. Ctrl-C ends it",
        "正在 {url} 提供计划，客户端须发送 Bearer 令牌。按 Ctrl-C 结束",
    ),
    "mcp_token_new": (
        "The token, shown only once and stored in {path}: {token}",
        "令牌（仅显示这一次，保存在 {path}）：{token}",
    ),
    "mcp_token_kept": ("The token is in {path}", "令牌保存在 {path}"),
    "mcp_token_given": ("The token is that of OUTLAST_MCP_TOKEN", "令牌来自 OUTLAST_MCP_TOKEN"),
    "mcp_ended": ("The server has ended", "服务已结束"),
    "mcp_address_wrong": (
        "{argument}: expected PORT or HOST:PORT, such as 8765 or 127.0.0.1:8765, not {value}",
        "{argument}：应为 端口 或 主机:端口，例如 8765 或 127.0.0.1:8765，而不是 {value}",
    ),
    "mcp_address_taken": (
        "{address}: cannot serve there: {problem}",
        "{address}：无法监听：{problem}",
    ),
    "mcp_token_needed": (
        (
            "Other machines can reach {host}: set OUTLAST_MCP_TOKEN to a token of at least "
            "{count} characters first"
        ),
        "其他机器可以访问 {host}：请先把 OUTLAST_MCP_TOKEN 设为至少 {count} 个字符的令牌",
    ),
    "mcp_token_short": (
        "OUTLAST_MCP_TOKEN needs at least {count} characters, without spaces",
        "OUTLAST_MCP_TOKEN 至少需要 {count} 个字符，且不能有空格",
    ),
}
