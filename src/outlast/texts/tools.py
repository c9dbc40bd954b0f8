"""Tools: the plan's own, files, the shell, and permission to use them."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # the plan's own tools
    "delta_added": ("Added {ids}, {done}/{total} done.", "已添加 {ids}，完成 {done}/{total}。"),
    "delta_completed": ("{done}/{total} done.", "已完成 {done}/{total}。"),
    "delta_retried": (
        "Failed {task}, retry {tries} of {limit}.",
        "{task} 失败，第 {tries} 次重试，共 {limit} 次。",
    ),
    "delta_failed": (
        "Failed {task} for good, {done}/{total} done.",
        "{task} 最终失败，完成 {done}/{total}。",
    ),
    "delta_skipped": ("Skipped {task}, {done}/{total}.", "{task} 已跳过，{done}/{total}。"),
    "delta_progress": ("Task {task}: {current}/{total}", "任务 {task}：{current}/{total}"),
    "delta_now": ("Now {task}.", "现在是 {task}。"),
    "delta_finished": ("The plan is complete.", "计划已完成。"),
    "delta_paused": ("The plan is paused.", "计划已暂停。"),
    "delta_waiting": (
        "Nothing to start until others have finished.",
        "在其他人完成之前没有可开始的任务。",
    ),
    "delta_stuck": ("Nothing left can run.", "剩余任务都无法执行。"),
    "riding_foot": (
        "When the current step is done, call {complete} with its number.",
        "完成当前步骤后，用它的编号调用 {complete}。",
    ),
    "riding_next": (
        (
            "No step of yours is in progress: take the next that can be done, then call {complete} "
            "with its number."
        ),
        "你没有进行中的步骤：请做下一个可做的步骤，做完后用它的编号调用 {complete}。",
    ),
    "riding_empty": (
        "There are no steps yet: make them with {add}.",
        "还没有步骤：用 {add} 创建。",
    ),
    "riding_paused": (
        "The plan is paused: leave it until somebody resumes it.",
        "计划已暂停：在有人恢复之前请勿继续。",
    ),
    "riding_ended": (
        "The plan has ended: there is nothing to do in it now.",
        "计划已结束：现在没有要做的步骤。",
    ),
    "not_json": ("{argument}: not JSON: {problem}", "{argument}：不是 JSON：{problem}"),
    "todos_not_array": ("{argument} must be an array", "{argument} 必须是数组"),
    "plan_title_needed": (
        "{argument} is required when creating a new persistent plan",
        "创建新的持久化计划时必须提供 {argument}",
    ),
    "persist_failed": ("Failed to persist plan: {problem}", "计划持久化失败：{problem}"),
    "todo_objective": ("Task objectives extracted from todos", "从待办列表提取的任务目标"),
    "todo_created": (
        ("Plan created and saved to task_plan.md:\nTitle: {title}\nSteps: {steps}"),
        ("计划已创建并保存到 task_plan.md：\n标题：{title}\n步骤：{steps}"),
    ),
    "todo_updated": (
        "Todo list updated ({done}/{total} completed):",
        "待办列表已更新（完成 {done}/{total}）：",
    ),
    "todo_saved": ("(Saved to task_plan.md)", "（已保存到 task_plan.md）"),
    "todo_refused": ("Refused:", "被拒绝："),
    "no_plan_to_read": (
        "No plan exists. Use todo_write with persist=true to create one.",
        "没有计划。用 todo_write 并设 persist=true 来创建一个。",
    ),
    "plan_read": (
        ("# {title}\n\n**Objective:** {goal}\n**Progress:** {done}/{total}\n"),
        ("# {title}\n\n**目标：** {goal}\n**进度：** {done}/{total}\n"),
    ),
    "finding_saved": (
        ("Finding saved to findings.md:\nCategory: {category}\nTitle: {title}\nID: {id}"),
        ("发现已保存到 findings.md：\n类别：{category}\n标题：{title}\n编号：{id}"),
    ),
    # files, searches and the shell
    "file_edited": ("{count} replaced", "已替换 {count} 处"),
    "edit_changes_nothing": (
        "old and new: expected two different texts, old not empty",
        "old 与 new：应为两段不同的文本，且 old 不为空",
    ),
    "old_not_found": (
        "{path}: old is not in the file; read it again and copy it exactly",
        "{path}：文件中没有 old；请重新读取并原样复制",
    ),
    "old_not_unique": (
        "{path}: old is there {count} times; take more of its surroundings, or replace_all",
        "{path}：old 出现了 {count} 次；请多带一些上下文，或使用 replace_all",
    ),
    "part_too_large": (
        "{path}: more than {limit} bytes; read fewer lines with offset and limit",
        "{path}：超过 {limit} 字节；请用 offset 和 limit 少读几行",
    ),
    "not_a_directory": ("{path}: expected a directory", "{path}：应为目录"),
    "nothing_found": ("(nothing found)", "（没有找到）"),
    "more_left_out": ("(and {count} more)", "（另有 {count} 项）"),
    "search_cut": (
        "(only the first {count}; narrow the search)",
        "（只列出前 {count} 项；请缩小范围）",
    ),
    "search_too_long": (
        "The search took more than {seconds} s; take a simpler pattern or a smaller path",
        "搜索超过 {seconds} 秒；请换更简单的表达式或更小的路径",
    ),
    "search_failed": ("The search ended with {code}", "搜索以 {code} 结束"),
    "pattern_wrong": ("pattern: {problem}", "pattern：表达式有误（{problem}）"),
    "command_not_started": (
        "The command could not be started: {problem}",
        "命令无法启动：{problem}",
    ),
    "command_too_long": (
        "Ended after {seconds} s. Output:\n{output}",
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
    "output_cut": ("[… {count} bytes left out …]", "[… 省略 {count} 字节 …]"),
    "left_out": ("[… {count} characters left out …]", "[… 省略 {count} 个字符 …]"),
    "path_outside": (
        "{path}: expected the path of a file within the workspace",
        "{path}：应为工作区内的文件路径",
    ),
    "path_of_plans": (
        "{path}: the files of plans are changed by the plan's own tools only",
        "{path}：计划的文件只能由计划自己的工具修改",
    ),
    "not_a_file": ("{path}: expected a plain file", "{path}：应为普通文件"),
    "file_too_large": ("{path}: larger than {limit} bytes", "{path}：超过 {limit} 字节"),
    "file_not_text": ("{path}: expected text in UTF-8", "{path}：应为 UTF-8 文本"),
    "file_failed": ("{path}: {problem}", "{path}：系统拒绝（{problem}）"),
    "content_too_large": (
        "content: expected at most {limit} bytes of UTF-8, got {size}",
        "content：最多 {limit} 字节 UTF-8，实际 {size}",
    ),
    # permission
    "permit_outside": (
        "{tool} wants to leave the workspace: `{what}`. Allow? (yes / no / always)",
        "{tool} 要离开工作区：`{what}`。允许吗？（是 / 否 / 总是）",
    ),
    "permit_destructive": (
        "{tool} wants to do what may destroy something: `{what}`. Allow? (yes / no / always)",
        "{tool} 要做可能造成破坏的事：`{what}`。允许吗？（是 / 否 / 总是）",
    ),
    "permit_nobody": ("(nobody answered)", "（无人回答）"),
    "not_permitted": (
        (
            "Not allowed, and nobody is there to ask: `{what}`. Find another way within the "
            "workspace; a person permits it beforehand with --allow or --yes"
        ),
        (
            "不被允许，而且没有人可以询问：`{what}`。请在工作区内另想办法；人可以事先用 --allow 或 "
            "--yes 允许"
        ),
    ),
    "not_permitted_said": (
        "Not allowed: `{what}`. The answer was: {answer}",
        "不被允许：`{what}`。回答是：{answer}",
    ),
    "question_at_terminal": (
        ("\n? {id}  {text}\nAnswer (an empty line leaves it open): "),
        ("\n? {id}  {text}\n答复（空行表示暂不答复）："),
    ),
    # tools of your own
    "tool_twice": ("{argument}: two tools are called {name}", "{argument}：有两个工具都叫 {name}"),
    "tool_taken": (
        "{argument}: the plan has a tool called {name} itself; give yours another name",
        "{argument}：计划自己有一个工具叫 {name}；请给你的工具另取名称",
    ),
    "tool_lacks": (
        "{argument}: {name} is no whole tool; it lacks {lacks}",
        "{argument}：{name} 不是完整的工具；缺少 {lacks}",
    ),
    "tool_name_wrong": (
        "{argument}: expected up to 64 letters, digits, _ or -, got {name}",
        "{argument}：应为至多 64 个字母、数字、_ 或 -，实际是 {name}",
    ),
    "tool_signature": (
        "{name}: a tool takes parameters by name with types that JSON has: {problem}",
        "{name}：工具的参数须有名称，且类型为 JSON 所有：{problem}",
    ),
    "tool_entry_missing": (
        "{name}: no installed package offers a tool of this name; there are {choices}",
        "{name}：没有已安装的包提供这个名称的工具；现有 {choices}",
    ),
    "tool_entry_broken": (
        "{name}: the package of this tool cannot be loaded: {problem}",
        "{name}：提供这个工具的包无法载入：{problem}",
    ),
    "tool_arguments": ("{tool}: {problem}", "{tool}：参数有误（{problem}）"),
}
