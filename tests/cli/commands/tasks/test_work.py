"""Every command and alias through real processes, in both languages."""

from pathlib import Path

import pytest

from outlast import create_plan
from outlast.store.journal import add_checksum
from tests.cli.processes import json_of, outlast, replay, stdout_of

ENGLISH = """
$ outlast
There is no plan here yet.
  outlast new "Your goal"          create a plan
  outlast add "A task" "Another"   add tasks to it
  outlast help                     see all commands
  outlast demo                     watch an agent at work; no API key needed
$ outlast show; echo $?
outlast: No plan found for HERE; create one with: outlast new "GOAL"
3
$ outlast list
There are no plans here.
$ outlast new Ship it --key ship
Created plan ship: Ship it
Now add tasks: outlast add "First task" "Second task"
Edit it by hand: .outlast/plans/ship/task_plan.md
$ outlast create Build Test Publish
Added 1 Build
Added 2 Test
Added 3 Publish
Next: 1 Build; start it with: outlast start (2 more: outlast next --all)
$ outlast add Lint --insert-after step_1 --needs '#1' --needs 2,3
Added 4 Lint
Next: 1 Build; start it with: outlast start (2 more: outlast next --all)
$ outlast ready
3 tasks can start now:
  1 Build
  2 Test
  3 Publish
$ outlast start 2
Started 2 Test; when it is done, run: outlast done
$ outlast next
In progress: 2 Test; when it is done, run: outlast done
$ outlast complete
Done: 2 Test (1/4)
Next: 1 Build; start it with: outlast start (1 more: outlast next --all)
$ outlast close '#1' -m built
Done: 1 Build (2/4)
Next: 3 Publish; start it with: outlast start
$ outlast fail 3 no network --no-retry
Failed for good: 3 Publish (2/4)
No task can start because of failed tasks: 3; reopen or skip them
  Reopen it: outlast edit 3 --reopen
  Skip it: outlast skip 3
$ outlast undo
Undid r7: started 3 Publish; failed for good: 3 Publish
Next: 3 Publish; start it with: outlast start
$ outlast status
Ship it  2/4 running  [ship]
  ● 1 Build  → built
  ○ 4 Lint  needs 3
  ● 2 Test
  ○ 3 Publish
$ outlast pause
Plan ship is paused (2/4); continue with: outlast resume
$ outlast continue
Plan ship resumed (2/4)
Next: 3 Publish; start it with: outlast start --plan ship
$ outlast delete 4
Removed 4 Lint from the plan; to bring it back: outlast undo
Next: 3 Publish; start it with: outlast start
$ outlast undo
Undid r11: removed 4 Lint
Next: 3 Publish; start it with: outlast start
$ outlast remove 4
Removed 4 Lint from the plan; to bring it back: outlast undo
Next: 3 Publish; start it with: outlast start
$ outlast finish 3
Done: 3 Publish (3/3)
Plan ship is complete: 3 tasks finished
$ outlast ls
  ship  Ship it
  ██████████ 3/3  completed · 2026-01-01 12:00
$ outlast
No plan is open here; ended: ship (to see them: outlast list).
  outlast new "Your goal"          create another plan
  outlast add "A task" "Another"   add tasks to it
  outlast help                     see all commands
  outlast demo                     watch an agent at work; no API key needed
"""

