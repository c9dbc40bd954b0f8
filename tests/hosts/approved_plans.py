"""Plans as models write them in plan mode, and what they are read as.

A task is a line with a dash; below it, its description and its checks.
"""

PLANS = {
    "numbered headings below Implementation": (
        """\
# Plan: Add OAuth login with GitHub

## Context

Users can only log in with a password today. Several customers asked for GitHub login, and the
session code already supports several identities per user.

## Implementation

### 1. Add the `oauth_identities` table

Create `migrations/0042_oauth.sql`:

```sql
CREATE TABLE oauth_identities (id INTEGER PRIMARY KEY);
```

### 2. Add the callback endpoint

In `api/auth.py`, add `GET /auth/github/callback`.

- exchange the code for a token
- create or link the user

### 3. Show the button on the login page

Edit `web/Login.tsx`.

## Critical files

- `api/auth.py`
- `web/Login.tsx`

## Verification

1. Run `pytest tests/auth -q`
2. Run `npm run lint` and `npm test`
3. Log in with a test account at `http://localhost:3000`
""",
        """\
# Add OAuth login with GitHub
> Add OAuth login with GitHub
>
> Users can only log in with a password today. Several customers asked for GitHub login, and the
> session code already supports several identities per user.
- Add the oauth_identities table
  Create `migrations/0042_oauth.sql`:

  ```sql
  CREATE TABLE oauth_identities (id INTEGER PRIMARY KEY);
  ```
- Add the callback endpoint
  In `api/auth.py`, add `GET /auth/github/callback`.

  - exchange the code for a token
  - create or link the user
- Show the button on the login page
  Edit `web/Login.tsx`.
  $ pytest tests/auth -q
  $ npm run lint
  $ npm test
""",
    ),
    "a numbered list below Steps, and a block of commands": (
        """\
# Fix flaky queue test

`test_drain` fails about once in 20 runs: the worker reads the flag before it is set.

## Steps

1. Reproduce the failure with a loop
2. **Replace the flag by an event** in `queue.py`
   - keep the old name as an alias
   - no change of the public API
3. Wait for the event in the test instead of sleeping

   ```python
   assert queue.drained.wait(1)
   ```
4. Run the test 500 times

## Verification

```bash
# the whole suite
pytest -q
ruff check .
for i in $(seq 500); do pytest -q tests/test_queue.py; done
```
""",
        """\
# Fix flaky queue test
> Fix flaky queue test
>
> `test_drain` fails about once in 20 runs: the worker reads the flag before it is set.
- Reproduce the failure with a loop
- Replace the flag by an event in queue.py
  - keep the old name as an alias
  - no change of the public API
- Wait for the event in the test instead of sleeping
  ```python
  assert queue.drained.wait(1)
  ```
- Run the test 500 times
  $ pytest -q
  $ ruff check .
""",
    ),
    "headings of files below Changes": (
        """\
## Overview

Move the settings from INI to TOML.

## Changes

### `src/config/load.py`
- Read `settings.toml` with `tomllib`
- Fall back to `settings.ini` with a warning

### `src/config/write.py`
- Write TOML only

### `docs/settings.md`
- Show the new form

## Testing

- `uv run pytest tests/config`
- `uv run mypy src`
""",
        """\
# Move the settings from INI to TOML
> Move the settings from INI to TOML.
- src/config/load.py
  - Read `settings.toml` with `tomllib`
  - Fall back to `settings.ini` with a warning
- src/config/write.py
  - Write TOML only
- docs/settings.md
  - Show the new form
  $ uv run pytest tests/config
  $ uv run mypy src
""",
    ),
    "a plan named Plan, with boxes below Tasks": (
        """\
# Implementation Plan

## Goal
Cut the time of the nightly import from 40 to 10 minutes.

## Tasks
- [ ] Measure the import with `py-spy`
- [ ] Batch the inserts
  - 1 000 rows at a time
- [ ] Drop the index before and create it after
- [ ] Measure again

## Risks
- The index may take long to create.
""",
        """\
# Cut the time of the nightly import from 40 to 10 minutes
> Cut the time of the nightly import from 40 to 10 minutes.
- Measure the import with py-spy
- Batch the inserts
  - 1 000 rows at a time
- Drop the index before and create it after
- Measure again
""",
    ),
    "phases in bold with numbered lists": (
        """\
**Goal:** Let people export a report as PDF.

**Phase 1: Rendering**
1. Add a print stylesheet
2. Render the report with headless Chromium

**Phase 2: Interface**
1. Add the button
2. Show the progress

**Verification**
- `make check`
- export the sample report and look at it
""",
        """\
# Let people export a report as PDF
> Let people export a report as PDF.
- Add a print stylesheet
- Render the report with headless Chromium
- Add the button
- Show the progress
  $ make check
""",
    ),
    "a numbered list without a heading": (
        """\
# Refactor UserService

I'll split the class into three parts, in this order:

1. Extract `PasswordHasher` from `UserService` - it has no dependencies
2. Extract `SessionStore`
3. Make `UserService` a facade over both
4. Delete the dead code in `legacy.py`

Nothing changes for callers.
""",
        """\
# Refactor UserService
> Refactor UserService
- Extract PasswordHasher from UserService - it has no dependencies
- Extract SessionStore
- Make UserService a facade over both
- Delete the dead code in legacy.py
""",
    ),
    "Chinese, with headings of steps": (
        """\
# 添加深色模式

## 背景
用户希望在夜间使用时切换到深色主题。

## 步骤

### 第1步：新增主题变量
在 `src/theme.css` 中定义变量。

### 第2步：实现切换按钮
- 放在设置页
- 保存到 `localStorage`

### 第3步：适配现有组件

## 关键文件
- `src/theme.css`

## 验证
- 运行 `npm test`
- 运行 `npm run build`
- 手动切换主题
""",
        """\
# 添加深色模式
> 添加深色模式
>
> 用户希望在夜间使用时切换到深色主题。
- 新增主题变量
  在 `src/theme.css` 中定义变量。
- 实现切换按钮
  - 放在设置页
  - 保存到 `localStorage`
- 适配现有组件
  $ npm test
  $ npm run build
""",
    ),
    "Chinese, numbered as in Chinese": (
        """\
# 重构支付模块

## 目标
把支付逻辑从订单模块中拆出来。

## 实施步骤
一、定义 `PaymentGateway` 接口
二、把微信支付迁移到新接口
三、把支付宝迁移到新接口
四、删除旧代码

## 风险
- 回调地址可能变化

## 测试
```sh
go test ./payment/...
go vet ./...
```
""",
        """\
# 重构支付模块
> 重构支付模块
>
> 把支付逻辑从订单模块中拆出来。
- 定义 PaymentGateway 接口
- 把微信支付迁移到新接口
- 把支付宝迁移到新接口
- 删除旧代码
  $ go test ./payment/...
  $ go vet ./...
""",
    ),
    "one sentence": (
        """\
Rename the command `sync` to `pull` everywhere, keep `sync` as a hidden alias, update the docs.
""",
        """\
# Rename the command sync to pull everywhere, keep sync as a hidden alias, update…
> Rename the command `sync` to `pull` everywhere, keep `sync` as a hidden alias, update the docs.
- Rename the command sync to pull everywhere, keep sync as a hidden alias, update…
  Rename the command `sync` to `pull` everywhere, keep `sync` as a hidden alias, update the docs.
""",
    ),
    "headings that begin with Step": (
        """\
# Upgrade to Django 5

## Step 1: Update the dependencies
Bump `django` in `pyproject.toml`.

## Step 2: Fix the deprecations
Run with `-W error` and fix what fails.

## Step 3: Verify
Run `python manage.py test` and `python manage.py check`.
""",
        """\
# Upgrade to Django 5
> Upgrade to Django 5
- Update the dependencies
  Bump `django` in `pyproject.toml`.
- Fix the deprecations
  Run with `-W error` and fix what fails.
- Verify
  Run `python manage.py test` and `python manage.py check`.
  $ python manage.py test
  $ python manage.py check
""",
    ),
    "an approach with a numbered list": (
        """\
# Add rate limiting

## Summary
Limit each client to 100 requests a minute.

## Approach
A token bucket in Redis, keyed by client.

1. Add `limits.py` with `TokenBucket`
2. Add the middleware to `app.py`
3. Return 429 with `Retry-After`

## Files to modify
| File | Change |
|---|---|
| `app.py` | middleware |

## Out of scope
- limits per endpoint
""",
        """\
# Add rate limiting
> Add rate limiting
>
> Limit each client to 100 requests a minute.
- Add limits.py with TokenBucket
- Add the middleware to app.py
- Return 429 with Retry-After
""",
    ),
    "bullet lists below headings of their own": (
        """\
# Search page

## Backend
- Add `GET /search`
- Add an index on `title`

## Frontend
- Add the search box
- Show the results

## Docs
- Describe the query language
""",
        """\
# Search page
> Search page
- Backend
  - Add `GET /search`
  - Add an index on `title`
- Frontend
  - Add the search box
  - Show the results
- Docs
  - Describe the query language
""",
    ),
    "one list of bullets": (
        """\
Here's what I will do:

- Read the current parser
- Add support for tabs
  - in indentation
  - in strings
- Add tests
""",
        """\
# Read the current parser
- Read the current parser
- Add support for tabs
  - in indentation
  - in strings
- Add tests
""",
    ),
    "numbered sections, of which some are steps": (
        """\
# Plan for migrating CI to GitHub Actions

## 1. Overview
CI runs on a self-hosted Jenkins today.

## 2. Steps
### 2.1 Add the workflow file
`.github/workflows/ci.yml` with lint, test and build.
### 2.2 Move the secrets
### 2.3 Remove the `Jenkinsfile`

## 3. Verification
Open a pull request and check that all jobs are green. Locally: `actionlint`.

## 4. Rollback
Restore the `Jenkinsfile`.
""",
        """\
# Migrating CI to GitHub Actions
> Migrating CI to GitHub Actions
>
> CI runs on a self-hosted Jenkins today.
- Add the workflow file
  `.github/workflows/ci.yml` with lint, test and build.
- Move the secrets
- Remove the Jenkinsfile
  $ actionlint
""",
    ),
    "a test plan with boxes, some of which are no checks": (
        """\
# Plan

## Context
The CLI prints tracebacks for wrong arguments.

## Proposed changes

1. **`cli/main.py`**: catch `UsageError` and print one line
2. **`cli/errors.py`** — add `UsageError`
3. **Tests**: one per wrong argument (see [the issue](https://example.com/issues/12))

## Test plan
- [ ] `pytest tests/cli`
- [ ] `python -m mypy src`
- [ ] `rm -rf build && make install`
- [ ] `ruff check --fix .`
""",
        """\
# The CLI prints tracebacks for wrong arguments
> The CLI prints tracebacks for wrong arguments.
- cli/main.py: catch UsageError and print one line
- cli/errors.py — add UsageError
- Tests: one per wrong argument (see the issue)
  $ pytest tests/cli
  $ python -m mypy src
""",
    ),
    "steps as lines of text": (
        """\
## Plan: Cache the price list

### Problem
The price list is loaded on each request.

### Steps

Step 1: Add a cache with a TTL of one minute
Step 2: Invalidate it when prices are edited
Step 3: Add a metric for hits and misses

### Verification
`cargo test`, then `cargo clippy -- -D warnings`.
""",
        """\
# Cache the price list
> Cache the price list
>
> The price list is loaded on each request.
- Add a cache with a TTL of one minute
- Invalidate it when prices are edited
- Add a metric for hits and misses
  $ cargo test
  $ cargo clippy -- -D warnings
""",
    ),
    "phases with a line that verifies": (
        """\
# Parser rewrite

### Phase 1 - Lexer
Write the lexer by hand.

Verify: `cargo test -p lexer`

### Phase 2 - Parser
Recursive descent, one function per rule.

Verify: `cargo test -p parser`

### Phase 3 - Cleanup
Remove the generated code.
""",
        """\
# Parser rewrite
> Parser rewrite
- Lexer
  Write the lexer by hand.

  Verify: `cargo test -p lexer`
  $ cargo test -p lexer
- Parser
  Recursive descent, one function per rule.

  Verify: `cargo test -p parser`
  $ cargo test -p parser
- Cleanup
  Remove the generated code.
""",
    ),
    "a list with brackets and letters": (
        """\
# Data retention

1) Add a column `expires_at`
2) Fill it for old rows in batches
3) Delete expired rows every night
   a) in batches of 1 000
   b) with a lock
""",
        """\
# Data retention
> Data retention
- Add a column expires_at
- Fill it for old rows in batches
- Delete expired rows every night
  a) in batches of 1 000
  b) with a lock
""",
    ),
    "Chinese, all in bold": (
        """\
# 任务：修复时区问题

**目标**：报表中的时间按用户时区显示。

**步骤**：
1. 数据库统一保存 UTC
2. 接口返回 ISO 8601
3. 前端按时区显示

**验证**：
- `pytest tests/test_timezones.py`
- 不要运行 `pytest --snapshot-update`
""",
        """\
# 修复时区问题
> 修复时区问题
>
> 报表中的时间按用户时区显示。
- 数据库统一保存 UTC
- 接口返回 ISO 8601
- 前端按时区显示
  $ pytest tests/test_timezones.py
""",
    ),
    "numbered headings in two sections": (
        """\
# Notifications

## Database
### 1. Add a table `notifications`
### 2. Add an index

## API
### 3. Add `GET /notifications`
### 4. Add `POST /notifications/read`

## Test plan
Run:
```
npm run test:unit
npm run test:watch
npm run db:migrate
CI=1 npm run e2e
```
""",
        """\
# Notifications
> Notifications
- Add a table notifications
- Add an index
- Add GET /notifications
- Add POST /notifications/read
  $ npm run test:unit
  $ CI=1 npm run e2e
""",
    ),
    "bullets without a heading of steps": (
        """\
# Improve error messages

## What & why
Errors name no file.

## How
* Pass the file name down to `report()`
* Print it before the line number
* Sort the errors by file

## Acceptance criteria
* `pytest -k errors` is green
* each error names its file
""",
        """\
# Improve error messages
> Improve error messages
>
> Errors name no file.
- Pass the file name down to report()
- Print it before the line number
- Sort the errors by file
  $ pytest -k errors
""",
    ),
    "an order of implementation among other numbered lists": (
        """\
### Goals

- One binary
- No runtime dependencies

### Implementation order

1. Vendor the three libraries
2. Link statically
3. Strip the binary

### Notes

1. musl is slower
2. size is 4 MB
""",
        """\
# One binary
> - One binary
> - No runtime dependencies
- Vendor the three libraries
- Link statically
- Strip the binary
""",
    ),
    "boxes below the title": (
        """\
# Remove the feature flag `new_checkout`

The flag has been on for everyone since March.

- [x] Confirm with the team
- [ ] Remove the flag from `flags.yaml`
- [ ] Remove the old branch in `checkout.ts`

Verification: `pnpm test` and `pnpm run typecheck`
""",
        """\
# Remove the feature flag new_checkout
> Remove the feature flag new_checkout
>
> The flag has been on for everyone since March.
- Confirm with the team
- Remove the flag from flags.yaml
- Remove the old branch in checkout.ts
""",
    ),
    "underlined headings": (
        """\
Plan: Speed up startup
======================

Overview
--------
Importing takes 400 ms.

1. Import `pandas` late
2. Cache the plugin list
3. Measure with `python -X importtime`
""",
        """\
# Speed up startup
> Speed up startup
>
> Importing takes 400 ms.
>
> 1. Import `pandas` late
> 2. Cache the plugin list
> 3. Measure with `python -X importtime`
- Import pandas late
- Cache the plugin list
- Measure with python -X importtime
""",
    ),
    "phases with numbered headings": (
        """\
# Multi-tenant support

## Phase 1: Data model

### 1.1 Add `tenant_id` to all tables
Nullable at first.

### 1.2 Backfill

## Phase 2: Queries

### 2.1 Filter by tenant
### 2.2 Make the column mandatory

## Verification plan
- Unit: `go test ./...`
- Lint: `golangci-lint run`
- Load: `k6 run load.js`
""",
        """\
# Multi-tenant support
> Multi-tenant support
- Add tenant_id to all tables
  Nullable at first.
- Backfill
- Filter by tenant
- Make the column mandatory
  $ go test ./...
  $ golangci-lint run
""",
    ),
    "a numbered list with bullets in the same column": (
        """\
1. **Add the model.** Create `Invoice` with the fields of the form.

2. **Add the view.** A list and a detail page.

- reuse `Table`
- reuse `Money`

3. **Add the tests.**

```bash
pytest tests/invoices
```
""",
        """\
# Add the model
- Add the model
  Create `Invoice` with the fields of the form.
- Add the view
  A list and a detail page.

  - reuse `Table`
  - reuse `Money`
- Add the tests
  ```bash
  pytest tests/invoices
  ```
""",
    ),
    "Chinese, with front matter and bullets": (
        """\
---
title: Ignored
---

# 计划：支持导出 CSV

## 方案
- 新增 `export.py`
  - 流式写出
- 在列表页加按钮
- 补充文档

## 验证
1. `python -m pytest tests/test_export.py`
2. 用 Excel 打开导出的文件
""",
        """\
# 支持导出 CSV
> 支持导出 CSV
- 新增 export.py
  - 流式写出
- 在列表页加按钮
- 补充文档
  $ python -m pytest tests/test_export.py
""",
    ),
    "tests to write among the changes": (
        """\
# Fix tests

## Changes

### Parser
Accept tabs.

### Tests
Add a table of cases to `tests/test_parser.py`.

### Verification
`pytest tests/test_parser.py`
""",
        """\
# Fix tests
> Fix tests
- Parser
  Accept tabs.
- Tests
  Add a table of cases to `tests/test_parser.py`.
  $ pytest tests/test_parser.py
""",
    ),
    "headings with text and nothing else": (
        """\
# Support webhooks

## Store the endpoints
A table with URL and secret.

## Sign the payload
HMAC with the secret.

## Retry with backoff
Five times at most.

## Open questions
- How long are failures kept?
""",
        """\
# Support webhooks
> Support webhooks
- Store the endpoints
  A table with URL and secret.
- Sign the payload
  HMAC with the secret.
- Retry with backoff
  Five times at most.
""",
    ),
    "steps of which the last verifies": (
        """\
# Implementation Plan

## Overview
Make the export resumable.

## Implementation Steps

1. **Write a checkpoint**
   - after each file
   - atomically

   The file is `export.state`.

2. **Resume from the checkpoint**: skip what is there

3. **Verify: run `make check` and `pytest tests/export`**

## Notes
- Old exports have no checkpoint.
""",
        """\
# Make the export resumable
> Make the export resumable.
- Write a checkpoint
  - after each file
  - atomically

  The file is `export.state`.
- Resume from the checkpoint
  skip what is there
- Verify: run make check and pytest tests/export
  $ make check
  $ pytest tests/export
""",
    ),
    "headings of the first level": (
        """\
# Goal
Fewer queries on the dashboard.

# Steps
- Load the widgets in one query
- Cache the counts for a minute
- Verify with `pytest tests/dashboard`

# Rollback
- Revert the commit
""",
        """\
# Fewer queries on the dashboard
> Fewer queries on the dashboard.
- Load the widgets in one query
- Cache the counts for a minute
- Verify with pytest tests/dashboard
  $ pytest tests/dashboard
""",
    ),
    "Chinese, with numbered sections and steps": (
        """\
# 支持多语言

## 一、目标
界面支持中英文切换。

## 二、实现
### 1. 提取文案
把文案移到 `locales/`。
### 2. 增加语言切换
### 3. 补充测试
运行 `npm test`。

## 三、验证
- `npm run build`
""",
        """\
# 支持多语言
> 支持多语言
>
> 界面支持中英文切换。
- 提取文案
  把文案移到 `locales/`。
- 增加语言切换
- 补充测试
  运行 `npm test`。
  $ npm run build
""",
    ),
    "steps in bold": (
        """\
**Step 1: Add the model**

Create `Invoice`.

**Step 2: Add the view**

Use `ListView`.

**Step 3: Run the checks**

```
$ make check
$ ./manage.py runserver
12 passed
```
""",
        """\
# Add the model
- Add the model
  Create `Invoice`.
- Add the view
  Use `ListView`.
- Run the checks
  ```
  $ make check
  $ ./manage.py runserver
  12 passed
  ```
  $ make check
""",
    ),
    "two paragraphs": (
        """\
Move the cache to Redis. The current cache is a dictionary per process, so four processes
load the same rows four times.

The change is in `cache.py` only; callers keep `get()` and `put()`.
""",
        """\
# Move the cache to Redis
> Move the cache to Redis. The current cache is a dictionary per process, so four processes
> load the same rows four times.
>
> The change is in `cache.py` only; callers keep `get()` and `put()`.
- Move the cache to Redis
  Move the cache to Redis. The current cache is a dictionary per process, so four processes
  load the same rows four times.

  The change is in `cache.py` only; callers keep `get()` and `put()`.
""",
    ),
    "boxes with long lines": (
        """\
## Implementation

- [ ] **Schema**: add `deleted_at` (`migrations/`)
- [ ] **API**: filter deleted rows. Everything goes through `visible()`; the admin page does not.
  It gets a parameter.
- [ ] ~~Hard delete~~ not now

## Success criteria
- `cargo nextest run` passes
- `cargo fmt --all -- --check`
- `docker compose down -v`
- `pytest <path>`
""",
        """\
# Schema: add deleted_at (migrations/)
- Schema: add deleted_at (migrations/)
- API: filter deleted rows. Everything goes through visible(); the admin page does not
  It gets a parameter.
- Hard delete not now
  $ cargo nextest run
  $ cargo fmt --all -- --check
""",
    ),
}
