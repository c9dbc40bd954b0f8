"""Damaged and lost plans, their repair, and what doctor reports."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "journal_without_header": (
        (
            "{path} does not start like a journal and was not changed; `outlast doctor "
            "--repair{lang}` searches it for the plan"
        ),
        "{path} 的开头不是日志，未作改动；`outlast doctor --repair{lang}` 会在其中查找计划",
    ),
    "journal_missing": (
        (
            "{path} is missing, but was there once (see {files}); nothing was changed; put the "
            "journal back, or rebuild the plan from what is left: outlast doctor --repair{lang}"
        ),
        (
            "{path} 不见了，但曾经存在（见 {files}）；未作任何改动；请把日志放回原处，"
            "或用剩下的文件重建计划：outlast doctor --repair{lang}"
        ),
    ),
    "journal_empty": (
        (
            "{path} has no commits; nothing was changed; put a good copy in its place, or rebuild "
            "the plan from the files beside it: outlast doctor --repair{lang}"
        ),
        (
            "{path} 中没有任何提交；未作任何改动；请换上一份完好的副本，"
            "或用同目录的文件重建计划：outlast doctor --repair{lang}"
        ),
    ),
    "newer_change": (
        (
            "Revision {revision} has a change that a newer Outlast made ({change}); nothing was "
            "changed; update Outlast to use this plan"
        ),
        (
            "修订 {revision} 含有较新版本的 Outlast 写入的更改（{change}）；"
            "没有任何更改；请升级 Outlast 后再使用此计划"
        ),
    ),
    "journal_behind": (
        (
            "{path} ends at revision {revision:,}, but snapshot.json has revision {saved:,}; if "
            "you did not go back on purpose, get the newer one back: outlast doctor --repair{lang}"
        ),
        (
            "{path} 止于修订 {revision:,}，而 snapshot.json 已到修订 {saved:,}；"
            "如果不是有意退回，请找回较新的计划：outlast doctor --repair{lang}"
        ),
    ),
    "journal_damaged": (
        (
            "{path} is damaged at byte {offset:,}, but has good lines after it; the plan can be "
            "read up to there and cannot be changed; `outlast doctor --repair{lang}` keeps the "
            "file and continues with everything good in it"
        ),
        (
            "{path} 在第 {offset:,} 字节处损坏，其后还有完好的行；计划只能读到该处，不能修改；"
            "`outlast doctor --repair{lang}` 会保留该文件，并用其中完好的内容继续"
        ),
    ),
    "line_contradicts": (
        (
            "{path}: the line at byte {offset:,} contradicts those before it, such as an id that "
            "is zero, negative or used twice; the plan cannot be read; `outlast doctor "
            "--repair{lang}` keeps the file and continues with everything good in it"
        ),
        (
            "{path}：第 {offset:,} 字节处的行与之前的行矛盾，例如编号为零、为负或重复；"
            "无法读取计划；`outlast doctor --repair{lang}` 会保留该文件，并用其中完好的内容继续"
        ),
    ),
    "line_damaged": (
        (
            "{path} is damaged at byte {offset:,}, in its history; `outlast doctor --repair{lang}` "
            "keeps the file and continues with everything good in it"
        ),
        (
            "{path} 的历史在第 {offset:,} 字节处已损坏；`outlast doctor --repair{lang}` "
            "会保留原文件，并用其中完好的内容继续"
        ),
    ),
    "journal_not_whole": (
        (
            "{path} is damaged before its end; `outlast doctor --repair{lang}` keeps the file and "
            "continues with everything good in it"
        ),
        (
            "{path} 在结尾之前已损坏；`outlast doctor --repair{lang}` 会保留原文件，"
            "并用其中完好的内容继续"
        ),
    ),
    "journal_unreadable": (
        (
            "{path}: neither this journal nor the files beside it have anything readable; nothing "
            "was changed; restore a good copy, or move the directory away to free its key"
        ),
        (
            "{path}：这份日志和同目录的文件都没有可读的内容；未作任何改动；"
            "请恢复一份完好的副本，或移走该目录以释放其标识"
        ),
    ),
    "journal_repaired": (
        (
            "{where}: repaired; the new journal has {kept_commits:good commit}, {lost_commits:,} "
            "could not be read or no longer fit; the damaged file was kept: {kept}"
        ),
        (
            "{where}：已修复；新日志包含 {kept_commits:,} 个完好的提交，{lost_commits:,} "
            "个无法读取或不再适用；损坏的文件已保留：{kept}"
        ),
    ),
    "branches_merged": (
        (
            "the history had {branches:more branch|more branches}, as after a merge in git; all "
            "were kept: what the others began has new numbers, {partial_commits:commit} could be "
            "taken over in part only, {questions:question} to you about what clashes"
        ),
        (
            "历史有 {branches:,} 个其他分支（例如 git 合并之后），已全部保留：其中新建的内容"
            "使用新编号，"
            "{partial_commits:,} 个提交只能部分采用，{questions:,} 处冲突已作为问题向您提出"
        ),
    ),
    "tasks_restored": (
        (
            "{tasks:task} that the journal had lost came back from {source} (revision "
            "{revision:,}); please check them"
        ),
        "日志中丢失的 {tasks:,} 个任务已从 {source}（修订 {revision:,}）找回，请核对",
    ),
    "plan_rebuilt": (
        (
            "{where}: rebuilt from {source} (revision {revision:,}, {tasks:task}), since the "
            "journal had no readable commit; the history before that is gone, the other files are "
            "kept"
        ),
        (
            "{where}：日志中没有可读的提交，已根据 {source}（修订 {revision:,}，{tasks:,} 个任务）"
            "重建；此前的历史已丢失，其他文件均已保留"
        ),
    ),
    "plan_was_here": (
        (
            "Another plan {key} was here and is gone; this one is new and begins from nothing. To "
            "have the old one: outlast drop {key} --yes{lang}, then: outlast doctor --restore{lang}"
        ),
        (
            "这里曾有另一个计划 {key}，现已不见；当前计划是新建的，从头开始。要找回旧计划：先运行 "
            "outlast drop {key} --yes{lang}，再运行 outlast doctor --restore{lang}"
        ),
    ),
    "journal_back": (
        "{where}: the journal was missing and is back, with its whole history",
        "{where}：日志曾经不见，现已连同全部历史找回",
    ),
    "journal_copy_back": (
        "{where}: the journal was missing; a copy is back, which may lack the latest changes",
        "{where}：日志曾经不见，现已用副本找回；副本可能缺少最近的更改",
    ),
    "plan_rebuilt_undated": (
        (
            "{where}: rebuilt from {source} ({tasks:task}), since the journal had no readable "
            "commit; the history before that is gone, the other files are kept"
        ),
        (
            "{where}：日志中没有可读的提交，已根据 {source}（{tasks:,} 个任务）重建；"
            "此前的历史已丢失，其他文件均已保留"
        ),
    ),
    "view_of_lost_history": (
        (
            "{name} showed another history of this plan than its journal, which was replaced or "
            "rolled back; that version was kept: {kept}"
        ),
        "{name} 显示的历史与日志不同，日志已被替换或退回；该版本已保留：{kept}",
    ),
    "view_kept": (
        (
            "{name} was kept as it was before the repair; if it shows more, make a plan of it: "
            "outlast import {kept}{lang}"
        ),
        ("修复之前的 {name} 已另存；如果其中内容更多，可据此新建计划：outlast import {kept}{lang}"),
    ),
    "row_damaged": (
        (
            "{path}: plan {key} is damaged at its commit {row:,}; it can be read up to there and "
            "cannot be changed; `outlast doctor --repair sqlite:///{path}{lang}` keeps the "
            "database and continues with everything good in it"
        ),
        (
            "{path}：计划 {key} 的第 {row:,} 个提交已损坏；计划只能读到该处，不能修改；`outlast "
            "doctor --repair sqlite:///{path}{lang}` 会保留该数据库，并用其中完好的内容继续"
        ),
    ),
    "row_contradicts": (
        (
            "{path}: commit {row:,} of plan {key} contradicts those before it, such as an id that "
            "is zero, negative or used twice; the plan cannot be read; `outlast doctor --repair "
            "sqlite:///{path}{lang}` keeps the database and continues with everything good in it"
        ),
        (
            "{path}：计划 {key} 的第 {row:,} 个提交与之前的提交矛盾，例如编号为零、为负或重复；"
            "无法读取计划；`outlast doctor --repair sqlite:///{path}{lang}` "
            "会保留该数据库，并用其中完好的内容继续"
        ),
    ),
    "commit_damaged": (
        (
            "{path}: commit {row:,} of plan {key} is damaged, in its history; `outlast doctor "
            "--repair sqlite:///{path}{lang}` keeps the database and continues with everything "
            "good in it"
        ),
        (
            "{path}：计划 {key} 的历史中，第 {row:,} 个提交已损坏；`outlast doctor --repair "
            "sqlite:///{path}{lang}` 会保留该数据库，并用其中完好的内容继续"
        ),
    ),
    "database_unreadable": (
        "{path}: nothing in it is readable; the file was not changed; restore a good copy",
        "{path}：没有任何可读的内容；文件未作改动；请恢复一份完好的副本",
    ),
    "rows_unreadable": (
        (
            "{path}: no commit of plan {key} is readable; the database was not changed; restore a "
            "good copy"
        ),
        "{path}：计划 {key} 没有可读的提交；数据库未作改动；请恢复一份完好的副本",
    ),
    "database_repaired": (
        (
            "{where}: repaired; plan {key} continues with {kept_commits:good commit}, "
            "{lost_commits:,} could not be read or no longer fit; the damaged database was kept: "
            "{kept}"
        ),
        (
            "{where}：已修复；计划 {key} 用 {kept_commits:,} 个完好的提交继续，{lost_commits:,} "
            "个无法读取或不再适用；损坏的数据库已保留：{kept}"
        ),
    ),
    "log_without_database": (
        (
            "{where} belongs to a database that is no longer beside it, and was not changed; put "
            "the database back, or move this file away"
        ),
        "{where} 所属的数据库已不在同一目录，未作改动；请放回该数据库，或将此文件移走",
    ),
    "database_damaged": (
        (
            "{path}: {problem}; the file was not changed; `outlast doctor --repair "
            "sqlite:///{path}{lang}` keeps it and continues with everything good in it"
        ),
        (
            "{path}：{problem}；文件未作改动；`outlast doctor --repair sqlite:///{path}{lang}` "
            "会保留它，并用其中完好的内容继续"
        ),
    ),
    "history_rolled_back": (
        (
            "{where} went back from revision {revision} ({mark}) to {now} while the plan was open, "
            "as if a backup was restored; nothing was changed; check it with "
            "`outlast doctor{lang}`, then open the plan again"
        ),
        (
            "{where} 在计划打开期间从修订 {revision}（{mark}）退回到了修订 {now}，像是恢复了备份；"
            "没有任何更改；请先运行 `outlast doctor{lang}` 检查，再重新打开计划"
        ),
    ),
    "history_diverged": (
        (
            "{where} lost revision {revision} ({mark}) while the plan was open: it has another "
            "history now, up to revision {now}; nothing was changed; check it with "
            "`outlast doctor{lang}`, then open the plan again"
        ),
        (
            "{where} 在计划打开期间丢失了修订 {revision}（{mark}）：历史已不同，现在到修订 {now}；"
            "没有任何更改；请先运行 `outlast doctor{lang}` 检查，再重新打开计划"
        ),
    ),
    "history_foreign": (
        (
            '{where} has another plan now, "{goal}", in place of the one that was open at revision '
            "{revision} ({mark}); nothing was changed; check it with `outlast doctor{lang}`, then "
            "open the plan again"
        ),
        (
            "{where} 现在是另一个计划“{goal}”，不再是打开时的那个（修订 {revision}，{mark}）；"
            "没有任何更改；请先运行 `outlast doctor{lang}` 检查，再重新打开计划"
        ),
    ),
    "cleanup_failed": (
        "{where}: the remains of an interrupted write could not be cleaned up ({problem})",
        "{where}：无法清理中断的写入留下的内容（{problem}）",
    ),
    "tail_cut": (
        "An incomplete last line of {bytes:byte} was set aside: {kept}",
        "末尾有 {bytes:,} 字节未写完，已另存：{kept}",
    ),
    "leftover_removed": ("Removed an unfinished file: {name}", "已移除一个未写完的文件：{name}"),
    # doctor
    "doctor_workspace": ("workspace", "工作区"),
    "doctor_database": ("database", "数据库"),
    "doctor_state": ("state", "状态目录"),
    "doctor_plan": ("plan {key}", "计划 {key}"),
    "doctor_unknown": ("unknown kind", "类型未知"),
    "doctor_restored": (
        "its files were gone and are back: {done:,} of {total:task} done",
        "文件曾消失，现已找回：{total:,} 个任务中已完成 {done:,} 个",
    ),
    "doctor_copy_restored": (
        (
            "its files were gone; a copy is back, which may lack the latest changes: {done:,} of "
            "{total:task} done"
        ),
        "文件曾消失，现已用副本找回，可能缺少最近的更改：{total:,} 个任务中已完成 {done:,} 个",
    ),
    "doctor_nothing_gone": ("no plan of this place is gone", "此处没有消失的计划"),
    "doctor_nameless": (
        (
            "{path} holds a plan, but its key is not readable; rename the directory to a key of "
            "letters and digits, then: outlast doctor --repair{lang}"
        ),
        (
            "{path} 中有计划，但无法读出其标识；请把目录改名为由字母和数字组成的标识，"
            "然后：outlast doctor --repair{lang}"
        ),
    ),
    "doctor_cannot_store": (
        "{where}: {problem}; plans can be read, but not changed until this is fixed",
        "{where}：{problem}；问题解决之前，计划只能读取，不能更改",
    ),
    "plan_copied": (
        (
            "was copied from plan {other} and still has its identity, also for approvals; give it "
            "its own: outlast doctor --new-identity {key}{lang}"
        ),
        (
            "复制自计划 {other}，仍沿用其身份（批准也通用）；"
            "让它拥有自己的身份：outlast doctor --new-identity {key}{lang}"
        ),
    ),
    "plan_renamed": (
        (
            "its journal belongs to plan {other}, which is not here; if you renamed it, give it "
            "its new key: outlast doctor --new-identity {key}{lang}"
        ),
        (
            "其日志属于计划 {other}，而 {other} 不在这里；如果是您改了目录名，"
            "请更新它的标识：outlast doctor --new-identity {key}{lang}"
        ),
    ),
    "plan_swapped": (
        (
            "has the journal of plan {other}, and {other} has that of {key}; swap the two files "
            "journal.jsonl, or keep it so: outlast doctor --new-identity {key}{lang}"
        ),
        (
            "用的是计划 {other} 的日志，而 {other} 用的是 {key} 的；请把两个 journal.jsonl "
            "换回来，或者就此保留：outlast doctor --new-identity {key}{lang}"
        ),
    ),
    "identity_renewed": (
        "has its own identity now; earlier approvals and proofs no longer count for it",
        "已有自己的身份；此前的批准和证明不再对它有效",
    ),
    "key_renewed": ("its journal has the key {key} now", "其日志的标识现在是 {key}"),
    "identity_in_database": (
        "{argument}: only a plan in a directory can be a copy; {value} is in a database",
        "{argument}：只有目录中的计划才会被复制；{value} 在数据库中",
    ),
    "doctor_not_writable": (
        "is not writable; approvals and proofs cannot be stored",
        "无法写入：不能保存批准和证明",
    ),
    "doctor_left_over": (
        "{name} is unfinished, or is being written right now",
        "{name} 没有写完，或正在写入",
    ),
}