CHINESE = """
$ outlast
这里还没有计划。
  outlast new "您的目标"            新建计划
  outlast add "一个任务" "另一个"   添加任务
  outlast help                      查看全部命令
  outlast demo                      观看智能体工作；不需要 API 密钥
$ outlast show; echo $?
outlast: HERE 没有计划；新建：outlast new "目标"
3
$ outlast list
这里没有计划。
$ outlast new 发布 --key ship
已新建计划 ship：发布
接着添加任务：outlast add "第一个任务" "第二个任务"
也可直接编辑：.outlast/plans/ship/task_plan.md
$ outlast create 构建 测试
已添加 1 构建
已添加 2 测试
下一个：1 构建；开始：outlast start（另有 1 个：outlast next --all）
$ outlast ready
现在可以开始 2 个任务：
  1 构建
  2 测试
$ outlast start
已开始 1 构建；完成后请运行：outlast done
$ outlast next
进行中：1 构建；完成后请运行：outlast done
$ outlast done
已完成：1 构建（1/2）
下一个：2 测试；开始：outlast start
$ outlast fail 2 网络故障
失败：2 测试；等待重试（第 1 次，最多 3 次）
下一个：2 测试；开始：outlast start
$ outlast fail 2 网络故障 --no-retry
彻底失败：2 测试（1/2）
没有可开始的任务，因为有任务失败：2；请重新打开或跳过
  重新打开：outlast edit 2 --reopen
  跳过：outlast skip 2
$ outlast skip 2 不需要
已跳过 2 测试（2/2）
计划 ship 已完成：共 2 个任务
$ outlast log -n 3
r7  2026-01-01 12:00  human（mira）  跳过 2 测试
    原因：不需要
r6  2026-01-01 12:00  human（mira）  开始 2 测试；彻底失败：2 测试
r5  2026-01-01 12:00  human（mira）  开始 2 测试；失败，待重试：2 测试
$ outlast show
发布  2/2 已完成  [ship]
  ● 1 构建
  ⊘ 2 测试  → 不需要
$ outlast undo
已撤销 r7：跳过 2 测试
没有可开始的任务，因为有任务失败：2；请重新打开或跳过
  重新打开：outlast edit 2 --reopen
  跳过：outlast skip 2
$ outlast add 打包
已添加 3 打包
下一个：3 打包；开始：outlast start
$ outlast rm 3
已从计划中移除 3 打包；恢复：outlast undo
没有可开始的任务，因为有任务失败：2；请重新打开或跳过
  重新打开：outlast edit 2 --reopen
  跳过：outlast skip 2
$ outlast undo
已撤销 r10：移除 3 打包
下一个：3 打包；开始：outlast start
$ outlast remove 3
已从计划中移除 3 打包；恢复：outlast undo
没有可开始的任务，因为有任务失败：2；请重新打开或跳过
  重新打开：outlast edit 2 --reopen
  跳过：outlast skip 2
$ outlast undo
已撤销 r12：移除 3 打包
下一个：3 打包；开始：outlast start
$ outlast delete 3
已从计划中移除 3 打包；恢复：outlast undo
没有可开始的任务，因为有任务失败：2；请重新打开或跳过
  重新打开：outlast edit 2 --reopen
  跳过：outlast skip 2
$ outlast ls
▸ ship  发布
  █████░░░░░ 1/2  已失败 · 2026-01-01 12:00
$ outlast skip 2
已跳过 2 测试（2/2）
计划 ship 已完成：共 2 个任务
$ outlast
这里没有未结束的计划；已结束：ship（查看：outlast list）。
  outlast new "您的目标"            再新建一个计划
  outlast add "一个任务" "另一个"   添加任务
  outlast help                      查看全部命令
  outlast demo                      观看智能体工作；不需要 API 密钥
$ outlast new 再来 --key again
[again] 已新建计划 again：再来
接着添加任务：outlast add "第一个任务" "第二个任务" --plan again
也可直接编辑：.outlast/plans/again/task_plan.md
$ outlast pause 午休
[again] 计划 again 已暂停（0/0）；继续：outlast resume --plan again
$ outlast resume
[again] 计划 again 已恢复（0/0）
计划中没有任务；请先添加
  添加任务：outlast add "…" --plan again
$ outlast pause
[again] 计划 again 已暂停（0/0）；继续：outlast resume --plan again
$ outlast continue
[again] 计划 again 已恢复（0/0）
计划中没有任务；请先添加
  添加任务：outlast add "…" --plan again
$ outlast add 一 二 三
[again] 已添加 1 一
已添加 2 二
已添加 3 三
下一个：1 一；开始：outlast start --plan again（另有 2 个：outlast next --all --plan again）
$ outlast complete 1
[again] 已完成：1 一（1/3）
下一个：2 二；开始：outlast start --plan again（另有 1 个：outlast next --all --plan again）
$ outlast close 2
[again] 已完成：2 二（2/3）
下一个：3 三；开始：outlast start --plan again
$ outlast status
再来  2/3 运行中  [again]
  ● 1 一
  ● 2 二
  ○ 3 三
$ outlast finish 3
[again] 已完成：3 三（3/3）
计划 again 已完成：共 3 个任务
$ outlast doctor | grep 计划
✓ 计划 again: 已完成 3/3
✓ 计划 ship: 已完成 2/2
"""


@pytest.mark.slow
def test_x8_every_command_and_alias_in_english(tmp_path: Path) -> None:
    replay(ENGLISH, tmp_path)


@pytest.mark.slow
def test_x8_every_command_and_alias_in_chinese(tmp_path: Path) -> None:
    replay(CHINESE, tmp_path, OUTLAST_LANG="zh")


