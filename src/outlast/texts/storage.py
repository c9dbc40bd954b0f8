"""Where plans are kept: files, journals, databases, and what doctor reports."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # documents from outside
    "document_wrong_type": (
        "{where}: expected {expected}, got {got}",
        "{where}：应为{expected}，实际是{got}",
    ),
    "document_missing": ("{where}: missing", "{where}：缺少该字段"),
    "document_not_json": (
        "{where}: expected what JSON can say, got {got}",
        "{where}：应为 JSON 能表达的内容，实际情况：{got}",
    ),
    "document_bad_choice": (
        "{where}: expected one of {choices}",
        "{where}：应为以下之一：{choices}",
    ),
    "document_negative": ("{where}: expected a number that is not negative", "{where}：不能为负数"),
    "document_unknown_task": (
        "{where}: no task has the id {task_id}",
        "{where}：没有编号为 {task_id} 的任务",
    ),
    "document_unmerged": (
        "{where}: two versions of the file were not merged; choose one first",
        "{where}：文件的两个版本尚未合并；请先选定一个",
    ),
    "document_id_twice": ("{where}: the id {id} is given twice", "{where}：编号 {id} 重复出现"),
    "document_unknown_field": ("{where}: unknown field", "{where}：未知字段"),
    "document_bad_time": (
        "{where}: expected a time such as 2024-01-01T00:00:00Z",
        "{where}：应为时间，例如 2024-01-01T00:00:00Z",
    ),
    "document_field_twice": ("{where}: the field is given twice", "{where}：该字段重复出现"),
    "document_too_deep": (
        "{where}: nested more than {limit} levels deep",
        "{where}：嵌套超过 {limit} 层",
    ),
    "document_too_large": ("{where}: larger than {limit} bytes", "{where}：超过 {limit} 字节"),
    "document_not_text": (
        "{where}: expected text in UTF-8, got something else at byte {offset}",
        "{where}：应为 UTF-8 文本，第 {offset} 字节处不是",
    ),
    "document_no_file": ("{where}: expected a plain file", "{where}：应为普通文件"),
    "document_no_plan": (
        "{where}: there is no plan in it, neither a goal nor a task",
        "{where}：其中没有计划，既没有目标也没有任务",
    ),
    # stored plans
    "no_directory": ("There is no directory {where}", "没有目录 {where}"),
    "which_plan": (
        "{count} plans are open; name one of: {candidates}",
        "有 {count} 个未结束的计划；请指定其一：{candidates}",
    ),
    "no_open_plan": (
        "No plan is open here; there are: {candidates}",
        "这里没有未结束的计划；现有：{candidates}",
    ),
    "plan_not_found": (
        "There is no plan at {where}; there are: {candidates}",
        "{where} 处没有计划；现有：{candidates}",
    ),
    "no_plan_there": ("There is no plan at {where}", "{where} 处没有计划"),
    "plan_exists_already": (
        "There is a plan at {where} already; open it, or take another key",
        "{where} 处已有计划；请打开它，或换一个键",
    ),
    "unsuitable_file_system": (
        (
            "{where} is on a file system ({kind}) whose locks do not hold between machines; choose "
            "a local directory"
        ),
        "{where} 所在的文件系统（{kind}）无法在多台机器之间可靠加锁；请选择本地目录",
    ),
    "no_locks": (
        "{where} is on a file system without locks; choose a local directory",
        "{where} 所在的文件系统不支持锁；请选择本地目录",
    ),
    "newer_format": (
        "The files have the form {found}, this Outlast knows up to {known}; update Outlast",
        "文件格式为 {found}，当前 Outlast 最高支持 {known}；请升级 Outlast",
    ),
    "journal_without_header": (
        (
            "{path} does not begin as a journal does; it was left as it is; `outlast doctor "
            "--mend` looks for the plan in it"
        ),
        "{path} 的开头不是日志；文件保持原样；`outlast doctor --mend` 会在其中寻找计划",
    ),
    "journal_damaged": (
        (
            "{path} is damaged at byte {offset}, with good lines behind it; the plan can be read "
            "up to there and is not changed; `outlast doctor --mend` keeps the file and goes on "
            "with all that is good in it"
        ),
        (
            "{path} 在第 {offset} 字节处损坏，其后还有完好的行；计划只能读到该处，不会被更改；"
            "`outlast doctor --mend` 会保留该文件，并用其中完好的内容继续"
        ),
    ),
    "journal_not_whole": (
        (
            "{path} is damaged before its end; `outlast doctor --mend` keeps the file and goes on "
            "with all that is good in it"
        ),
        "{path} 在结尾之前已损坏；`outlast doctor --mend` 会保留原文件，并用其中完好的内容继续",
    ),
    "journal_unreadable": (
        "{path}: nothing in it can be read; it was left as it is",
        "{path}：无法读取其中任何内容；文件保持原样",
    ),
    "journal_mended": (
        (
            "{where}: a new journal has the {kept_commits} commits that are good; {lost_commits} "
            "could not be read or no longer fit; the damaged file is kept: {kept}"
        ),
        (
            "{where}：新日志包含 {kept_commits} 个完好的提交；{lost_commits} 个无法读取或不再适用；"
            "损坏的文件已保留：{kept}"
        ),
    ),
    "row_damaged": (
        (
            "{path}: the plan {key} is damaged at its commit {row}; it can be read up to there and "
            "is not changed; `outlast doctor --mend sqlite:///{path}` keeps the database and goes "
            "on with all that is good in it"
        ),
        (
            "{path}：计划 {key} 的第 {row} 个提交已损坏；计划只能读到该处，不会被更改；`outlast "
            "doctor --mend sqlite:///{path}` 会保留该数据库，并用其中完好的内容继续"
        ),
    ),
    "database_mended": (
        (
            "{where}: the plan {key} goes on with the {kept_commits} commits that are good; "
            "{lost_commits} could not be read or no longer fit; the damaged database is kept: "
            "{kept}"
        ),
        (
            "{where}：计划 {key} 用 {kept_commits} 个完好的提交继续；{lost_commits} "
            "个无法读取或不再适用；损坏的数据库已保留：{kept}"
        ),
    ),
    "log_without_database": (
        (
            "{where} belongs to a database that is no longer beside it, and was left as it is; put "
            "that back, or move this elsewhere"
        ),
        "{where} 属于一个已不在其旁的数据库，保持原样；请放回该数据库，或将此文件移到别处",
    ),
    "database_damaged": (
        "{path}: {problem}; the file was left as it is; keep it, and put a good copy of it back",
        "{path}：{problem}；文件保持原样；请保留它，并换上它的完好副本",
    ),
    "not_a_database": (
        "{where} is no database of plans; it was left as it is; name another file",
        "{where} 不是计划的数据库；文件保持原样；请换一个文件",
    ),
    "no_plain_file": (
        "{where} is no plain file; a database of plans is neither a link nor a device",
        "{where} 不是普通文件；计划的数据库不能是链接或设备",
    ),
    "database_locked": (
        "{where}: another program keeps the database locked; the plan is as it was, try again",
        "{where}：另一个程序一直锁着数据库；计划保持原样，请重试",
    ),
    "store_inherited": (
        (
            "{where}: this process was forked while its parent was using the database; open the "
            "plan in a process of its own"
        ),
        "{where}：本进程是在父进程使用数据库时派生的；请在单独的进程中打开计划",
    ),
    "bad_database_url": (
        (
            "{value} names no database: sqlite:///FILE is one in the current directory, "
            "sqlite:////DIRECTORY/FILE one anywhere, and neither has anything behind it"
        ),
        (
            "{value} 不是数据库地址：sqlite:///文件 是当前目录中的文件，sqlite:////目录/文件 "
            "是任意位置的文件，其后都没有别的内容"
        ),
    ),
    "write_failed": (
        "{where}: {problem}; the plan is as it was, try again when that is mended",
        "{where}：{problem}；计划保持原样，问题解决后请重试",
    ),
    "not_writable": (
        "{where}: no permission to write; the plan can only be read",
        "{where}：没有写权限；计划只能读取",
    ),
    "store_failed": (
        "{where}: {problem}; nothing was changed, try again when that is mended",
        "{where}：{problem}；没有任何更改，问题解决后请重试",
    ),
    "no_plan_yet": (
        'There is no plan in {where} or above it; begin one with: outlast new "GOAL"',
        '{where} 及其上级目录中没有计划；用 outlast new "目标" 新建一个',
    ),
    "store_busy": (
        "{where}: the plan's files are being exchanged again and again; try again",
        "{where}：计划的文件正被反复替换；请重试",
    ),
    "write_unknown": (
        "{where}: {problem}; whether the change was kept shows when the plan is read again",
        "{where}：{problem}；更改是否已保存，重新读取计划后可知",
    ),
    "plan_went_back": (
        "{where}: the journal was put back from revision {before} to {now} by somebody else",
        "{where}：日志被他人从修订 {before} 退回到 {now}",
    ),
    "not_mended": (
        "{where}: what an interrupted writer left could not be cleared up ({problem})",
        "{where}：无法清理中断的写入留下的内容（{problem}）",
    ),
    "snapshot_failed": (
        "{where}: no snapshot was written ({problem}); opening will take longer",
        "{where}：无法写入快照（{problem}）；打开计划会更慢",
    ),
    "tail_cut": (
        "An unfinished line of {bytes} bytes was put aside: {kept}",
        "有一行 {bytes} 字节的未写完内容，已另存为 {kept}",
    ),
    "leftover_removed": (
        "A file that was never finished was removed: {name}",
        "已移除一个未写完的文件：{name}",
    ),
    "plan_not_ended": (
        "The plan is {status}; only a plan that has ended can be archived",
        "计划状态为 {status}；只有已结束的计划才能归档",
    ),
    # doctor
    "doctor_workspace": ("workspace", "工作区"),
    "doctor_database": ("database", "数据库"),
    "doctor_state": ("state", "状态目录"),
    "doctor_plan": ("plan {key}", "计划 {key}"),
    "doctor_unknown": ("kind unknown", "类型未知"),
    "doctor_not_writable": (
        "cannot be written: nothing can be allowed or proved",
        "无法写入：不能保存许可和证明",
    ),
    "advice_stale": (
        "task {tasks}: stale: files have changed since it was seen to be done; look again: {check}",
        "任务 {tasks}：已过时：确认完成之后文件又有改动；重新查看请用：{check}",
    ),
    "advice_tampered": (
        (
            "task {tasks}: tampered: checks, or what must not be touched, have changed; look at "
            "them, and if they are right as they are: outlast check {number} --approve"
        ),
        (
            "任务 {tasks}：被改动：检查或不得触碰的文件有变；请查看，若现状无误：outlast check "
            "{number} --approve"
        ),
    ),
    "advice_fails": (
        (
            "task {tasks}: done, but a check does not pass: put that right and look again: "
            "{check}; or take it up again: outlast edit {number} --reopen"
        ),
        (
            "任务 {tasks}：已完成，但有检查不通过：改正后重新查看：{check}；或重新打开任务："
            "outlast edit {number} --reopen"
        ),
    ),
    "advice_not_approved": (
        (
            "task {tasks}: nobody has allowed the checks of this; {check} shows them, and a person "
            "allows them with: {check} --approve"
        ),
        "任务 {tasks}：它的检查尚未有人允许；{check} 显示这些检查，由人用 {check} --approve 允许",
    ),
    "advice_confirm": (
        "A person gives their word with: outlast check {number} --confirm",
        "由人确认请用：outlast check {number} --confirm",
    ),
    "doctor_left_over": (
        "{name} was never finished, or somebody is writing it now",
        "{name} 没有写完，或有人正在写入",
    ),
}
