"""What a plan answers, and why it refuses."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # results
    "result_tools": ("tools: {tools}", "工具：{tools}"),
    # arguments
    "wrong_type": (
        "{argument}: expected {expected}, got {got}",
        "{argument}：应为{expected}，实际是{got}",
    ),
    "not_a_choice": (
        "{argument}: expected one of {choices}",
        "{argument}：应为以下之一：{choices}",
    ),
    "not_a_task_id": (
        '{argument}: expected a task id such as 3, "3" or "step_3"',
        '{argument}：应为任务编号，例如 3、"3" 或 "step_3"',
    ),
    "name_blank": ("{argument}: expected some text, got a blank string", "{argument}：不能为空"),
    "name_too_long": (
        "{argument}: expected at most {limit:character}, got {length:,}",
        "{argument}：最多 {limit:,} 个字符，实际 {length:,} 个",
    ),
    "too_many": (
        "{argument}: expected at most {limit:,}, got {count:,}",
        "{argument}：最多 {limit:,} 个，实际 {count:,} 个",
    ),
    "pattern_outside": (
        (
            "{argument}: {pattern} is outside the workspace and cannot be checked; use a path "
            "relative to the workspace root"
        ),
        "{argument}：{pattern} 位于工作区之外，无法检查；请使用相对于工作区根目录的路径",
    ),
    "bad_check_pattern": (
        "{argument}: {pattern} is not a regular expression: {problem}",
        "{argument}：{pattern} 不是有效的正则表达式（{problem}）",
    ),
    "bad_check_function": (
        "{argument}: {rule} is no Python function; write it as module:function",
        "{argument}：{rule} 不是 Python 函数；请写成 module:function",
    ),
    "bad_check_field": (
        "{argument}: a report has no field {field}; it has: {choices}",
        "{argument}：报告没有 {field} 这一项；可用：{choices}",
    ),
    "actor_like_person": (
        "{argument}: {name} reads like a person; give the agent a name of its own",
        "{argument}：{name} 看起来像是人；请给智能体另取一个名字",
    ),
    "only_a_person": (
        "{argument}: only a person may do this, as {person}",
        "{argument}：只有人（{person}）才能这样做",
    ),
    "goal_of_a_person": (
        (
            "{argument}: only a person may change the goal, as {person} or with `outlast edit "
            "--goal TEXT{as_person}`; a model proposes one with propose_goal"
        ),
        (
            "{argument}：只有人才能更改目标，以 {person} 身份或用 `outlast edit --goal "
            "TEXT{as_person}`；模型用 propose_goal 提议新目标"
        ),
    ),
    "not_a_person_check": (
        "Task {task_id} has no matching check that a person confirms",
        "任务 {task_id} 没有相应的须由人确认的检查",
    ),
    "finding_not_found": (
        "{argument}: there is no finding {finding}",
        "{argument}：没有编号为 {finding} 的发现",
    ),
    "name_not_one_line": (
        "{argument}: expected a single line, got a line break",
        "{argument}：只能是一行，不能换行",
    ),
    "text_too_long": (
        "{argument}: expected at most {limit:byte} of UTF-8, got {length:,}",
        "{argument}：最多 {limit:,} 字节（UTF-8），实际 {length:,} 字节",
    ),
    "lone_surrogate": (
        "{argument}: expected valid Unicode, got a lone surrogate at position {position}",
        "{argument}：应为有效的 Unicode，位置 {position}（从 0 算起）处是孤立的代理码位",
    ),
    "bad_progress": (
        "{argument}: expected whole numbers with 0 <= current <= total and total > 0",
        "{argument}：应为整数，且 0 <= current <= total、total > 0",
    ),
    "bad_number": (
        "{argument}: expected a whole number from {least:,} to {limit:,}",
        "{argument}：应为 {least:,} 到 {limit:,} 之间的整数",
    ),
    "not_an_attempt_id": (
        "{argument}: expected an attempt id such as 3#1",
        "{argument}：应为尝试编号，例如 3#1",
    ),
    "undo_alone": (
        "{argument}: an undo must be a commit of its own",
        "{argument}：撤销必须单独提交",
    ),
    "bad_retries": (
        "{argument}: expected a whole number from 0 to {limit:,}",
        "{argument}：应为 0 到 {limit:,} 之间的整数",
    ),
    "argument_missing": (
        "{argument}: missing; {tool} takes {takes}",
        "{argument}：缺少该参数；{tool} 的参数为 {takes}",
    ),
    "argument_unknown": (
        "{argument}: unknown argument; {tool} takes {takes}",
        "{argument}：未知参数；{tool} 的参数为 {takes}",
    ),
    "argument_twice": (
        "{argument}: given twice; {tool} takes {takes}",
        "{argument}：重复给出；{tool} 的参数为 {takes}",
    ),
    "arguments_too_many": (
        "{tool} takes {takes}; got {got:argument}",
        "{tool} 的参数为 {takes}；实际给了 {got:,} 个",
    ),
    "field_unknown": (
        "{argument}: unknown field; expected {takes}",
        "{argument}：未知字段；可用的有 {takes}",
    ),
    "field_missing": ("{argument}: missing", "{argument}：缺少该字段"),
    "nothing_to_update": (
        "{argument}: expected at least one of {takes}",
        "{argument}：至少要有以下之一：{takes}",
    ),
    "name_twice": (
        "{argument}: the tasks {ids} are named {name}; use the number instead",
        "{argument}：任务 {ids} 都叫 {name}；请改用编号",
    ),
    "tool_unknown": (
        "{argument}: unknown tool; the closest name is {nearest}",
        "{argument}：没有这个工具；最接近的是 {nearest}",
    ),
    "id_twice": ("{argument}: the id {id} is given twice", "{argument}：编号 {id} 重复出现"),
    "id_not_free": (
        "{argument}: plans assign {id}, and this task gets {number}; give another: `my-{id}`",
        "{argument}：{id} 由计划分配，而这个任务的编号是 {number}；请换一个：`my-{id}`",
    ),
    "phase_twice": ("{argument}: two phases have the same id", "{argument}：有两个阶段编号相同"),
    "after_itself": (
        "{argument}: task {task_id} cannot come after itself",
        "{argument}：任务 {task_id} 不能排在自己之后",
    ),
    "after_in_other_phase": (
        "{argument}: task {task_id} is in another phase ({phase})",
        "{argument}：任务 {task_id} 属于另一个阶段（{phase}）",
    ),
    "phase_after_itself": (
        "{argument}: phase {phase} cannot come after itself",
        "{argument}：阶段 {phase} 不能排在自己之后",
    ),
    "goal_of_other_plan": (
        "{argument}: the given plan already has a goal",
        "{argument}：给定的计划已有目标",
    ),
    "create_alone": (
        "{argument}: creating a plan must be a commit of its own",
        "{argument}：创建计划必须单独提交",
    ),
    "key_reused": (
        "{argument}: {key} was already used for another command",
        "{argument}：{key} 已用于另一个命令",
    ),
    "commit_in_question": (
        "The plan cannot be changed from inside a read",
        "读取计划时不能修改计划",
    ),
    # types
    "type_string": ("string", "字符串"),
    "type_integer": ("integer", "整数"),
    "type_number": ("number", "数字"),
    "type_boolean": ("boolean", "布尔值"),
    "type_array": ("array", "数组"),
    "type_object": ("object", "对象"),
    "type_null": ("null", "空值"),
    "type_task id": ("task id", "任务编号"),
    # lookups
    "task_not_found": ("Task with ID {task_id} not found", "找不到编号为 {task_id} 的任务"),
    "phase_not_found": (
        "Phase {phase} not found; known phases: {known}",
        "找不到阶段 {phase}；现有：{known}",
    ),
    # dependencies
    "dependency_unknown": (
        "{argument}: there is no task {unknown}",
        "{argument}：没有任务 {unknown}",
    ),
    "dependency_later": (
        "Task {task_id} needs {later}, which comes after it; in this order it could never run",
        "任务 {task_id} 依赖排在它之后的 {later}；按此顺序它永远无法执行",
    ),
    "cycle": (
        "Circular dependency: {cycle}; remove one of these links",
        "循环依赖：{cycle}；请去掉其中一个依赖",
    ),
    "task_needed": (
        (
            "Task {task_id} cannot be removed: it is needed by {dependents}; change what they need "
            "first, or skip the task"
        ),
        "任务 {task_id} 不能移除：{dependents} 依赖它；请先修改它们的依赖，或跳过该任务",
    ),
    # states of a task
    "task_not_editable": (
        "Task {task_id} cannot be edited: it is {status}; only pending and failed tasks can",
        "任务 {task_id} 不能修改：状态为{status}；只有待执行或失败的任务可以修改",
    ),
    "no_result_yet": (
        "Task {task_id} has no result to edit: it is {status}; only finished tasks have one",
        "任务 {task_id} 没有可修改的结果：状态为{status}；只有已结束的任务才有结果",
    ),
    "task_not_removable": (
        "Task {task_id} cannot be removed: it is {status}; only pending tasks can",
        "任务 {task_id} 不能移除：状态为{status}；只有待执行的任务可以移除",
    ),
    "checks_locked": (
        (
            "Task {task_id} is being worked on, so its checks cannot be changed now; stop the "
            "run, or return the task to pending first"
        ),
        "任务 {task_id} 正在执行，现在不能修改它的检查；请先停止运行，或将任务退回待执行",
    ),
    "task_already": ("Task {task_id} is already {status}", "任务 {task_id} 已处于“{status}”状态"),
    "assumed_too_early": (
        "Task {task_id} is at {current} of {total}; it cannot be assumed to be done",
        "任务 {task_id} 的进度为 {current}/{total}，不能推定为已完成",
    ),
    "task_failed": (
        "Task {task_id} has failed; reopen it first",
        "任务 {task_id} 已失败；请先重新打开",
    ),
    "task_not_ended": (
        "Task {task_id} is {status}; only failed and finished tasks can be reopened",
        "任务 {task_id} 的状态为{status}；只有失败或已结束的任务才能重新打开",
    ),
    "task_blocked": (
        "Task {task_id} is blocked: it needs {unmet_dependencies} to finish first",
        "任务 {task_id} 受阻：需先完成 {unmet_dependencies}",
    ),
    "task_not_its_turn": (
        "Task {task_id} has to wait: task {waits_for} comes first",
        "任务 {task_id} 需要等待：任务 {waits_for} 在它之前",
    ),
    "task_not_in_progress": (
        "Task {task_id} is {status}, not in progress",
        "任务 {task_id} 的状态为{status}，不在进行中",
    ),
    "task_claimed": (
        "Task {task_id} is claimed by {holder} until {until}; choose another task or wait",
        "任务 {task_id} 已由 {holder} 认领，至 {until}；请换一个任务或等待",
    ),
    "task_claimed_pass_lease": (
        (
            "Task {task_id} is claimed by {holder} until {until}; if the claim is yours, pass its "
            "lease, else choose another task or wait"
        ),
        (
            "任务 {task_id} 已由 {holder} 认领，至 {until}；若是您的认领，请传入其 lease，"
            "否则请换一个任务或等待"
        ),
    ),
    "claim_ended": (
        "The claim {token} on task {task_id} has ended: the task is {status}",
        "任务 {task_id} 的认领 {token} 已结束：任务处于“{status}”状态",
    ),
    "claim_lost": (
        (
            "The claim {token} on task {task_id} is unknown or no longer valid; stop working on "
            "it, or claim it again"
        ),
        "任务 {task_id} 没有认领 {token}，或该认领已失效；请停止工作，或重新认领",
    ),
    "plan_claimed": (
        "Another run, {holder}, is working on this plan until {until}; wait until it has ended",
        "另一个运行 {holder} 正在执行此计划，至 {until}；请等它结束",
    ),
    "plan_claimed_here": (
        (
            "Another run, {holder} (process {process}), is working on this plan; wait until it has "
            "ended"
        ),
        "另一个运行 {holder}（进程 {process}）正在执行此计划；请等它结束",
    ),
    "run_not_stopped": (
        "{holder} has not ended its current call yet and stops after it; the plan is {status}",
        "{holder} 尚未结束当前的调用，结束后就会停下；计划的状态为{status}",
    ),
    "plan_claim_lost": (
        "The claim {token} on the plan is no longer valid: another run may be working on it now",
        "对计划的认领 {token} 已失效：可能已由另一个运行接手",
    ),
    "attempt_not_open": (
        "Attempt {attempt} is not open: it never started or has already ended",
        "尝试 {attempt} 不在进行中：从未开始或已经结束",
    ),
    "actor_busy": (
        "Task {task_id} is already in progress; end it before starting another",
        "任务 {task_id} 正在进行中；请先结束它再开始另一个",
    ),
    "nothing_left": ("All tasks are finished", "所有任务都已结束"),
    "nothing_ready_assumed": (
        "Task {ids} was only assumed to be done; complete it again to confirm that, or reopen it",
        "任务 {ids} 只是推定完成；请再次完成以确认，或重新打开",
    ),
    "nothing_ready_waiting": (
        "No other task can start yet; tasks in progress: {ids}",
        "暂时没有其他可开始的任务；进行中的任务：{ids}",
    ),
    "nothing_ready_failed": (
        "No task can start because of failed tasks: {ids}; reopen or skip them",
        "没有可开始的任务，因为有任务失败：{ids}；请重新打开或跳过",
    ),
    # the graph
    "graph_head": ("Goal: {goal}\nProgress: {done}/{total}", "目标：{goal}\n进度：{done}/{total}"),
    "graph_waiting": ("waiting for {ids}", "正在等待 {ids}"),
    "graph_ready": ("Ready now: {ids}", "现在可以开始：{ids}"),
    "main_phase": ("Main Tasks", "主要任务"),
    # states of a phase
    "phase_not_empty": (
        "Phase {phase} cannot be removed: it still has tasks: {tasks}",
        "阶段 {phase} 不能移除：其中还有任务 {tasks}",
    ),
    "phase_last": (
        "Phase {phase} cannot be removed: it is the only one",
        "阶段 {phase} 不能移除：它是唯一的阶段",
    ),
    # states of the plan
    "plan_empty": ("The plan has no tasks; add some first", "计划中没有任务；请先添加"),
    "plan_needs_approval": (
        "A person has to approve this plan first: outlast resume --approve{as_person}",
        "此计划须先经人批准：outlast resume --approve{as_person}",
    ),
    "plan_paused": ("The plan is paused; resume it first", "计划已暂停；请先恢复"),
    "plan_aborted": (
        "The plan was aborted; reopen or add a task to continue it",
        "计划已中止；重新打开或添加任务即可继续",
    ),
    "plan_changed_since": (
        "The plan has changed since revision {at} (now {revision}); look again before you undo",
        "计划自修订 {at} 之后已有更改（现为 {revision}）；请查看后再撤销",
    ),
    "cannot_undo_creation": (
        "Revision {revision} created the plan and cannot be undone",
        "修订 {revision} 创建了计划，无法撤销",
    ),
    "nothing_to_undo": ("There is nothing to undo", "没有可撤销的内容"),
    "cannot_undo_since": (
        (
            "Revision {revision} can no longer be undone: {what} changed later, last in revision "
            "{by}; undo that first"
        ),
        "修订 {revision} 已无法撤销：{what} 此后又有更改，最近一次在修订 {by}；请先撤销该修订",
    ),
    "already_undone": (
        "Revision {revision} was already undone by revision {by}; undo that one to get it back",
        "修订 {revision} 已被修订 {by} 撤销；撤销修订 {by} 即可恢复",
    ),
    "undo_not_own": (
        (
            "Revision {revision} was made by {author}; an agent can undo only its own commits, a "
            "person can undo all"
        ),
        "修订 {revision} 由 {author} 所作；智能体只能撤销自己的提交，人可以撤销全部",
    ),
    "undo_not_own_instead": (
        (
            "Revision {revision} was made by {author}; an agent can undo only its own commits, "
            "such as revision {instead}"
        ),
        "修订 {revision} 由 {author} 所作；智能体只能撤销自己的提交，例如修订 {instead}",
    ),
    "undo_of_checks": (
        ("Revision {revision} sets checks or protected files of a task; only a person can undo it"),
        "修订 {revision} 设定了任务的检查或受保护文件；只有人可以撤销",
    ),
    "only_facts": (
        (
            "Revision {revision} only records facts, such as claims, attempts or notes, which "
            "cannot be undone"
        ),
        "修订 {revision} 只记录事实，例如认领、尝试或笔记，无法撤销",
    ),
    "plan_read_only": (
        "This is the plan as it was at revision {revision}; it is read-only",
        "这是计划在修订 {revision} 时的样子；只能查看",
    ),
    "no_past": (
        "The plan as it was at revision {revision} is no longer available",
        "计划在修订 {revision} 时的样子没有保留",
    ),
    "plan_exists": ("Plan {plan} already exists", "计划 {plan} 已存在"),
    "plan_unfinished": (
        "The plan is {status} and has unfinished tasks; add tasks to it instead",
        "计划状态为{status}，还有未完成的任务；请直接添加任务",
    ),
    "plan_cannot_pause": (
        "The plan is {status}; only an idle or running plan can be paused",
        "计划状态为{status}；只有未开始或运行中的计划可以暂停",
    ),
    "plan_cannot_resume": (
        "The plan is {status}; only a paused plan can be resumed",
        "计划状态为{status}；只有已暂停的计划可以恢复",
    ),
    "plan_cannot_abort": (
        "The plan is {status}; only an unfinished plan can be aborted",
        "计划状态为{status}；只有未结束的计划可以中止",
    ),
    # the plan of a session
    "no_plan_exists": ("No plan exists", "没有计划"),
    "no_such_phase": ("Phase {phase} not found", "未找到阶段 {phase}"),
    "no_such_step": ("Step {task_id} not found", "未找到步骤 {task_id}"),
    # answers of PlanManager
    "started": ("Started task {task_id}: {name}", "已开始任务 {task_id}：{name}"),
    "completed": ("Task completed successfully", "任务已完成"),
    "retried": ("Task failed, will retry", "任务失败，将重试"),
    "failed": ("Task failed", "任务失败"),
    "added": ("Task added successfully", "任务已添加"),
    "updated": ("Task updated successfully", "任务已更新"),
    "skipped": ("Task skipped: {reason}", "任务已跳过：{reason}"),
    "removed": ("Task removed successfully", "任务已移除"),
    "reopened": ("Task reopened successfully", "任务已重新打开"),
    "initialized": ("Plan initialized successfully", "计划已初始化"),
    "paused": ("Plan paused successfully", "计划已暂停"),
    "resumed": ("Plan resumed successfully", "计划已恢复"),
    "reset": ("Plan reset successfully", "计划已重置"),
    # what both branches of a history changed
    "merge_other_plan": (
        (
            "The other branch of this plan began a plan with another goal: {goal}. Its tasks were "
            "added to this one. Do they belong here?"
        ),
        "这个计划的另一分支开始了目标不同的计划：{goal}。它的任务已加入本计划。它们属于这里吗？",
    ),
    "merge_revived": (
        (
            "One branch of this plan deleted task {old} ({name}), the other one changed it. It is "
            "task {task} now. Is it still wanted?"
        ),
        (
            "这个计划的一个分支删除了任务 {old}（{name}），另一分支修改了它。它现在是任务 {task}。"
            "还需要它吗？"
        ),
    ),
    "merge_task": (
        (
            "Two branches of this plan changed task {task} ({name}) differently. The other one "
            "says: {other}. What holds?"
        ),
        (
            "这个计划的两个分支对任务 {task}（{name}）作了不同的修改。另一分支为：{other}。"
            "以哪个为准？"
        ),
    ),
    "merge_removed": (
        (
            "One branch of this plan deleted task {task} ({name}), the other one changed it. It "
            "was kept. Is it still wanted?"
        ),
        (
            "这个计划的一个分支删除了任务 {task}（{name}），另一分支修改了它。任务已保留。"
            "还需要它吗？"
        ),
    ),
    "merge_plan": (
        (
            "Two branches of this plan changed the plan differently. The other one says: {other}. "
            "What holds?"
        ),
        "这个计划的两个分支对计划本身作了不同的修改。另一分支为：{other}。以哪个为准？",
    ),
    "merge_answer": (
        (
            "The other branch of this plan has another answer to question {question}: {answer}. "
            "What holds?"
        ),
        "这个计划的另一分支对问题 {question} 有不同的回答：{answer}。以哪个为准？",
    ),
}