def test_a_task_goes_into_a_phase_by_its_id_or_title(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add_phase("Later on")
    stdout_of(tmp_path, "add", "a", "--phase", "later-on")
    stdout_of(tmp_path, "add", "b", "--phase", "LATER ON")
    stdout_of(tmp_path, "add", "c")
    assert stdout_of(tmp_path) == (
        "Ship it  0/3 idle  [ship]\nMain Tasks\n  ○ 3 c\nLater on\n  ○ 1 a\n  ○ 2 b\n"
    )


def test_a_text_that_looks_like_an_option_comes_after_two_dashes(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    stdout_of(tmp_path, "add", "--", "--shared", "- b")
    assert stdout_of(tmp_path, "done", "1", "-m--json").startswith("Done: 1 --shared (1/2)\n")


def test_x6_each_actor_has_a_task_of_its_own(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    stdout_of(tmp_path, "add", "b")
    stdout_of(tmp_path, "start", OUTLAST_ACTOR="ada")
    stdout_of(tmp_path, "start", "--as", "ben", OUTLAST_ACTOR="ada")
    assert "  ◐ 1 a  @ada\n  ◐ 2 b  @ben\n" in stdout_of(tmp_path, "show")
    assert stdout_of(tmp_path, "--as=ben", "fail", "broken").startswith("Failed: 2 b;")
    assert stdout_of(tmp_path, "done", OUTLAST_ACTOR="ada").startswith("Done: 1 a (1/2)\n")


def test_doctor_looks_at_every_plan(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    found = stdout_of(tmp_path, "doctor")
    assert "✓ plan ship: idle 0/1\n" in found
    assert found.endswith("\nEverything is in order.\n")
    assert stdout_of(tmp_path, "doctor", "--lang=zh").endswith("一切正常。\n")


def test_f17_a_plan_that_cannot_be_read_is_listed_with_its_problem(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    journal = tmp_path / ".outlast" / "plans" / "ship" / "journal.jsonl"
    journal.write_bytes(add_checksum(b'{"outlast":"journal","format":99,"key":"ship"}'))
    assert "update Outlast" in stdout_of(tmp_path, "list")
    (plan,) = json_of(tmp_path, "list")["plans"]
    assert "update Outlast" in plan["problem"]
    found = outlast(tmp_path, "doctor")
    assert (found.returncode, found.stderr) == (4, "")
    assert "\n✗ plan ship: " in found.stdout
    assert found.stdout.endswith("\nSome problems need attention; see above.\n")
    findings = json_of(tmp_path, "doctor", code=4)["findings"]
    assert [finding["what"] for finding in findings if not finding["ok"]] == ["plan ship"]


def test_the_hint_after_start_completes_the_task_that_was_started(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Ship it")
    stdout_of(tmp_path, "add", "a", "b")
    hints = [stdout_of(tmp_path, "start", number).split("run: ")[1] for number in ("1", "2")]
    assert hints == ["outlast done\n", "outlast done 2\n"]
    stdout_of(tmp_path, *hints[1].split()[1:])
    assert [task["status"] for task in json_of(tmp_path, "show")["tasks"]] == [
        "in_progress",
        "completed",
    ]


def test_m6_a_person_confirms_or_reopens_an_assumed_end_as_the_hint_says(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("Build")
        plan.complete(1, "seems so", how="assumed")
    hint = stdout_of(tmp_path, "next")
    assert hint.startswith("Task 1 was only assumed to be done\n")
    confirm, reopen = (line.partition("outlast ")[2].split() for line in hint.splitlines()[1:])
    assert (confirm, reopen) == (["done", "1"], ["edit", "1", "--reopen"])
    assert "任务 1 只是推定完成" in stdout_of(tmp_path, "next", "--lang", "zh")
    assert stdout_of(tmp_path, *confirm) == (
        "Done: 1 Build (1/1)\nPlan ship is complete: 1 task finished\n"
    )
    stdout_of(tmp_path, "undo", "--plan", "ship")
    assert stdout_of(tmp_path, *reopen).endswith("Next: 1 Build; start it with: outlast start\n")


def test_r2_08_a_person_completes_and_reopens_tasks_while_the_plan_is_paused(
    tmp_path: Path,
) -> None:
    for words in (("new", "Ship", "--plan", "s"), ("add", "A", "B"), ("pause",)):
        stdout_of(tmp_path, *words)
    assert stdout_of(tmp_path, "done", "1").startswith("Done: 1 A (1/2)\n")
    refused = outlast(tmp_path, "done", "2", "--as", "ann")
    assert (refused.returncode, refused.stderr) == (
        1,
        "outlast: The plan is paused; resume it first\nResume it: outlast resume\n",
    )
    assert stdout_of(tmp_path, "reopen", "1").startswith("Changed 1 A\n")
    assert stdout_of(tmp_path, "done", "2").startswith("Done: 2 B (1/2)\n")
