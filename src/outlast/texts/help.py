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
    "help_commands": ("Commands (without one, the plan is shown):", "命令（不给命令则显示计划）："),
    "help_more": (
        (
            "outlast help COMMAND explains one with all its options, [...] stands for more of "
            "them;\n"
            "outlast help --all lists the rare commands too."
        ),
        (
            "outlast help COMMAND 说明一个命令及其全部选项，[...] 表示还有其他选项；\n"
            "outlast help --all 也列出少用的命令。"
        ),
    ),
    "help_options": (
        "Options of every command, before or after its name:",
        "每个命令都有的选项，放在命令名之前或之后：",
    ),
    "help_codes": (
        (
            "Exit codes: 0 done, 1 refused by a rule of the plan, 2 not understood,\n"
            "  3 no plan or more than one, 4 the plan cannot be read or kept, or a model failed,\n"
            "  130 interrupted."
        ),
        (
            "退出码：0 完成，1 被计划的规则拒绝，2 无法理解，\n"
            "  3 没有计划或不止一个，4 计划无法读取或保存，或模型失败，130 被中断。"
        ),
    ),
    # commands
    "command_new": ("begin a plan", "新建计划"),
    "command_add": ("add tasks", "添加任务"),
    "command_next": ("show what may be started next", "显示接下来可以开始的任务"),
    "command_start": ("begin a task, or the next one", "开始一个任务，或下一个任务"),
    "command_done": (
        "finish a task, or the one you have in progress",
        "完成一个任务，或自己正在进行的任务",
    ),
    "command_fail": (
        "say that an attempt failed; it is tried again up to three times",
        "说明一次尝试失败了；最多重试三次",
    ),
    "command_skip": (
        "leave a task out; what depends on it may go on",
        "跳过一个任务；依赖它的任务可以继续",
    ),
    "command_remove": (
        "take a task that nothing depends on out of the plan",
        "把没有任务依赖的任务移出计划",
    ),
    "command_show": ("show the plan with all its tasks", "显示计划及其全部任务"),
    "command_list": ("list the plans of this workspace", "列出此工作区的计划"),
    "command_log": (
        "show what was changed, when, by whom and why",
        "显示何时、何人、为何更改了什么",
    ),
    "command_undo": (
        "take the newest change back, or the one of a revision",
        "撤回最近的更改，或某个版本的更改",
    ),
    "command_pause": ("stop work for now", "暂停"),
    "command_resume": (
        "go on after a pause; with a model, the agent goes on",
        "暂停之后继续；有模型时由智能体继续",
    ),
    "command_run": (
        "let an agent work towards a goal; Ctrl-C pauses it",
        "让智能体为目标工作；Ctrl-C 使它暂停",
    ),
    "command_answer": (
        "answer what the agent asks, or the question of that number",
        "回答智能体的提问，或该编号的问题",
    ),
    "command_say": (
        "say something to the agent at work; it listens at its next step",
        "对正在工作的智能体说话；它在下一步时听取",
    ),
    "command_demo": (
        "see the whole of it on a small real job; no key is needed",
        "用一件真实的小工作看完整的过程；不需要密钥",
    ),
    "command_models": ("show which models can be used here", "显示此处可用的模型"),
    "command_config": ("show the settings and where each comes from", "显示各项设置及其来源"),
    "command_doctor": ("look whether everything is in order", "检查一切是否正常"),
    "command_help": ("explain all commands, or one", "说明全部命令，或其中一个"),
    "command_check": (
        "run what shows that a task, or every task, is done",
        "运行检查，看一个或全部任务是否完成",
    ),
    "command_note": (
        "keep what was learned or went wrong; without a text, show it",
        "记录学到的或出错的；不给文字则显示",
    ),
    "command_edit": ("change a task, or the plan itself", "更改一个任务，或计划本身"),
    "command_graph": ("draw what waits for what", "画出谁等待谁"),
    "command_watch": (
        "show the plan and follow what others do; Ctrl-C ends it",
        "显示计划并跟随他人的更改；Ctrl-C 结束",
    ),
    "command_import": ("begin a plan from a file", "从文件新建计划"),
    "command_export": (
        "write the plan to a file, or to the standard output",
        "把计划写入文件或标准输出",
    ),
    "command_archive": (
        "move a plan that has ended out of the way; nothing of it is lost",
        "把已结束的计划移开；内容全部保留",
    ),
    "command_claim": ("begin a task and hold it against everybody else", "开始一个任务并独占它"),
    "command_release": ("give a claimed task back", "交回已认领的任务"),
    "command_accept": (
        "take task_plan.md in as it stands, though it was held back",
        "按现状采纳被搁置的 task_plan.md",
    ),
    "command_reset": (
        "put every task back to pending; a copy of the plan is kept",
        "所有任务恢复为待执行；会保存一份副本",
    ),
    # arguments
    "argument_goal": ("what is to be reached", "要达到的目标"),
    "argument_names": ("what is to be done; one task for each", "要做的事；每个名称一个任务"),
    "argument_task": ("the number of a task: 3, #3 or step_3", "任务编号：3、#3 或 step_3"),
    "argument_reason": ("why", "原因"),
    "argument_fail": (
        "what went wrong; without N, with the task you have in progress",
        "出了什么问题；不给 N 时指自己正在进行的任务",
    ),
    "argument_command": ("the command to explain", "要说明的命令"),
    "argument_revision": (
        "the number of a revision: 12 or r12; else the newest change",
        "版本号：12 或 r12；不给则为最近的更改",
    ),
    "argument_archive": ("the plan; else the only one there is", "哪个计划；否则为唯一的计划"),
    "argument_note": ("what was learned, or what went wrong", "学到了什么，或出了什么错"),
    "argument_resume": (
        'what the agent is told; "continue" if not given',
        "对智能体说的话；不写则为“继续”",
    ),
    "argument_answer": (
        "the answer; without ID, to the oldest open question",
        "答复；不写 ID 则回答最早的未答问题",
    ),
    "argument_say": ("what the agent should know", "智能体应当知道的事"),
    "argument_demo": (
        "an empty directory to work in; else a new one",
        "用来工作的空目录；不写则新建一个",
    ),
    "argument_import": (
        "a plan in any of the forms; - is the standard input",
        "任一格式的计划；- 表示标准输入",
    ),
    "argument_where": (
        "a directory, or a database such as sqlite:///plans.db; else right here",
        "目录，或数据库，如 sqlite:///plans.db；不给则为此处",
    ),
    "argument_export": (
        "where to write; - or nothing is the standard output",
        "写到哪里；- 或不给表示标准输出",
    ),
    # options
    "option_key": (
        "the name of the plan; else one is made from the goal",
        "计划的名称；不给则由目标生成",
    ),
    "option_shared": (
        "let others read the files, as umask says; else only you can",
        "按 umask 让他人可读文件；否则只有自己可读",
    ),
    "option_needs": ("the tasks that have to be finished first", "必须先完成的任务"),
    "option_needs_or_none": (
        "the tasks that have to be finished first, or none",
        "必须先完成的任务，或 none（没有）",
    ),
    "option_after": ("put it behind this task in the list", "在列表中排在此任务之后"),
    "option_phase": (
        "put it into this phase, which is begun if there is none of that name",
        "放入此阶段；没有则新建",
    ),
    "option_first": ("put it first in its phase", "排在其阶段的最前面"),
    "option_name": ("what it is called", "名称"),
    "option_progress": ("how far it has come, such as 3/10", "进展，例如 3/10"),
    "option_reopen": (
        "take up a task again that has failed or is finished",
        "重新打开失败或已结束的任务",
    ),
    "option_check": (
        "what shows that it is done: a command, file: PATH, file: PATH ~ PATTERN, person: TEXT",
        "用什么证明已完成：一条命令，file: PATH，file: PATH ~ PATTERN，person: TEXT",
    ),
    "option_no_checks": ("it has no checks any more", "不再有检查"),
    "option_task_budget": (
        "what a task may cost in all; also steps, calls, replans",
        "每个任务总共可以花费多少；也可用 steps、calls、replans",
    ),
    "option_task_budget_or_none": (
        "what the task may cost in all; limits that are not named stay",
        "该任务总共可以花费多少；没有写明的上限不变",
    ),
    "option_run": ("the command that does it", "执行它的命令"),
    "option_files": ("the files that it makes, as patterns", "它产生的文件（模式）"),
    "option_protect": ("the files that it must not touch, as patterns", "它不得改动的文件（模式）"),
    "option_goal": ("of the plan: what is to be reached", "计划的目标"),
    "option_title": ("of the plan: what it is called", "计划的标题"),
    "option_order": (
        "of the plan: whether each task waits for all before it",
        "计划的顺序：每个任务是否等待它之前的全部任务",
    ),
    "option_reason": ("why it is changed", "更改的原因"),
    "option_graph": ("the form of the picture; ascii if not given", "图的格式；不给则为 ascii"),
    "option_once": ("show it and end", "显示一次就结束"),
    "option_for": ("end after so many seconds", "多少秒后结束"),
    "option_document": ("the form; else told by the file", "格式；不给则由文件判断"),
    "option_yes": ("do it, and keep what was there before", "执行，并保留原来的内容"),
    "option_archived": ("list those that were archived too", "也列出已归档的计划"),
    "option_seconds": ("for how long; 600 if not given", "多长时间；不给则为 600 秒"),
    "option_token": ("the number of the claim", "认领编号"),
    "option_all_checks": ("those of all tasks, as without N", "全部任务的检查，同不给 N"),
    "option_approve": (
        "allow the checks that are listed; with N, take what was changed as it is",
        "允许列出的检查；带 N 时，也按现状认可被改动的内容",
    ),
    "option_confirm": (
        "give your word on what a check of this task asks a person",
        "对此任务中询问人的检查作出确认",
    ),
    "option_category": (
        "what kind of finding; insight if not given",
        "哪一类发现；不给则为 insight",
    ),
    "option_note_title": (
        "a short title; else the first line of the text",
        "简短标题；不给则取文字的第一行",
    ),
    "option_source": ("where it comes from", "出处"),
    "option_error": ("the text is an error that this tool made", "文字是此工具的一个错误"),
    "option_allow_tool": (
        "take the errors of --error TOOL out and allow what was refused to it",
        "去掉 --error TOOL 的错误，并重新允许被拒绝的调用",
    ),
    "option_force": (
        "take it for done without proof; a person's word, recorded as unproved",
        "不经证明就视为完成；由人负责，记录为未证明",
    ),
    "option_all_commands": ("explain the rare ones too", "也说明少用的命令"),
    "option_all": ("show all that may be started", "显示所有可以开始的任务"),
    "option_result": ("what came out", "得到的结果"),
    "option_mend": (
        "make a new journal of all that is good in a damaged one, which is kept",
        "用损坏日志中完好的内容写成新日志；原文件会保留",
    ),
    "option_no_retry": ("the task has failed for good", "任务最终失败，不再重试"),
    "option_limit": ("how many to show; 20 if not given", "显示多少条；不给则为 20"),
    "option_at": ("as it was at a revision: 12 or r12", "某个版本时的样子：12 或 r12"),
    "option_cost": (
        "what it has cost by task, and what planning itself has",
        "按任务列出花费，以及计划本身的花费",
    ),
    "option_demo_model": (
        "which model plays it; else a script; outlast models lists them",
        "由哪个模型来做；否则用脚本；outlast models 列出全部",
    ),
    "option_model": (
        "which model (also OUTLAST_MODEL); outlast models lists them",
        "用哪个模型（也可用 OUTLAST_MODEL）；outlast models 列出全部",
    ),
    "option_max_iterations": (
        "how often the model is asked before the plan is paused; else 20",
        "询问模型多少次后暂停计划；不写则为 20",
    ),
    "option_budget": (
        "what may be spent in all; also steps, calls, replans",
        "总共可以花费多少；也可用 steps、calls、replans",
    ),
    "option_allow": (
        "do this without asking, such as path:/data/** or bash:git push",
        "不询问就执行，例如 path:/data/** 或 bash:git push",
    ),
    "option_yes_to_all": ("do everything without asking", "一切都不询问就执行"),
    "option_lease": (
        "for how long a run that has died holds the plan; 60 if not given",
        "已死的运行占住计划多久；不写则为 60 秒",
    ),
    "option_dry_run": (
        "only plan; then show it and ask before anything is done",
        "只做计划；然后显示它，询问之后才动手",
    ),
    "option_diff": (
        "what is different between two revisions: r12..r15, r12.. or ..r15",
        "两个版本之间的差异：r12..r15、r12.. 或 ..r15",
    ),
    "option_plan": (
        "which plan (also OUTLAST_PLAN); else the only open one",
        "哪个计划（也可用 OUTLAST_PLAN）；否则为唯一未结束的计划",
    ),
    "option_as": (
        "who does it (also OUTLAST_ACTOR); else human",
        "由谁执行（也可用 OUTLAST_ACTOR）；否则为 human",
    ),
    "option_lang": ("the language (also OUTLAST_LANG)", "语言（也可用 OUTLAST_LANG）"),
    "option_json": ("answer with JSON in one line", "以一行 JSON 回答"),
    "option_version": ("show the version", "显示版本"),
    "option_help": ("explain the command", "说明该命令"),
}
