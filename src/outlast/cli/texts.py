"""Help for commands, arguments and options."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # pages
    "help_title": (
        "Outlast: plans that outlast the context window.",
        "Outlast：比上下文窗口更持久的计划。",
    ),
    "help_usage": ("Usage: {usage}", "用法：{usage}"),
    "help_commands": (
        "Commands (without one, outlast shows the plan):",
        "命令（省略时显示计划）：",
    ),
    "help_more": (
        (
            "A command with all its options, where [...] is: outlast help COMMAND{lang}\n"
            "The less common commands too: outlast help --all{lang}"
        ),
        (
            "一个命令及其全部选项（[...] 处还有其他选项）：outlast help COMMAND{lang}\n"
            "也列出不常用的命令：outlast help --all{lang}"
        ),
    ),
    "help_options": (
        "Options of every command, before or after its name:",
        "所有命令通用的选项，放在命令名之前或之后：",
    ),
    "help_codes": (
        (
            "Exit codes: 0 done, 1 refused by a rule of the plan, 2 wrong usage,\n"
            "  3 no plan or more than one, 4 the plan cannot be read or stored, or a model "
            "failed,\n"
            "  130 interrupted."
        ),
        (
            "退出码：0 完成，1 被计划的规则拒绝，2 用法错误，\n"
            "  3 没有计划或不止一个，4 计划无法读取或保存，或模型失败，130 被中断。"
        ),
    ),
    # commands
    "command_new": ("create a plan", "新建计划"),
    "command_add": ("add tasks", "添加任务"),
    "command_next": ("show what can start next", "显示接下来可以开始的任务"),
    "command_start": ("start a task, or the next one", "开始一个任务，或下一个任务"),
    "command_done": (
        "complete a task, or the one you have in progress",
        "完成一个任务，或自己正在进行的任务",
    ),
    "command_fail": (
        "record a failure; the task is retried up to three times",
        "记录一次失败；最多重试三次",
    ),
    "command_skip": (
        "skip a task; tasks that need it can continue",
        "跳过一个任务；依赖它的任务可以继续",
    ),
    "command_remove": ("remove a task that no other task needs", "移除没有其他任务依赖的任务"),
    "command_show": (
        "show the plan with all its tasks, or one task",
        "显示计划及其全部任务，或一个任务",
    ),
    "command_context": (
        "print what an agent needs to know about the plan",
        "输出智能体需要了解的计划信息",
    ),
    "argument_about": (
        "whole texts: a task number, goal, tasks, findings, errors or messages",
        "完整内容：任务编号、goal、tasks、findings、errors 或 messages",
    ),
    "option_brief": (
        "what a new conversation must know: goal, what people said, results, findings, errors",
        "新对话必须知道的内容：目标、用户的话、结果、发现、错误",
    ),
    "option_report_md": (
        "write it as Markdown to this file; - for standard output (default)",
        "以 Markdown 写入此文件；- 表示标准输出（默认）",
    ),
    "option_report_html": (
        "write it as one HTML page, with the timeline, to this file",
        "写成单个 HTML 页面（含时间线）存入此文件",
    ),
    "option_page": ("the page", "第几页"),
    "command_list": ("list the plans of this workspace", "列出此工作区的计划"),
    "command_log": ("show what changed, when, by whom and why", "显示更改历史：何时、何人、为何"),
    "command_report": (
        "report what was done: attempts, checks, minutes, money, a timeline",
        "生成工作报告：尝试、检查、用时、费用、时间线",
    ),
    "command_undo": (
        "undo the latest change (an agent: its own), or that of a revision",
        "撤销最近的更改（智能体：自己的），或某个修订的更改",
    ),
    "command_use": ("make a plan the current one", "切换当前计划"),
    "command_pause": ("pause the plan", "暂停计划"),
    "command_abort": ("end the plan unfinished; it stays in the list", "中止计划；计划仍在列表中"),
    "command_drop": (
        "put a plan away, finished or not; `restore` brings it back",
        "把计划移入归档，无论是否完成；用 restore 恢复",
    ),
    "command_resume": (
        "resume a paused plan; with a model, the agent continues",
        "恢复已暂停的计划；有模型时由智能体继续",
    ),
    "command_run": (
        "let an agent work towards a goal; Ctrl-C pauses it",
        "让智能体为目标工作；按 Ctrl-C 暂停",
    ),
    "command_chat": (
        "talk with the assistant: goals, todos, appointments",
        "与助手对话：目标、待办、日程",
    ),
    "command_answer": (
        "answer the agent's question, or the one with that number",
        "回答智能体的提问，或指定编号的问题",
    ),
    "command_say": (
        "tell the running agent something; it reads it before its next step",
        "给正在工作的智能体发消息；它会在下一步之前读到",
    ),
    "command_demo": (
        "see it all on a small real job; no API key needed",
        "用一个真实的小项目演示全过程；不需要 API 密钥",
    ),
    "command_models": ("show which models you can use here", "显示此处可用的模型"),
    "command_config": ("show the settings and where each one comes from", "显示各项设置及其来源"),
    "command_permissions": (
        "show what agents may do on this plan without asking, or forget it",
        "显示智能体在此计划中无需询问即可做什么，或收回许可",
    ),
    "command_doctor": ("check that everything is in order", "检查一切是否正常"),
    "command_help": ("explain all commands, or one", "说明全部命令，或其中一个"),
    "command_check": ("run the checks of a task, or of every task", "运行一个或全部任务的检查"),
    "command_note": (
        "note a finding or an error; without a text, list them",
        "记录发现或错误；省略文字则列出",
    ),
    "command_edit": ("change a task, or the plan itself", "修改一个任务，或计划本身"),
    "command_graph": ("draw which task needs which", "绘制任务依赖图"),
    "command_watch": ("show the plan live; Ctrl-C ends it", "实时显示计划及变更；按 Ctrl-C 结束"),
    "command_import": ("create a plan from a file", "从文件新建计划"),
    "command_export": (
        "write the plan to a file, or to standard output",
        "把计划写入文件或标准输出",
    ),
    "command_archive": (
        "move a plan that has ended out of the way; nothing is lost",
        "归档已结束的计划；内容全部保留",
    ),
    "command_restore": (
        "bring an archived plan back under its key",
        "恢复已归档的计划，仍用原来的标识",
    ),
    "command_claim": ("start a task and reserve it for yourself", "开始一个任务并独占它"),
    "command_release": ("give back a task in progress", "放弃进行中的任务"),
    "command_accept": (
        "apply task_plan.md as it is, although it was held back",
        "按现状应用被搁置的 task_plan.md",
    ),
    "command_reset": (
        "reset all tasks to pending; a copy of the plan is kept",
        "所有任务重置为待执行；会保存一份备份",
    ),
    # arguments
    "argument_goal": ("the goal", "目标"),
    "argument_run_goal": (
        "the goal; default: go on with the current plan",
        "目标；默认继续当前计划",
    ),
    "argument_use": (
        "the key of a plan, or a unique beginning of it",
        "计划的标识，或其唯一的开头部分",
    ),
    "argument_names": ("what to do; one task per name", "要做的事；每个名称一个任务"),
    "argument_task": ("a task number: 3, #3 or step_3", "任务编号：3、#3 或 step_3"),
    "argument_task_or_name": (
        "a task: its number, its name, or the beginning of its name",
        "任务：编号、名称或名称的开头",
    ),
    "argument_reason": ("why", "原因"),
    "argument_fail": (
        "why it failed; without N: your task in progress",
        "失败的原因；省略 N 时指自己正在进行的任务",
    ),
    "argument_command": ("the command to explain", "要说明的命令"),
    "argument_revision": (
        "a revision number: 12 or r12; default: the latest change",
        "修订号：12 或 r12；默认为最近的更改",
    ),
    "argument_plan_key": (
        "the plan, by its key or a unique beginning of it; default: the current one",
        "哪个计划：标识或其唯一的开头；默认为当前计划",
    ),
    "argument_restore": (
        "its name in `outlast list --archived`, or a unique beginning of it",
        "`outlast list --archived` 中的名称，或其唯一的开头",
    ),
    "argument_note": ("what you learned, or what went wrong", "发现了什么，或出了什么错"),
    "argument_resume": (
        'what to tell the agent; default: "continue"',
        "对智能体说的话；默认为“继续”",
    ),
    "argument_answer": (
        "the answer; without ID, to the oldest open question",
        "答复；省略 ID 时回答最早的未答问题",
    ),
    "argument_say": ("what the agent should know", "智能体应当知道的事"),
    "argument_demo": (
        "an empty directory to work in; default: a new one",
        "用来工作的空目录；默认新建一个",
    ),
    "argument_import": (
        "a plan in any supported format, or a directory with one; - for standard input",
        "任一受支持格式的计划，或含有它的目录；- 表示标准输入",
    ),
    "argument_where": (
        "a directory, or a database such as sqlite:///plans.db; default: here",
        "目录，或数据库，如 sqlite:///plans.db；默认为此处",
    ),
    "argument_export": (
        "where to write; - for standard output (default)",
        "写到哪里；- 表示标准输出（默认）",
    ),
    # options
    "option_key": (
        "the key of the plan; default: derived from the goal",
        "计划的标识；默认由目标生成",
    ),
    "option_shared": (
        "let others read the files, as the umask allows; default: only you",
        "按 umask 让他人可读文件；默认只有自己可读",
    ),
    "option_needs": ("the tasks that must finish first", "必须先完成的任务"),
    "option_needs_or_none": (
        "the tasks that must finish first, or none",
        "必须先完成的任务，或 none（没有）",
    ),
    "option_insert_after": ("put it after this task in the list", "在列表中排在此任务之后"),
    "option_phase": (
        "put it into this phase, which is created if needed",
        "放入此阶段；没有则新建",
    ),
    "option_first": ("put it first in its phase", "排在其阶段的最前面"),
    "option_name": ("its name", "名称"),
    "option_description": (
        "more about it than its name says, in any number of lines",
        "比名称更详细的说明，可以有多行",
    ),
    "option_progress": ("the progress, such as 3/10", "进度，例如 3/10"),
    "option_reopen": ("reopen a failed or finished task", "重新打开失败或已结束的任务"),
    "option_check": (
        (
            "what proves that it is done: a command, file: PATH, file: PATH ~ PATTERN, "
            "python: MODULE:FUNCTION, report: FIELD ~ PATTERN, person: TEXT"
        ),
        (
            "用什么证明已完成：一条命令，file: PATH，file: PATH ~ PATTERN，"
            "python: MODULE:FUNCTION，report: FIELD ~ PATTERN，person: TEXT"
        ),
    ),
    "option_no_checks": ("remove its checks", "移除它的检查"),
    "option_task_budget": (
        "what a task may cost in total; also model_calls, tool_calls, replans",
        "每个任务总共可以花费多少；也可用 model_calls、tool_calls、replans",
    ),
    "option_task_budget_or_none": (
        "what the task may cost in total; limits not given stay",
        "该任务总共可以花费多少；未给出的上限不变",
    ),
    "option_run": ("the command that does it", "完成该任务所用的命令"),
    "option_files": ("the files that it produces, as patterns", "它产生的文件（模式）"),
    "option_protect": ("the files that it must not touch, as patterns", "它不得改动的文件（模式）"),
    "option_goal": ("the goal of the plan", "计划的目标"),
    "option_title": ("the title of the plan", "计划的标题"),
    "option_order": (
        "whether each task waits for all tasks before it",
        "每个任务是否等待它之前的全部任务",
    ),
    "option_reason": ("why it changes", "修改的原因"),
    "option_graph": ("the format of the graph; default: ascii", "图的格式；默认 ascii"),
    "option_once": ("show it once and exit", "显示一次就结束"),
    "option_for": ("exit after this many seconds", "多少秒后结束"),
    "option_document": (
        "the format; default: by the ending of the file name",
        "格式；默认按文件名后缀",
    ),
    "option_import_form": (
        (
            "the format; default: recognized by the content. plan.json, manager, markdown, "
            "checklist, todos, claude-tasks, task-master, planning-with-files, spec-kit, kiro, "
            "or that of a package"
        ),
        (
            "格式；默认按内容识别。plan.json、manager、markdown、checklist、todos、claude-tasks、"
            "task-master、planning-with-files、spec-kit、kiro，或软件包提供的格式"
        ),
    ),
    "option_yes": (
        "confirm: replace what is there, and keep a copy of it",
        "确认：替换现有内容，并保留备份",
    ),
    "option_archived": ("also list archived plans", "也列出已归档的计划"),
    "option_archived_name": (
        "an archived plan: its name in `outlast list --archived`, or a unique beginning of it",
        "已归档的计划：`outlast list --archived` 中的名称，或其唯一的开头",
    ),
    "option_layout": (
        "how the files are laid out; default: as before under this key, else as the settings say",
        "文件的布局；默认：与此标识之前的计划相同，否则按设置",
    ),
    "option_seconds": ("for how long, in seconds; default: 600", "多长时间（秒）；默认 600"),
    "option_token": ("the claim's token", "认领令牌"),
    "option_all_checks": ("the checks of all tasks, as without N", "全部任务的检查，同省略 N"),
    "option_approve": (
        "approve the listed checks; with N, also accept what was changed",
        "批准列出的检查；带 N 时，也接受被改动的内容",
    ),
    "option_confirm": (
        "confirm the checks of this task that ask a person",
        "确认此任务中须由人确认的检查",
    ),
    "option_category": ("the kind of finding; default: insight", "发现的类别；默认 insight"),
    "option_note_title": (
        "a short title; default: the first line of the text",
        "简短标题；默认取文字的第一行",
    ),
    "option_source": ("where it comes from", "出处"),
    "option_error": ("the text is an error of this tool", "把 TEXT 记为该工具的错误"),
    "option_allow_tool": (
        "remove the errors of --error TOOL and allow its refused calls again",
        "移除 --error TOOL 的错误，并重新允许被拒绝的调用",
    ),
    "option_stop": (
        "also while a run is working on it: stop the run first",
        "即使有运行正在执行它：先让该运行停下",
    ),
    "option_force": (
        "complete it without proof; only a person may, recorded as unproved",
        "不经证明就算完成；只有人可以用，记录为未证明",
    ),
    "option_all_commands": ("also list the less common commands", "也列出不常用的命令"),
    "option_all": ("show all tasks that can start", "显示所有可以开始的任务"),
    "option_result": ("the result", "得到的结果"),
    "option_repair": (
        "rebuild damaged or lost plans from everything good that is left; all files are kept",
        "用剩下的完好内容重建损坏或丢失的计划；原文件都会保留",
    ),
    "option_restore": (
        "bring back plans whose files are gone, as after `git clean -fdx`",
        "找回文件已不见的计划，例如 `git clean -fdx` 之后",
    ),
    "option_forget_plan": (
        "also remove what would bring the plan back if its files vanished",
        "同时删除用于在文件消失后找回该计划的副本",
    ),
    "option_new_identity": (
        "give the copied plan KEY its own identity",
        "让复制出来的计划 KEY 拥有自己的身份",
    ),
    "option_no_retry": ("the task has failed for good", "任务彻底失败，不再重试"),
    "option_limit": ("how many to show; default: 20", "显示多少条；默认 20"),
    "option_at": (
        "the plan as it was at a revision: 12 or r12",
        "计划在某个修订时的样子：12 或 r12",
    ),
    "option_whole_task": (
        "with a task: nothing is shortened, its whole history",
        "查看任务时：不缩略任何内容，显示全部历史",
    ),
    "option_cost": ("what each task and planning itself have cost", "各任务及规划的花费"),
    "option_demo_model": (
        "the model to use; default: a script; to see them: outlast models{lang}",
        "使用的模型；默认用脚本；查看全部：outlast models{lang}",
    ),
    "option_model": (
        "the model (also OUTLAST_MODEL); to see them: outlast models{lang}",
        "使用的模型（也可用 OUTLAST_MODEL）；查看全部：outlast models{lang}",
    ),
    "command_attach": (
        "attach this session of a coding agent to a plan",
        "把编程智能体的当前会话关联到一个计划",
    ),
    "command_detach": (
        "detach this session of a coding agent from its plan",
        "解除编程智能体的当前会话与计划的关联",
    ),
    "command_hook": (
        "answer an event of a coding agent; its JSON is on the standard input",
        "应答编程智能体的事件；事件的 JSON 在标准输入",
    ),
    "argument_hook_event": (
        (
            "session-start, prompt, pre-tool, post-tool, tool-failure, batch, stop, "
            "subagent-stop, pre-compact or session-end"
        ),
        (
            "session-start、prompt、pre-tool、post-tool、tool-failure、batch、stop、"
            "subagent-stop、pre-compact 或 session-end"
        ),
    ),
    "option_hook_agent": ("claude-code, codex or gemini", "claude-code、codex 或 gemini"),
    "option_host_session": (
        "a session other than the one that runs this command",
        "指定会话，而不是运行此命令的会话",
    ),
    "option_guard": (
        "let the agent stop only when the plan is finished, or with a question",
        "仅当计划完成或提出问题时，才让智能体停止",
    ),
    "command_mcp": ("serve the plan to a coding agent over MCP", "通过 MCP 向编程智能体提供计划"),
    "option_http": (
        "serve over HTTP at PORT or HOST:PORT, with a token; default: the standard streams",
        "通过 HTTP 提供服务，地址为 PORT 或 HOST:PORT，需要令牌；默认使用标准输入输出",
    ),
    "option_mcp_tools": (
        "the tools to offer: compact ones, the functions of PlanManager, or a todo list",
        "提供哪些工具：精简工具、PlanManager 的函数，或待办列表",
    ),
    "option_mcp_workspace": (
        "whose plans to serve; default: those of this directory",
        "提供哪个目录的计划；默认为当前目录",
    ),
    "command_worker": (
        "serve a mailbox with an agent until Ctrl-C",
        "用智能体处理信箱中的指令，直到按 Ctrl-C",
    ),
    "option_agent": (
        (
            "who carries out the tasks: claude-code, codex, tools, shell, human, mailbox, or one "
            "of a package"
        ),
        "由谁执行任务：claude-code、codex、tools、shell、human、mailbox，或软件包提供的智能体",
    ),
    "option_parallel": ("how many tasks at a time; default: 1", "同时执行多少个任务；默认 1"),
    "option_agent_permissions": (
        "what the agent may do without asking; default: edit",
        "智能体无需询问即可做什么；默认 edit",
    ),
    "option_agent_timeout": (
        "how long the agent may take for one try; default: 600",
        "智能体每次尝试最长多少秒；默认 600",
    ),
    "option_mailbox": (
        "exchange orders and reports with agents as files there; default: .outlast/mailbox",
        "通过该目录中的文件与智能体交换指令和报告；默认 .outlast/mailbox",
    ),
    "option_answer_file": (
        "a file with the rest of the answer; - is the standard input",
        "答复（其余部分）所在的文件；- 表示标准输入",
    ),
    "option_sessions": (
        "a new conversation of the agent for each task, or one shared by all; default: task",
        "智能体为每个任务新建会话，或所有任务共用一个（shared）；默认 task",
    ),
    "option_max_steps": (
        "how many steps one task may take; default: 20",
        "每个任务最多多少步；默认 20",
    ),
    "option_loop": (
        (
            "how the model works: `tools` calls tools until the work is done, `replan` makes one "
            "small decision at a time and replans after each item; default: tools"
        ),
        (
            "模型的工作方式：tools 连续调用工具直到完成；replan 每次只作一个小决定，每完成一项重新"
            "规划；默认 tools"
        ),
    ),
    "option_review": (
        "ask you before the model changes the plan",
        "模型调整计划之前先征求您的同意",
    ),
    "option_mailbox_layout": (
        "how the files of the mailbox are laid out; default: outlast",
        "信箱文件的布局；默认 outlast",
    ),
    "option_run_layout": (
        (
            "how the files are laid out; default: as before under this key, else as the settings "
            "say; volumes: that of a mailbox"
        ),
        "文件的布局；默认：与此标识之前的计划相同，否则按设置；volumes 用于信箱",
    ),
    "option_worker_workspace": (
        "the directory that the agent works in; default: the workspace of this one",
        "智能体在哪个目录中工作；默认为当前所在的工作区",
    ),
    "option_worker_agent": ("the agent to work with", "使用的智能体"),
    "option_worker_mailbox": (
        "the mailbox; default: .outlast/mailbox",
        "信箱目录；默认 .outlast/mailbox",
    ),
    "option_worker_once": ("end as soon as no command waits", "没有待处理的指令时即结束"),
    "option_max_iterations": (
        "how often to ask the model before the plan is paused; default: 20",
        "询问模型多少次后暂停计划；默认 20",
    ),
    "option_budget": (
        "what may be spent in total; also model_calls, tool_calls, replans",
        "总共可以花费多少；也可用 model_calls、tool_calls、replans",
    ),
    "option_allow": (
        "allow this without asking, such as path:/data/** or bash:git push",
        "无需询问即可执行的操作，例如 path:/data/** 或 bash:git push",
    ),
    "option_yes_to_all": (
        "allow everything without asking, and approve a plan of --dry-run",
        "允许一切，不询问；并批准 --dry-run 的计划",
    ),
    "option_approve_plan": (
        "approve a plan of --dry-run and carry it out",
        "批准 --dry-run 的计划并执行",
    ),
    "option_forget": (
        "forget what was allowed for this plan; agents ask again",
        "收回此计划的许可；智能体会重新询问",
    ),
    "option_lease": (
        "how long the plan stays reserved after a run has crashed; default: 60",
        "运行异常退出后，计划保留多久（秒）；默认 60",
    ),
    "option_dry_run": (
        "only plan; then show the plan and ask before doing anything",
        "只做计划；显示计划并询问后才执行",
    ),
    "option_log_all": (
        "everything that was recorded, also each call of a model or a tool",
        "全部记录，包括每次模型与工具调用",
    ),
    "option_since": (
        "only since a time: 2026-11-16, 14:30, or 2h (two hours ago)",
        "只看某时之后：2026-11-16、14:30，或 2h（两小时前）",
    ),
    "option_log_task": ("only what concerns a task", "只看与某个任务有关的记录"),
    "option_by": ("only what this actor or person did", "只看此执行者或此人所做的更改"),
    "option_diff": (
        "the differences between two revisions: r12..r15, r12.. or ..r15",
        "两个修订之间的差异：r12..r15、r12.. 或 ..r15",
    ),
    "option_plan": (
        "which plan (also OUTLAST_PLAN), by its key or a unique beginning; default: the current",
        "哪个计划（也可用 OUTLAST_PLAN），标识或其唯一的开头；默认为当前计划",
    ),
    "option_as": (
        "the actor to record (also OUTLAST_ACTOR); default: you, or the agent that runs this",
        "记录的执行者（也可用 OUTLAST_ACTOR）；默认是您，或运行此命令的智能体",
    ),
    "option_lang": ("the language (also OUTLAST_LANG)", "语言（也可用 OUTLAST_LANG）"),
    "option_json": ("answer with one line of JSON", "以一行 JSON 输出"),
    "option_version": ("show the version", "显示版本"),
    "option_help": ("explain the command", "显示该命令的说明"),
}
