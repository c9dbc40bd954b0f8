"""Where plans are kept: files, journals, databases, locks and the archive."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # documents from outside
    "document_wrong_type": (
        "{where}: expected {expected}, got {got}",
        "{where}：应为{expected}，实际是{got}",
    ),
    "document_missing": ("{where}: missing", "{where}：缺少该字段"),
    "document_not_json": ("{where}: not valid JSON: {got}", "{where}：不是有效的 JSON：{got}"),
    "document_bad_choice": (
        "{where}: expected one of {choices}",
        "{where}：应为以下之一：{choices}",
    ),
    "document_negative": ("{where}: expected a number of at least 0", "{where}：不能为负数"),
    "document_unknown_task": (
        "{where}: no task has the id {task_id}",
        "{where}：没有编号为 {task_id} 的任务",
    ),
    "document_unmerged": (
        "{where}: the file has merge conflict markers; resolve the conflict first",
        "{where}：文件含有合并冲突标记；请先解决冲突",
    ),
    "document_id_twice": ("{where}: the id {id} is given twice", "{where}：编号 {id} 重复出现"),
    "document_unknown_field": ("{where}: unknown field", "{where}：未知字段"),
    "document_bad_time": (
        "{where}: expected a time such as 2024-01-01T00:00:00Z",
        "{where}：应为时间，例如 2024-01-01T00:00:00Z",
    ),
    "document_field_twice": ("{where}: the field is given twice", "{where}：该字段重复出现"),
    "document_too_deep": (
        "{where}: nested more than {limit:level} deep",
        "{where}：嵌套超过 {limit:,} 层",
    ),
    "document_too_large": ("{where}: larger than {limit:byte}", "{where}：超过 {limit:,} 字节"),
    "document_not_text": (
        "{where}: expected UTF-8 text; byte {offset:,} is not",
        "{where}：应为 UTF-8 文本，第 {offset:,} 字节处不是",
    ),
    "document_no_file": ("{where}: expected a regular file", "{where}：应为普通文件"),
    "form_unknown": (
        (
            "{where}: not a plan in a format that can be imported (read to line {line}); the "
            "formats are: {expected}"
        ),
        "{where}：不是可以导入的计划（已读到第 {line} 行）；可导入的格式：{expected}",
    ),
    "form_unknown_near": (
        (
            "{where}: line {line}: not a plan in a format that can be imported; nearest: {near}; "
            "the formats are: {expected}"
        ),
        "{where}：第 {line} 行：不是可以导入的计划；最接近的格式：{near}；可导入的格式：{expected}",
    ),
    "form_no_json": (
        "{where}: line {line}: not valid JSON: {problem}; the formats are: {expected}",
        "{where}：第 {line} 行：不是有效的 JSON：{problem}；可导入的格式：{expected}",
    ),
    "form_no_directory": (
        (
            "{where}: a directory without the files of a plan: task_plan.md, tasks.md, tasks.json, "
            "or the tasks of Claude Code (1.json, 2.json)"
        ),
        (
            "{where}：目录中没有计划文件：task_plan.md、tasks.md、tasks.json，"
            "或 Claude Code 的任务（1.json、2.json）"
        ),
    ),
    "form_missing": (
        "--format: there is no format {form}; the formats are: {expected}",
        "--format：没有格式 {form}；可用的格式：{expected}",
    ),
    "importer_broken": (
        "the package that reads {form} cannot be used: {problem}",
        "读取 {form} 的软件包无法使用：{problem}",
    ),
    "document_too_many_files": (
        "{where}: more than {limit:file}",
        "{where}：超过 {limit:,} 个文件",
    ),
    "plan_file_unreadable": (
        (
            "{path} is not a plan that can be read; fix the file, or set it aside with: outlast "
            "doctor --repair --plan {key}{lang}"
        ),
        (
            "{path} 不是可以读取的计划；请修正该文件，或将其移开：outlast doctor --repair "
            "--plan {key}{lang}"
        ),
    ),
    "plan_file_set_aside": (
        (
            "{path} was not a plan that could be read and was set aside: {kept}; a new plan can "
            "have its key"
        ),
        "{path} 不是可以读取的计划，已移开：{kept}；该标识可以用于新的计划",
    ),
    # stored plans
    "no_directory": ("There is no directory {where}", "目录 {where} 不存在"),
    "key_not_encodable": (
        (
            "The locale's encoding ({encoding}) has no directory name for the key {key}; set "
            "LC_ALL=C.UTF-8, or choose a key in ASCII"
        ),
        (
            "当前区域设置的编码（{encoding}）无法表示标识 {key} 的目录名；"
            "请设置 LC_ALL=C.UTF-8，或换用 ASCII 标识"
        ),
    ),
    "key_ambiguous": (
        "{count:plan begins|plans begin} with {key}: {candidates}; type more of the key",
        "有 {count:,} 个计划以 {key} 开头：{candidates}；请多输入几个字",
    ),
    "no_open_plan": (
        "No plan is open here; ended plans: {candidates}",
        "这里没有未结束的计划；已结束：{candidates}",
    ),
    "nothing_to_run": (
        'There is no unfinished plan to work on; start one with: outlast run "GOAL"{lang}',
        '没有可以继续的计划；新建：outlast run "目标"{lang}',
    ),
    "current_plan_ended": (
        (
            "Plan {key} has ended; open plans: {candidates}; go on with one: "
            "outlast resume --plan {other}{lang}"
        ),
        (
            "计划 {key} 已结束；未结束的计划：{candidates}；"
            "继续其中一个：outlast resume --plan {other}{lang}"
        ),
    ),
    "no_current_plan": (
        (
            "No plan is the current one; open plans: {candidates}; go on with one: "
            "outlast resume --plan {other}{lang}"
        ),
        (
            "没有当前计划；未结束的计划：{candidates}；"
            "继续其中一个：outlast resume --plan {other}{lang}"
        ),
    ),
    "plan_over": (
        (
            "Plan {key} has ended; look at it: outlast show --plan {key}{lang}; a new goal is a "
            'new plan: outlast run "GOAL"{lang}'
        ),
        (
            "计划 {key} 已结束；查看：outlast show --plan {key}{lang}；"
            '新的目标要新建计划：outlast run "目标"{lang}'
        ),
    ),
    "plan_over_new_goal": (
        (
            "Plan {key} has ended; look at it: outlast show --plan {key}{lang}; a new goal is a "
            "new plan: outlast run {goal}{lang}"
        ),
        (
            "计划 {key} 已结束；查看：outlast show --plan {key}{lang}；"
            "新的目标要新建计划：outlast run {goal}{lang}"
        ),
    ),
    "cancel_at_work": (
        (
            "{holder} is at work on plan {key}; a person can stop it and end the plan: "
            "outlast abort --stop --plan {key}{lang}"
        ),
        (
            "{holder} 正在执行计划 {key}；"
            "人可以让它停下并终止计划：outlast abort --stop --plan {key}{lang}"
        ),
    ),
    "two_plans_named": (
        "KEY names plan {key} and --plan names {plan}; leave one of them out",
        "KEY 指定计划 {key}，--plan 却指定 {plan}；请去掉其中一个",
    ),
    "use_by_agent": (
        (
            "{actor} is an agent and cannot choose the current plan; name the plan in each "
            "command: --plan {key}"
        ),
        "{actor} 是智能体，不能选择当前计划；请在每条命令中指定计划：--plan {key}",
    ),
    "current_not_written": (
        "{where} cannot be written; name the plan with --plan {key}",
        "{where} 无法写入；请用 --plan {key} 指定计划",
    ),
    "plan_gone": (
        "Plan {key} was removed while this command ran; to see what is left: outlast list{lang}",
        "命令执行期间，计划 {key} 已被删除；查看现有计划：outlast list{lang}",
    ),
    "plan_in_archive": (
        "Plan {key} is in the archive; bring it back with: outlast restore {name}{lang}",
        "计划 {key} 已归档；恢复：outlast restore {name}{lang}",
    ),
    "plan_not_found": (
        "There is no plan {key}; plans here: {candidates}",
        "没有计划 {key}；现有：{candidates}",
    ),
    "variable_plan_missing": (
        (
            "There is no plan {key}, which OUTLAST_PLAN names; name one with --plan KEY: "
            "{candidates}"
        ),
        "没有 OUTLAST_PLAN 指定的计划 {key}；请用 --plan KEY 指定：{candidates}",
    ),
    "plan_to_tell_missing": (
        (
            "There is no plan {key} (plans here: {candidates}); to create it: "
            'outlast run "GOAL" --key {key}{lang}'
        ),
        '没有计划 {key}（现有：{candidates}）；新建：outlast run "目标" --key {key}{lang}',
    ),
    "no_plan_there": ("There is no plan at {where}", "{where} 处没有计划"),
    "plan_closed": (
        "{where}: the plan was closed; open it again to use it",
        "{where}：计划已关闭；请重新打开后再使用",
    ),
    "memory_plan_closed": (
        "The plan was closed, and it was only in memory; create it again to use it",
        "计划已关闭，且只保存在内存中；请重新创建后再使用",
    ),
    "memory_plan_inherited": (
        (
            "This process was forked while its parent was changing the plan, which is only in "
            "memory; use it in the parent, or keep the plan in files"
        ),
        "本进程派生时，父进程正在更改这份只保存在内存中的计划；请在父进程中使用它，或改用文件保存",
    ),
    "plan_exists_already": (
        "There is already a plan at {where}; use that plan, or choose another key",
        "{where} 处已有计划；请使用该计划，或换一个标识",
    ),
    "unsuitable_file_system": (
        (
            "{where} is on a file system ({kind}) whose locks do not work across machines; choose "
            "a local directory"
        ),
        "{where} 所在的文件系统（{kind}）无法在多台机器之间可靠加锁；请选择本地目录",
    ),
    "no_locks": (
        "{where} is on a file system without locks; choose a local directory",
        "{where} 所在的文件系统不支持锁；请选择本地目录",
    ),
    "newer_format": (
        (
            "The files use format {found}, but this Outlast supports formats up to {known}; update "
            "Outlast"
        ),
        "文件格式为 {found}，当前 Outlast 最高支持 {known}；请升级 Outlast",
    ),
    "not_a_database": (
        "{where} is not a database of plans and was not changed; choose another file",
        "{where} 不是计划数据库，未作改动；请换一个文件",
    ),
    "no_plain_file": (
        "{where} is not a regular file; a database cannot be a link or a device",
        "{where} 不是普通文件；数据库不能是链接或设备",
    ),
    "database_locked": (
        (
            "{where}: another program is holding the database lock; the plan was not changed, try "
            "again"
        ),
        "{where}：另一个程序占用着数据库锁；计划未作更改，请重试",
    ),
    "lock_wait": (
        "waiting for process {pid} ({command}), which holds the lock of {where}",
        "正在等待进程 {pid}（{command}）释放 {where} 的锁",
    ),
    "lock_wait_stopped": (
        (
            "waiting for process {pid} ({command}), which is stopped and holds the lock of "
            "{where}; to let it go on: kill -CONT {pid}"
        ),
        "进程 {pid}（{command}）已暂停，仍占用 {where} 的锁，正在等待；让它继续：kill -CONT {pid}",
    ),
    "lock_wait_unknown": (
        "waiting for another process, which holds the lock of {where}",
        "正在等待另一个进程释放 {where} 的锁",
    ),
    "lock_timeout": (
        (
            "{where}: process {pid} ({command}) has not released the lock for {seconds} s; "
            "nothing was changed; try again when it has finished, or end it: kill {pid}"
        ),
        (
            "{where}：进程 {pid}（{command}）占用锁已超过 {seconds} 秒；未作任何更改；"
            "请等它结束后重试，或终止它：kill {pid}"
        ),
    ),
    "lock_timeout_stopped": (
        (
            "{where}: process {pid} ({command}) is stopped and has not released the lock for "
            "{seconds} s; nothing was changed; let it go on with kill -CONT {pid}, or end it "
            "with kill -KILL {pid}, then try again"
        ),
        (
            "{where}：进程 {pid}（{command}）已暂停，占用锁已超过 {seconds} 秒；未作任何更改；"
            "用 kill -CONT {pid} 让它继续，或用 kill -KILL {pid} 终止它，然后重试"
        ),
    ),
    "lock_timeout_unknown": (
        (
            "{where}: another process has not released the lock for {seconds} s; nothing was "
            "changed; find it with fuser -v {where}, and try again when it has ended"
        ),
        (
            "{where}：另一个进程占用锁已超过 {seconds} 秒；未作任何更改；"
            "用 fuser -v {where} 找到该进程，等它结束后重试"
        ),
    ),
    "store_inherited": (
        (
            "{where}: this process was forked while its parent was using the database; use "
            "a process that was started by itself"
        ),
        "{where}：本进程是在父进程使用数据库时派生的；请在单独启动的进程中打开计划",
    ),
    "not_memory": (
        "{argument}: memory: is a plan in memory, {value} is not",
        "{argument}：内存中的计划写作 memory:，而不是 {value}",
    ),
    "bad_database_url": (
        (
            "{value} is not a database URL: sqlite:///FILE is in the current directory, "
            "sqlite:////DIRECTORY/FILE is an absolute path, and nothing may follow the file"
        ),
        (
            "{value} 不是数据库地址：sqlite:///文件 位于当前目录，sqlite:////目录/文件 是绝对路径，"
            "文件名之后不能有其他内容"
        ),
    ),
    "write_failed": (
        "{where}: {problem}; the plan was not changed, try again when this is fixed",
        "{where}：{problem}；计划未作更改，问题解决后请重试",
    ),
    "not_writable": (
        "{where}: no permission to write, or a read-only disk; the plan can only be read",
        "{where}：没有写权限，或磁盘为只读；计划只能读取",
    ),
    "store_failed": (
        "{where}: {problem}; nothing was changed, try again when this is fixed",
        "{where}：{problem}；没有任何更改，问题解决后请重试",
    ),
    "no_plan_yet": (
        'No plan found for {where}; create one with: outlast new "GOAL"{lang}',
        '{where} 没有计划；新建：outlast new "目标"{lang}',
    ),
    "store_busy": (
        "{where}: the plan's files keep being replaced; try again",
        "{where}：计划的文件正被反复替换；请重试",
    ),
    "write_unknown": (
        "{where}: {problem}; read the plan again to see whether the change was saved",
        "{where}：{problem}；更改是否已保存，重新读取计划后可知",
    ),
    "commit_withdrawn": (
        (
            "{where}: revision {revision}, which was read before, is gone: its writer could not "
            "save it, or an older journal was put back"
        ),
        "{where}：先前读到的修订 {revision} 已不存在：写入方未能保存它，或有人放回了较旧的日志",
    ),
    "snapshot_failed": (
        "{where}: no snapshot was written ({problem}); opening the plan will take longer",
        "{where}：无法写入快照（{problem}）；打开计划会变慢",
    ),
    "plan_not_ended": (
        (
            "The plan is {status}; only a plan that has ended can be archived. To put it away as "
            "it is: outlast drop{common}"
        ),
        "计划状态为{status}；只有已结束的计划才能归档。要原样移走它：outlast drop{common}",
    ),
    "plan_not_own": (
        (
            "{actor} may {action} only a plan that nobody else has changed; {others} changed this "
            "one too: ask a person"
        ),
        "{actor} 只能对别人没有更改过的计划执行 {action}；此计划还由 {others} 更改过，请由人来做",
    ),
    "plan_archived": (
        (
            "The plan is archived and cannot be changed; restore it first: outlast restore "
            "{name}{lang}"
        ),
        "计划已归档，不能更改；请先恢复：outlast restore {name}{lang}",
    ),
    "not_archived": (
        "No archived plan is called {name}; archived plans: {candidates}",
        "没有名为 {name} 的已归档计划；已归档：{candidates}",
    ),
    "which_archived": (
        "{count:archived plan is|archived plans are} called {name}; choose one of: {candidates}",
        "有 {count:,} 个名为 {name} 的已归档计划；请指定其一：{candidates}",
    ),
    "restore_key_in_use": (
        "Another plan has the key {key} and is {status}; drop it first: outlast drop {key}{lang}",
        "另一个计划正在使用标识 {key}，状态为{status}；请先移走它：outlast drop {key}{lang}",
    ),
    "layout_kept": (
        "The plans of {key} keep their layout {layout}; --layout {other} was ignored",
        "{key} 的计划保持布局 {layout}；忽略了 --layout {other}",
    ),
    # what to do about proofs
    "advice_stale": (
        (
            "task {tasks}: stale: files have changed since it was proved; check again: outlast "
            "check{number}{common}"
        ),
        (
            "任务 {tasks}：证明已失效：证明之后文件又有改动；请重新检查：outlast "
            "check{number}{common}"
        ),
    ),
    "advice_tampered": (
        (
            "task {tasks}: tampered: its checks or protected files have changed; review them, and "
            "if they are right: outlast check{number} --approve{as_person}"
        ),
        (
            "任务 {tasks}：检查或受保护的文件遭改动；请查看，若确认无误：outlast check{number} "
            "--approve{as_person}"
        ),
    ),
    "advice_unknown": (
        "task {tasks}: a check gave no result: run it again: outlast check{number}{common}",
        "任务 {tasks}：检查没有结果，请重新运行：outlast check{number}{common}",
    ),
    "advice_fails": (
        (
            "task {tasks}: done, but a check fails: fix it and check again: outlast "
            "check{number}{common}; or reopen it: outlast edit {first} --reopen{common}"
        ),
        (
            "任务 {tasks}：已完成，但有检查不通过：修正后重新检查：outlast "
            "check{number}{common}；或重新打开任务：outlast edit {first} --reopen{common}"
        ),
    ),
    "advice_not_approved": (
        (
            "task {tasks}: its checks are not approved; to see them: outlast "
            "check{number}{common}; a person approves them with: outlast check{number} "
            "--approve{as_person}"
        ),
        (
            "任务 {tasks}：检查尚未批准；查看：outlast check{number}{common}；由人批准：outlast "
            "check{number} --approve{as_person}"
        ),
    ),
    "advice_confirm": (
        "A person confirms it with: outlast check {number} --confirm{as_person}",
        "由人确认：outlast check {number} --confirm{as_person}",
    ),
}
