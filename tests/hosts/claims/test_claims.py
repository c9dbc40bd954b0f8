"""R4.08: which last messages of an agent claim that the work is done."""

from __future__ import annotations

import re
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.hosts.claims.claims import claimed_numbers, claims_done, claims_everything, claims_task

CLAIMS = """
Done!
Done.
done
All done!
✅ Done
**Done.**
Done ✅
All set!
It's done.
That's done now.
Everything is done.
We're done here.
I'm done.
Task complete.
## Task Complete
✅ Task completed successfully!
Implementation complete! 🎉
## ✅ Implementation Complete
The implementation is complete.
The task is now complete.
The work is finished.
The plan is complete.
All tasks are complete.
All tasks completed.
All 5 tasks are done.
All steps of the plan are done.
All of the steps have been completed.
All todos are completed.
5/5 tasks complete.
12 of 12 tasks completed
The feature is fully implemented.
The refactoring is done.
Refactor complete.
The migration has been completed successfully.
The fix is in place.
The fix is in place and everything works now.
The bug is fixed.
The bug has been fixed.
Bug fixed.
The issue is now resolved.
The crash is fixed: empty input returns an empty list.
I've implemented X and all tests pass.
I've implemented the retry logic in `client.py`.
I have implemented the export as requested.
I've successfully migrated the settings to TOML.
I've finished the refactoring.
I have completed all the tasks.
I've completed the remaining migrations.
I fixed the bug in the date parser.
I've fixed the issue where the login page crashed on empty passwords.
I have fixed the failing test.
I fixed the two failing tests; the suite is green.
I resolved the merge conflicts and finished the rebase.
We've finished the migration.
I've refactored `UserService` into three classes. All 48 tests pass.
I've added the `--json` flag and updated the docs. All tests pass.
Added the endpoint and its tests. All 42 tests pass.
Added `retry()` to the client. The full test suite passes.
I added a regression test, and all 120 tests pass.
Updated the parser to accept tabs. 87 tests passed, 0 failed.
I've removed the deprecated API. The build succeeds without errors.
I renamed the module everywhere. Type checks are clean and all tests are green.
Fixed the race in `worker.py`.
Fixed in `src/cache.py`: the key now includes the locale.
Implemented the search endpoint with pagination.
Completed the migration to pydantic v2.
Implemented. All tests pass.
Fixed! The button now opens the dialog.
Finished the cleanup; no further changes are needed.
Everything works now.
Everything is in place.
Everything is working now.
It works now.
The login flow works again.
The server now works with IPv6, and the fix is in place.
The build is fixed.
The dark mode toggle is implemented and working.
Your endpoint is live and working correctly.
The PR is ready for review.
The branch is ready to merge.
The feature is ready for use.
It's all wrapped up.
That completes the task.
This completes the implementation of the plan.
That wraps up the migration.
Nothing left to do.
There is nothing left to do.
No remaining issues: the migration is done.
All done, no errors or warnings.
Perfect! All tests pass and the feature is complete.
Great! The implementation is complete and all tests are passing.
Excellent! I've successfully implemented the caching layer.
Good news: the bug is fixed.
Summary: the refactor is complete.
OK, done.
Okay, all tasks are done.
Job done.
Mission accomplished!
Task accomplished.
All changes have been implemented.
All the requested changes are in place.
The requested changes are done.
Both bugs are fixed.
Both issues have been resolved.
The three endpoints are implemented and tested.
All done. Let me know if you have any questions.
Done! Let me know if you'd like any changes.
The task is complete. Feel free to ask if you need anything else.
I've implemented the feature. If you have any questions, let me know.
I have finalized the report.
Fixed the typo in the README.
All acceptance criteria are met and the task is done.
The code has been refactored as requested.
I've rewritten the tokenizer; all existing tests still pass.
I've addressed all review comments.
All review comments have been addressed.
The tests no longer fail; the fix is in place.
Implementation is complete with no failing tests.
I've converted all 14 files to TypeScript, with zero type errors.
The upgrade to Django 5 is complete.
The todo app is finished.
I've fixed the error handling in `api.py`.
The error message is fixed.
I fixed the bug that made the tests fail on Windows.
The deployment is done and the site is live.
[Done]
[Done] Download the reports
Download the reports [Done]
[Step 3 Done]
**[Done]**
The `--dry-run` option is now implemented, documented and covered by tests.
Your bug is fixed: the cache was keyed on the wrong field.
I've gone ahead and implemented the change. Tests pass.
The work is complete. All 7 todos are checked off and CI is green.
I've wired up the new endpoint, added validation and covered it with tests. Everything passes.
Everything requested is implemented.
The app builds cleanly and the new page is in place.
That's everything! The feature is complete.
All requested features have been implemented and verified.
I have now completed the migration from Jest to Vitest.
Done — `foo` now returns a list.
Finished. `make check` passes.
Finished!
Completed.
Fixed.
Refactoring complete. No behavior changes.
Migration complete ✅
Implemented the plan as approved.
The plan has been fully executed.
I successfully implemented everything in the plan.
Both tasks are done and committed.
The new test passes, and I've fixed the underlying bug.
I've updated the three call sites, and the type checker reports no errors.
All four checks pass: lint, types, unit and integration. The task is finished.
The documentation has been updated and all examples run. All tests pass.
Okay — task finished.
The memory leak is resolved.
The login redirect is fixed and verified.
Implemented dark mode. Tests: 34 passed.
Successfully implemented the feature!
Successfully completed all tasks.
I have implemented all of the requested changes.
Everything compiles and all 18 unit tests pass; the refactor is done.
The endpoint has been added and the tests pass.
"""
CLAIMS_ZH = """
任务已完成
任务已完成。
任务完成！
任务已经完成了。
所有任务已完成。
所有任务均已完成！
全部任务都已完成
全部完成！
全部完成了。
已全部完成。
都完成了。
完成了！
完成！
✅ 完成
搞定了！
搞定！
全部搞定，测试都通过了
都搞定了，测试全部通过。
已经搞定。
已完成。
已完成所有步骤。
5个任务全部完成。
5/5 已完成
计划已全部执行完毕，任务完成。
工作已完成，所有测试通过。
重构完成。
重构已完成，所有测试均通过。
迁移完成！
迁移工作已经完成。
修复完成。
修复已完成，现在登录可以正常使用了。
已修复该问题。
问题已修复。
问题已解决，测试全部通过。
这个 bug 已经修好了。
bug 修好了。
修好了，现在可以正常工作了。
我已经修复了登录失败的问题。
修复了登录失败的问题，所有测试通过。
已实现用户登录功能。
功能已实现，测试通过。
我已经实现了搜索接口。
我实现了分页功能，并补充了单元测试，全部通过。
登录功能开发完成。
我完成了用户登录功能的开发。
我已完成 `parser.py` 的重构。
已成功完成数据库迁移。
已按要求完成修改。
改好了。
已经改好了，请查看。
代码已改完，测试都过了。
写好了。
弄好了！
全都做好了。
都做完了。
已做完。
大功告成！
完工。
收工！
添加了导出接口，测试全部通过。
新增了 `--json` 参数，并更新了文档，所有测试均通过。
我更新了配置解析，构建成功，测试全绿。
删除了废弃的接口，编译通过，没有错误。
所有改动已完成，没有遗留问题。
全部步骤已完成，无错误。
已完成全部修改，不再报错。
优化完成，所有用例通过。
部署完毕。
修复完毕，一切正常。
文档已经写完了。
所有功能都已实现。
需求已全部实现。
现在可以正常运行了。
总结：任务已完成。
好的，已完成。
好了，任务完成。
任务已完成，如有问题请告诉我。
已完成！如果需要其他修改，请随时告诉我。
任務已完成。
全部完成，測試都通過了。
已修復這個問題。
[完成]
【完成】下载报表
[步骤1已完成] 下载报表
已经按计划完成了所有步骤，测试通过。
所有步骤都已执行完毕。
功能开发完毕，测试全部通过。
已将所有文件迁移到 TypeScript，构建成功。
我已经把登录页面改好了。
该功能现已实现。
登录问题现在已经解决了。
任务圆满完成！
好的，搞定。
代码已重构完成，所有测试通过。
实现完成，单元测试全部通过。
已完成开发和测试。
修改已完成，构建通过，无报错。
改动都做完了，测试是绿的。
已经全部处理好了。
我已为接口添加了限流，测试全部通过。
"""
NO_CLAIMS = """
not done yet
Not done.
It's not done yet.
It isn't finished.
The task is not complete.
The task isn't complete yet.
This is not finished yet, I have to continue.
The migration is not done.
The feature is not fully implemented.
The implementation isn't complete.
The bug is not fixed.
I haven't finished the refactoring.
I have not completed the task.
I haven't implemented the export yet.
I've not finished.
We're not done yet.
Nothing is done yet.
It was never finished.
Not everything is done.
Still failing.
still not done
The tests are still failing.
One test is still failing.
Two tests still fail.
3 tests failed.
Tests fail.
The tests fail with a TypeError.
The build is broken.
The build fails.
The build failed.
Done, but two tests fail.
Done, but the tests are failing.
I've implemented X, but the tests fail.
I've implemented X. However, one test still fails.
I've implemented the feature. 2 tests are failing.
The fix is in place, but it doesn't work.
It's done except for the docs.
All tasks are done apart from the docs.
All tests pass except two.
I could not complete the task.
I couldn't finish the migration.
I was unable to fix the bug.
I wasn't able to complete the refactoring.
I failed to fix the issue.
The task could not be completed.
The task cannot be completed without credentials.
I can't complete this without access.
Unfortunately, the fix is incomplete.
The work is partially done.
Partially complete.
The task is almost done.
Almost done!
Nearly finished.
I'm halfway done.
Half of the work is done.
Most of the work is done.
Mostly done.
Some of the tasks are complete.
One of the tasks is done.
The first step is done.
The first part is complete.
Step 1 is complete.
Phase 1 is complete.
Phase 1 complete.
Task 2 is done.
Completed steps 1 and 2.
I've completed step 3.
I'm done with the first of three.
2/5 done
2 of 5 tasks are done.
3 of the 7 tasks are complete.
Three out of seven are done.
I've migrated 3 of 12 files.
60% done.
The work is 80% complete.
The initial implementation is done.
A first draft is done.
The skeleton is in place.
The work is done so far.
Once this is done I will continue with the tests.
Once this is done, run the tests.
When finished, run `make check`.
When it's done, I'll report.
When everything is done, the badge turns green.
If everything is done, close the issue.
If the fix is in place, the test passes.
After the migration is done, delete the table.
As soon as the task is complete, I'll push.
Until the task is complete, keep the flag.
Before it's done, we need a review.
It's done when all tests pass.
The task is done once the tests pass.
The task is complete if the check is green.
Let me know if it's done.
Let me know when the task is complete.
Let me know if this works now.
Let me know if you want me to finish it.
Next I'll add the tests.
Next, I'll implement the parser.
I'll implement the parser next.
Now I'll fix the failing test.
Now let me fix the tests.
I will finish the task tomorrow.
I'm going to finish this now.
I'm working on it.
I am working now on the parser.
Work in progress.
This is still in progress.
The task is in progress.
Waiting for the build to finish.
The tests are running.
Let me check that everything is done.
Let me verify the fix is in place.
I want to be sure everything is done.
This should be done by now.
It should be fixed now.
That should fix it.
This should now work.
The fix should be in place.
It might be done.
Everything may be working now.
I think it's done.
It looks like the task is done.
It seems everything works now.
It's probably fixed.
Hopefully it works now.
This needs to be done.
It needs to be finished.
The parser must be finished first.
The docs have to be completed.
What is done and what is left?
Is it done?
Are all tasks complete?
Is everything done now?
Should I mark the task as done?
Would you like me to finish the rest?
Done?
All done? Not yet.
Shall I continue with the next task?
The task is done. Should I commit?
I've implemented X. Do you want me to push it?
"Done!" is what the script prints.
It prints "All tasks are complete." at the end.
The label says “done”.
The status is 'done'.
The button should say `Done`.
> All tasks are complete.
You said "the fix is in place".
The user says it's done.
The README claims that the feature is complete.
They said it's finished.
The previous author had already done it.
How it is done: the parser reads a line.
What was done by the previous team is unclear.
Here is how this is done in Python.
Completed tasks are hidden from the list.
Finished jobs are deleted after a day.
The list shows tasks that are done.
The analysis is complete.
Analysis complete.
I've finished reading the code.
I've completed the analysis of the codebase.
I've finished exploring the repository.
The investigation is done.
I have completed my review of the plan.
The download is complete.
The script has finished running.
Here is my plan:
Here's the plan.
I found the bug in `parse.py`.
The function returns early.
I see two options.
To do: the docs.
TODO: finish the parser
Remaining: the docs.
Remaining work: docs and tests.
Two tasks remain.
What remains is the documentation.
The remaining tasks are the docs and the tests.
There are 3 tasks left.
I ran into a problem with the migration.
I'm stuck on the last test.
I'm blocked by missing credentials.
The task is blocked.
The tests timed out.
I've implemented the feature, but I have not run the tests.
I've implemented it. The tests were not run.
I've implemented it, although it is untested.
I've fixed one of the two bugs.
I fixed the first bug.
The workaround is in place for now.
I've implemented everything except the export.
I've implemented the parser; the CLI is still missing.
Implemented the parser. Next steps: the CLI and the docs.
I've finished the parser. The next step is the CLI.
The endpoint is done, the UI is not.
The endpoint is done; the UI still needs work.
The code is in place, only the tests are missing.
I've implemented it with a placeholder for the token.
All tests pass.
All 42 tests pass.
42 passed in 3.1s
The build succeeds.
Tests are green.
I've added logging to find the cause.
I added a test.
Updated the README.
Sure!
Okay.
Thanks!
You're welcome.
Hello! How can I help?
I've read the file.
I've created a plan.
I updated the plan.
Please review the plan.
Please confirm that it's done.
Mark it as done when it works.
Don't mark it as done.
[Done]?
[Done]? Not yet.
Reply with [Done]
I will write [Done] at the end.
not [Done]
[Done] but the tests fail.
[Progress] 2/5
I've set up the scaffolding; the actual logic comes next.
The schema is done. On to the endpoints.
The schema is done. Moving on to the endpoints now.
That completes step one. Continuing with step two.
I've implemented the happy path only.
I implemented the parser but ran out of time for the tests.
The feature works, though a few edge cases are open.
The server is done starting; I'm checking the logs.
I fixed one thing, but the original error persists.
The error persists after the fix.
The fix didn't help.
The fix did not work.
My fix broke another test.
Everything works except login.
All done except for the last item.
I've completed what I can without the credentials.
This is as far as I can get without access to the database.
I've implemented the code but can't run the tests here.
The code is implemented; verification is pending.
Verification is still to come.
Implementation done, verification pending.
I've completed the implementation. Testing is next.
I've completed the backend. The frontend comes next.
I have implemented the backend part.
The backend is done. Now the frontend.
Backend: done. Frontend: not started.
Backend done, frontend todo.
Progress: 3/7 tasks done.
Progress update: schema done, endpoints in progress.
To finish the task, run the migration.
To get this done, I need the API key.
I need your input before the task is complete.
Before I can say it's done I have to run the tests.
You can mark the task as complete when you've checked it.
The checklist says all tasks are complete, but the code disagrees.
According to the log, the job is done.
The function returns True when all tasks are complete.
The `done` flag is set when the task is complete.
It returns `done` if everything is complete.
`status` becomes "completed" after the job is finished.
A task is complete when its check is green.
Tasks are complete only when proved.
The promise is resolved with the value.
The promise gets resolved in the next tick.
The issue was fixed in version 2.3 upstream.
This was fixed upstream in 3.1.
The bug is fixed in newer versions of the library.
The version is fixed at 1.2.
The width is fixed at 300px.
The table has a fixed width.
The interface is implemented by three classes.
`Foo` is implemented in `foo.py` and calls `bar`.
The method is implemented in the base class.
The constructor is called once the config is in place.
The config is merged with the defaults.
The branches are merged every night.
How the request is done depends on the client.
The user asked whether it's done.
I checked: the previous task is done.
Is there anything that isn't done?
What else should be done?
Nothing has been done so far.
No changes have been made.
I made no changes.
I did not change anything.
I have not made any changes yet.
I reverted my changes.
I've reverted the fix because it broke the build.
I undid the change.
I've stopped the server.
I've paused the work.
I'm giving up on this approach.
I'd like to confirm before finishing.
Two options: finish the refactor now, or ship the fix first.
We could consider it done.
In theory, everything works now.
If I understand correctly, everything works now.
Everything works now on my machine, but CI fails.
CI is red.
The pipeline is red.
mypy reports 3 errors.
ESLint reports 2 problems.
There are 4 type errors.
There is one failing test.
One failure remains.
There are still some failures.
There's a failing test in `test_x.py`.
I've fixed 3 of the 5 failures.
I've fixed most of the failures.
7 passed, 2 failed.
7 passed, 2 errors.
E   AssertionError: 1 != 2
Traceback (most recent call last):
Sorry, I can't do that.
I'm sorry, the task isn't possible as described.
The request is complete gibberish to me.
Your plan is done well.
You're done with the setup; now I need the token.
After completing the migration, the tests should be run.
Having finished the parser, I turn to the CLI.
The goal is to have everything in place by Friday.
The rest is done by the scheduler.
It's done by a cron job.
The rendering is done on the server.
Validation is done in the middleware.
This is done for performance reasons.
Sorting is done with quicksort.
The work is done in `worker.py` by a pool of threads.
The task is finished by the worker, which then sends a signal.
The download task is done in the background.
The feature is live for 10% of users.
The site is live, but the form is broken.
The deployment is live at v1; v2 is not deployed.
"""
NO_CLAIMS_ZH = """
还没完成
还没完成。
还没有完成。
还没做完
任务还没有完成。
尚未完成。
未完成。
没有完成。
任务未完成。
功能尚未实现。
问题还没解决。
问题没有解决。
还没搞定。
没搞定。
仍未完成。
仍有两个测试失败。
测试仍然失败。
测试失败了。
测试没有通过。
测试未通过。
有3个测试失败。
构建失败。
编译报错。
已完成，但是有两个测试失败。
已实现，但测试没有通过。
修复完成，不过还有一个用例失败。
任务已完成，但还需要补充文档。
无法完成任务。
无法修复这个问题。
我没能完成迁移。
我做不到。
遇到了一个问题，迁移中断。
遇到错误，无法继续。
卡住了。
部分完成。
部分任务已完成。
大部分已完成。
基本完成。
基本完成了。
快完成了。
即将完成。
差不多完成了。
完成了一半。
完成了60%。
已完成 2/5。
5个任务中完成了2个，还剩3个。
第一步已完成。
第1步完成。
第一阶段已完成。
第二个任务做完了。
阶段1已完成。
步骤 2 已完成。
其中一个任务已完成。
初步完成。
初版已完成。
目前为止完成了解析器。
完成后我会通知你。
完成之后再运行测试。
完成后，我将继续编写文档。
任务完成后请运行测试。
等任务完成后再说。
等修复完成再部署。
一旦完成，我会提交。
如果任务已完成，请关闭问题。
如果都搞定了，就提交。
当所有任务完成时，状态变为绿色。
做完以后告诉我。
接下来我会完成测试。
接下来编写测试。
下一步是实现解析器。
解析器已完成，接下来实现命令行。
我将完成剩下的任务。
我会继续完成。
我正在修复这个问题。
正在实现登录功能。
正在运行测试。
准备开始实现。
现在开始修复。
继续完成剩余任务。
还需要补充测试。
还有两个任务。
还剩一个任务。
还差文档。
剩余工作：文档。
剩下的是文档。
待办：文档。
需要完成测试。
必须先完成迁移。
应该已经完成了。
可能已经修复了。
好像修好了。
大概完成了。
看起来似乎完成了，待确认。
完成了吗？
任务完成了吗
都搞定了？
是否已完成？
任务已完成，要不要提交？
任务已完成。需要我提交吗？
要我继续吗？
请确认是否已完成。
“任务已完成”是脚本的输出。
脚本会输出「全部完成」。
按钮显示“完成”。
> 任务已完成
分析完成。
分析已完成，计划如下：
我已完成代码阅读。
调研完成。
下载完成。
完成度不高。
完成的任务会被隐藏。
已完成的订单不显示。
完成情况如下：
完成标准是测试通过。
所有测试通过。
测试通过。
构建成功。
添加了日志。
更新了文档。
好的。
你好！
我找到了问题的原因。
我有两个方案。
这是我的计划。
除了文档，其他都完成了。
只有解析器完成了。
代码写好了，只是测试没跑。
已实现，未测试。
已实现但未验证。
尚待修复。
還沒完成
還沒有完成。
測試沒有通過。
功能还在开发中。
测试还没跑。
测试尚未运行。
没跑测试。
代码写完了，测试还没写。
前端完成，后端还在做。
后端已完成，前端待开发。
先完成数据库部分，再做接口。
我先完成数据库迁移。
要完成这个任务，需要数据库权限。
为了完成任务，我需要令牌。
完成这个任务需要三步。
完成以下步骤：
请完成以下任务。
任务完成时会发送通知。
任务完成的标准是测试通过。
任务完成率为 80%。
函数在任务完成时返回 True。
该接口由三个类实现。
渲染在服务器完成。
排序是用快排实现的。
校验在中间件中完成。
这一步由脚本完成。
上一个任务已完成。
日志显示任务已完成。
用户说已经完成了。
文档里写着“已完成”。
状态改为已完成。
把任务标记为已完成。
点击后显示已完成。
修复了一个问题，还有一个没修。
修复后仍然报错。
修复没有生效。
修复不起作用。
目前完成了 3 项。
今天完成了数据表的设计。
已完成设计，准备编码。
已完成数据表，正在写接口。
计划已完成，请审阅。
计划已制定完成。
方案已完成，等待确认。
已完成环境搭建，下一步开始编码。
编译通过，测试失败。
mypy 报了 3 个错误。
还有类型错误。
有一个测试挂了。
CI 是红的。
抱歉，我无法完成。
我没有做任何修改。
已回滚修改。
我撤销了改动。
"""
MESSAGES = """
I've implemented rate limiting for the API.

**Changes**
- `api/limits.py`: a token bucket per client
- `api/app.py`: the middleware
- `tests/test_limits.py`: 9 tests

All 131 tests pass.
===
All tests pass. Here's a summary of what I did:

1. **Parser** - Added support for tabs.
2. **CLI** - Added the `--tabs` flag.
3. **Docs** - Updated the README.

The implementation is complete and ready for review.
===
## Summary

The OAuth login is fully implemented:

- Added `users_oauth`
- Added the callback endpoint
- Wired the button

```
$ pytest -q
142 passed in 8.31s
```

Let me know if you'd like any changes!
===
Fixed the flaky test in `tests/test_queue.py`.

The cause was a race: the worker read the flag before it was set.
The test was failing about once in 20 runs. It now waits for the event instead.
500 runs passed.
===
✅ **All tasks complete**

| Task | Status |
|---|---|
| Schema | done |
| Endpoint | done |

Everything is tested and committed.
===
The root cause was a wrong index in `slice()`. Before, an empty list raised an error.

I've fixed it and added a regression test. The whole suite is green.
===
Updated `config.py` and `loader.py`:

- Removed the global state
- Added `load(path)`
- Replaced 14 callers

Tests: `pytest -q` → 88 passed, 0 failed.
===
I've completed all the steps of the plan:

- [x] Add the table
- [x] Add the endpoint
- [x] Write the tests

No errors, no warnings.
===
Done. The script in `scripts/sync.sh` now retries three times.

```bash
./scripts/sync.sh --dry-run
```
===
Perfect! The build is fixed now.

The issue was that `tsconfig.json` didn't include the `types` folder.
I added it, and `npm run build` succeeds.
===
全部完成，以下是改动总结：

1. 新增 `users_oauth` 表
2. 实现回调接口
3. 更新前端按钮

所有 142 个测试均已通过。
===
我修复了这个问题。

原因是之前索引计算错误，导致空列表报错。现在已经加上了回归测试，全部通过。
===
## 完成情况总结

- 重构了解析器
- 补充了文档

任务已全部完成，没有遗留问题。如有其他需要，请随时告诉我。
===
[Step 2] Extract the figures [Done]

Next I'll write the summary.
===
Implemented the cursor pagination end to end.

What changed:
- `db/query.py`: keyset queries instead of offsets
- `api/list.py`: returns `next_cursor`; an invalid cursor returns a 400 error
- `web/list.ts`: loads more when the user scrolls to the end

Verification:
- `pytest` – 212 passed
- `npm test` – 64 passed
===
The refactoring is complete. Nothing else in the public API changed.

Optional next steps: you could add a benchmark for large files.
===
I've added the `OUTLAST_OFF` switch and documented it.

- `hook.py`: returns before any read
- `docs/hooks.md`: a section about it

Ran `./dev check` and the new tests; everything passes.
===
The memory leak is fixed. `Session.close()` now removes the listener, and the regression test
confirms that 10,000 sessions leave nothing behind.
===
All three steps are done:

1. Renamed `fetch` to `load`
2. Updated 23 call sites
3. Removed the alias

`cargo test` passes (211 tests).
===
Implementation complete. Summary of changes:

**src/auth.ts**
- Added `refreshToken()`
- Replaced the callback by a promise

**tests/auth.test.ts**
- 6 new tests

Build and tests are green.
===
I have implemented the CSV export as specified in the plan. The export streams rows, so memory
stays flat. All existing and new tests pass.
===
已完成全部五个步骤。主要改动：

- 新增 `export.py`
- 列表页增加导出按钮

测试结果：142 个全部通过。
===
登录失败的原因是令牌过期后没有刷新。我已经修复了这个问题，并添加了回归测试，测试全部通过。
"""
NO_MESSAGES = """
I've implemented rate limiting for the API.

- Added the middleware
- Added 9 tests

Two of the tests still fail because Redis is not running here.
===
## Summary

All tests pass. The parser is implemented.

## Remaining work
- the CLI
- the docs
===
Completed:
- Added the table
- Added the endpoint

Not done:
- The UI
===
I've finished the parser.

Next, I'll wire it into the CLI and then run the whole suite.
===
Here is what I found:

1. The cache key misses the locale.
2. The fallback is never used.

Both could be fixed in `cache.py`. Which one should I fix first?
===
```
All tasks are complete.
```
===
The script prints this at the end:

```
Done!
All tests pass.
```
===
- [x] Add the table
- [ ] Add the endpoint

The table is done.
===
I've fixed the import errors.

The suite now reports:

- 118 passed
- 3 failed

The three failures come from the date parser.
===
The task is complete, with one caveat: I could not run the integration tests in this environment.
===
I made good progress:

✅ Schema
✅ Endpoint
❌ UI

The schema and the endpoint are done.
===
The migration is done.

Please run `make deploy` and set the secret, then I can continue with the UI.
===
Everything is in place. Would you like me to open a pull request?
===
I've updated the plan with three phases. The plan is ready; I'll start with the schema.
===
The build passes now. Let me run the remaining checks.
===
我已经实现了限流功能。

- 新增中间件
- 新增 9 个测试

但有两个测试仍然失败，因为 Redis 没有启动。
===
已完成：
- 数据表
- 接口

未完成：
- 前端
===
解析器已经写好了。

接下来我会接入命令行，然后运行所有测试。
===
## 总结

测试全部通过，解析器已实现。

## 剩余工作
- 命令行
- 文档
===
脚本最后输出：

```
任务已完成
```
===
修改完成。请确认是否需要提交？
===
I stopped here because the API key is missing. The client is implemented, the sync is not.
===
I've implemented the client. Note that the retry logic is a stub and needs to be replaced.
===
**Done:** schema, endpoint
**Left:** UI, docs
===
Tests: 12 passed, 1 failed

I've added the new endpoint and fixed the imports.
===
The first two tasks are complete and all tests pass. Task 3 needs your decision about the schema.
===
I looked into the failing job. The cause is a missing environment variable: `API_KEY` isn't set in
CI, so the client is never created. The fix is to add it to the secrets.
===
Here's the updated plan:

1. Add the table
2. Add the endpoint
3. Verify

I've completed the research, and I'm ready to start with step 1.
===
The refactoring compiles, but I had to leave `legacy.py` alone because its tests need a database.
All other modules are done.
===
I've fixed the type errors in `a.ts` and `b.ts`. `c.ts` has 12 more that come from the generated
client.
===
Done with the schema. The endpoint is what I'd do now, if you agree.
===
I implemented the change in `cache.py`.

Running the tests shows:

FAILED tests/test_cache.py::test_ttl - assert 1 == 2
===
The code is in place. To activate it you have to set `FEATURE_X=1` and restart, and the migration
has to be run by an admin first.
===
I fixed the crash. There's a separate problem: the importer drops rows with umlauts.
===
Everything is set up for the migration. Run `make migrate` to perform it.
===
I've hit the usage limit; the first half is implemented.
===
The task list is complete: schema, endpoint, UI. Starting with the schema.
===
The spec is complete and unambiguous, so I can start.
===
My understanding of the code is complete.
===
The list of callers is complete: 14 in all.
===
The plan is complete. Ready for your approval.
===
I've finished writing the plan.
===
I've completed the todo list with the new items.
===
测试环境已搭建完成，可以开始实现。
===
我已经实现了接口部分，前端部分明天再做。
===
问题定位完成：索引计算错误。修复方案如下。
===
需求分析已完成，任务列表如下：
===
代码已完成，但没有运行过测试。
===
接口写好了，联调还没开始。
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def messages(text: str) -> list[str]:
    return [message.strip() for message in re.split(r"^===$", text, flags=re.MULTILINE)]


@pytest.mark.parametrize("message", [*lines(CLAIMS), *lines(CLAIMS_ZH), *messages(MESSAGES)])
def test_r4_08_a_message_that_says_the_work_is_done_claims_it(message: str) -> None:
    assert claims_done(message)


@pytest.mark.parametrize(
    "message", [*lines(NO_CLAIMS), *lines(NO_CLAIMS_ZH), *messages(NO_MESSAGES)]
)
def test_r4_08_in_doubt_a_message_claims_nothing(message: str) -> None:
    assert not claims_done(message)


@given(st.text(), st.text())
def test_r4_08_any_text_can_be_read(message: str, name: str) -> None:
    claims_done(message)
    claims_task(f"{message}\nDone.", name)


@pytest.mark.parametrize("message", ["", " \n", "```", ">", "\ud800", "[", "完", "done" * 1_000])
def test_r4_08_a_message_without_words_claims_nothing(message: str) -> None:
    assert not claims_done(message)


def test_r4_08_only_the_end_of_a_long_message_counts() -> None:
    story = "The parser reads a line and returns a node. " * 400
    assert claims_done(f"{story}\n\nAll tasks are complete.")
    assert not claims_done(f"All tasks are complete.\n\n{story}")


PARTS = (
    *(
        "done ",
        "all ",
        "I have ",
        "not ",
        "a",
        "is ",
        "*",
        "_",
        "`",
        '"',
        "'",
        "[",
        "](",
        "- ",
        "-",
    ),
    *(
        ":",
        " — ",
        "1",
        "1/2 ",
        "[ ]",
        "no ",
        "remaining ",
        "still ",
        "tests ",
        "fail",
        "\t",
        "(",
        "|",
    ),
    *(
        "已",
        "都",
        "完成",
        "没",
        "测试",
        "我",
        "。",
        "\n",
        "```\n",
        "~~~\n",
        "> ",
        "✅ ",
        "a-",
        "the task ",
    ),
)


@pytest.mark.parametrize("size", [1, 2, 3])
@given(st.data())
def test_f15_no_message_takes_long_to_read(size: int, data: st.DataObject) -> None:
    parts = data.draw(st.lists(st.sampled_from(PARTS), min_size=size, max_size=2 * size))
    part = "".join(parts)
    signal.alarm(10)
    try:
        text = part * (100_000 // len(part))
        claims_done(text)
        claims_task(text, text[:1_000])
    finally:
        signal.alarm(0)


@pytest.mark.parametrize(
    "message",
    [
        "I have written the callback. Everything is done.",
        "All tasks are complete.",
        "All done!",
        "The plan is complete.",
        "Everything works now and the job is finished.",
        "全部搞定，测试都通过了。",
        "所有任务均已完成。",
        "计划已全部完成",
        "I've completed all todo items.",
        "All assigned tasks are complete.",
        "All open to-dos are done.",
        "Everything works as expected. Done.",
        "Done. Everything works as expected.",
        "All required changes are done.",
        "All necessary changes are done.",
        "All listed changes are done.",
        "I've implemented the plan in full.",
        "I've finished all the tasks on the list.",
        "计划中的所有任务都已完成。",
    ],
)
def test_r4_08_a_message_claims_that_everything_is_done(message: str) -> None:
    assert claims_done(message)
    assert claims_everything(message)


@pytest.mark.parametrize(
    "message",
    [
        "I've fixed the callback.",
        "I finished task 2; all tests pass.",
        "任务已完成",
        "All tasks will be done tomorrow.",
        "Is everything done?",
        "`Everything is done.` is what it prints.",
        "I've finished the callback and everything passes.",
        "I fixed the typo in the project README.",
        "拼写错误已修复，所有测试全部通过。",
        "已完成对计划的提交。",
        "The current task is done.",
        "I fixed the typo. Everything works as expected.",
        "",
    ],
)
def test_r4_08_a_message_about_a_task_does_not_claim_everything(message: str) -> None:
    assert not claims_everything(message)


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("Task 1 is done.", (1,)),
        ("Step 1 is finished.", (1,)),
        ("Task 3 (fix the callback) is complete. Next is task 4.", (3,)),
        ("I completed task 2.", (2,)),
        ("任务 1 已完成。", (1,)),
        ("Task 1 is done. Task 2 is done.", (1, 2)),
        ("Task 2 of 5 is done.", ()),
        ("Task 1 is done, task 2 is not.", ()),
        ("Once task 1 is done, I go on.", ()),
        ("Is task 1 done?", ()),
        ("Task 1 is not done.", ()),
        ("The task is done.", ()),
    ],
)
def test_r4_08_a_message_says_which_tasks_are_done(message: str, numbers: tuple[int, ...]) -> None:
    assert claimed_numbers(message) == numbers


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Done.", "Write the callback"),
        ("✅ Done", "Write the callback"),
        ("It's done now. All 42 tests pass.", "Write the callback"),
        ("I've finished it.", "Write the callback"),
        ("It works now!", "Write the callback"),
        ("完成了。", "编写登录回调"),
        ("[Done]", "Write the callback"),
        ("I have implemented the route, the task is done.", "Write the callback"),
        ("The work is finished: see `a.py`.", "Write the callback"),
        ("Everything is done, and the README too.", "Write the callback"),
        ("任务已完成，文档也已更新。", "编写登录回调"),
        ("I've implemented the callback.", "Write the callback"),
        ("Done. I've added the callback for GitHub.", "Write the callback"),
        ("I've implemented the retry logic in `client.py`.", "Add a retry to the client"),
        ("The migration has been completed successfully.", "Migrate the database"),
        ("The bug is fixed.", "Fix the bugs in the parser"),
        ("The bugs are fixed.", "Fix the bug"),
        ("I fixed the bug in `reader.py`.", "Fix crash on empty input"),
        ("登录回调已经写完。", "编写登录回调"),
        ("I've added a callback route. All tests pass.", "Write the callback"),
        ("I fixed it in `a.py`, and built the rest.", "Fix"),
        ("Implemented the callback and all tests pass.", "Implement the OAuth callback"),
        ("The OAuth callback is implemented and all tests pass.", "Implement the OAuth callback"),
        (
            "I've implemented the OAuth callback, and all 12 tests pass.",
            "Implement the OAuth callback",
        ),
        ("All dead code has been removed, 0 lint errors.", "Remove dead code"),
        ("限流已添加，测试通过。", "添加限流"),
        ("搜索性能优化完成，速度提升 3 倍，测试通过。", "优化搜索性能"),
        ("已添加导出功能，测试通过。", "添加导出功能"),
        ("改好了，测试通过。", "添加导出功能"),
        ("Done. Login form added.", "Add login"),
        (
            'Fixed it - parse() now returns an empty list for "". Tests pass.',
            "Fix crash on empty input",
        ),
        ("The bug is fixed. The parser now returns [].", "Fix crash on empty input"),
        (
            "The migration is complete. All queries use psycopg, and the full test suite passes.",
            "Migrate database to Postgres",
        ),
        ("The feature is complete and all tests pass.", "Add login"),
        ("The issue is resolved and all tests pass.", "Add login"),
        ("问题已解决，测试通过。", "修复登录回调"),
        ("已完成登录回调，测试通过。", "Implement login callback"),
        ("Implemented the login callback. All tests pass.", "实现登录回调"),
        ("Done! What changed? I rewrote it. Take your time.", "Write the parser"),
        ("The parser is done. Any questions? Thanks!", "Write the parser"),
        ("Done. OK? 🎉", "Write the parser"),
        ("做完了。还有问题吗？", "编写解析器"),
        ("I've implemented `OAuthCallback` in `auth.py`.", "Write the callback"),
        ("I've implemented the feature in `auth.py`.", "Add login"),
        ("Done. The script now retries three times.", "Add login"),
        ("I've gone ahead and implemented the change. Tests pass.", "Add login"),
        ("That completes the task.", "Add login"),
        ("Everything is done and tests pass.", "Add login"),
        ("The implementation and tests are done.", "Add login"),
        ("I've completed this step. All tests pass.", "Add login"),
        ("There is nothing left to do.", "Add login"),
        ("I've fixed the typo. The work is done, too.", "Add login"),
        ("I've removed all old entries. All tests pass.", "Delete the entry"),
        ("The documentation has been written. All tests pass.", "Write the docs"),
    ],
)
def test_r4_08_a_message_claims_that_a_task_is_done(message: str, name: str) -> None:
    assert claims_done(message)
    assert claims_task(message, name)


@pytest.mark.parametrize(
    "message",
    [
        "The current task is done.",
        "I've completed the current task. All tests pass.",
        "I've completed the task you gave me.",
        "I've completed all todo items.",
        "All assigned tasks are complete.",
        "Everything works as expected. Done.",
        "Done. Everything works as expected.",
        "All required changes are done.",
        "All necessary changes are done.",
        "All listed changes are done.",
        "The given task is done.",
        "The assigned task is done.",
        "The last task is done.",
        "The main task is done.",
        "The original task is done.",
        "The active task is done.",
        "The full task is done.",
        "The task at hand is done.",
        "The login task is done.",
        "The task you gave me is done.",
        "The work on the login form is done.",
        "I've implemented the plan in full.",
        "I've completed the task by adding a session cookie.",
        "I've completed the assigned work in `session.py`.",
        "I've implemented the feature in session.py.",
        "I've finished all the tasks on the list.",
        "I've finished the in-progress task.",
        "The to-do is done.",
        "The subtask is done.",
        "Step completed. The login form opens.",
        "I've implemented the task by adding a session cookie.",
        "Everything you asked for is done. The login form opens.",
        "I've fixed the bug and added a regression test.",
    ],
)
def test_r4_08_that_the_task_is_done_is_about_the_task_whatever_else_is_said(message: str) -> None:
    assert claims_task(message, "Write the parser")


@pytest.mark.parametrize(
    "message",
    [
        "本任务已完成。",
        "上面的任务已完成。",
        "计划中的所有任务都已完成。",
        "当前任务已经完成，登录可以用了。",
        "登录任务已完成。",
        "我已经完成了你给的任务。",
    ],
)
def test_r4_08_that_the_task_is_done_is_about_the_task_in_chinese(message: str) -> None:
    assert claims_task(message, "编写解析器")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("I've fixed the issue with the scheduler. All tests pass.", "Write the parser"),
        ("I fixed the bug with the tooltip.", "Write the parser"),
        ("I fixed the bug in `scheduler.py`.", "Write the parser"),
        ("I fixed the issue so the sidebar opens again.", "Write the parser"),
        ("I fixed the bug while the page loads.", "Write the parser"),
        ("I fixed the crash and the typo.", "Write the parser"),
        ("I fixed the bug (the sidebar one).", "Write the parser"),
        ("I fixed the bug in the tests.", "Write the parser"),
        ("The typo in the plan is fixed.", "Write the parser"),
        ("I've implemented the steps widget.", "Write the parser"),
        ("I've implemented dark mode for the tasks page.", "Write the parser"),
        ("I fixed the typo. Everything works as expected.", "Write the parser"),
        ("修复了问题，侧边栏可以打开了。", "编写解析器"),
        ("I've fixed the typo you mentioned in README.", "Write the callback"),
        ("I've fixed the typo you mentioned in README.", "Fix the callback"),
        ("I answered your question; the cache is in `a.py`. Done.", "Write the callback"),
        ("I've updated the docs. All tests pass.", "Write the callback"),
        ("文档里的错别字修复了。", "编写登录回调"),
        ("I've fixed the typo.", ""),
        ("I've fixed the logging.", "Add login"),
        ("I've fixed the indentation in a.py.", "Add an index"),
        ("I've fixed the author field.", "Add auth"),
        ("I've fixed the format of the changelog.", "Build the form"),
        ("I fixed the docker file.", "Write the docs"),
        ("I've fixed the deadlock.", "Remove dead code"),
        ("I fixed the status line.", "Add state"),
        ("I fixed the typo in the project README.", "Write the parser"),
        ("I fixed the typo and everything passes.", "Write the parser"),
        ("I've fixed the job queue typo.", "Write the parser"),
        ("Fixed the tasks import.", "Write the parser"),
        ("I've fixed the broken step in the CI workflow.", "Write the parser"),
        ("拼写错误已修复，所有测试全部通过。", "编写解析器"),
        ("已修复实现细节里的笔误。", "编写解析器"),
        ("已完成对计划的提交。", "编写解析器"),
        ("Done. Fixed the typo in the README.", "Write the parser"),
        ("I've fixed `README.md`.", "Remove dead code"),
        ("I've fixed the typo. All 42 tests pass.", "Add tests for the parser"),
        ("I've fixed the typo. All tests are now green.", "Add tests for the parser"),
        ("I've fixed the typo in the README; it now says Outlast.", "Write the parser"),
        ("The callback is not done.", "Write the callback"),
        ("Is the callback done?", "Write the callback"),
    ],
)
def test_r4_08_a_remark_on_something_else_claims_no_task(message: str, name: str) -> None:
    assert not claims_task(message, name)
