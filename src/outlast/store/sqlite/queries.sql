-- Every query of the store, by name. Values from outside are parameters.

-- name: application
pragma application_id

-- name: version
pragma user_version

-- name: files
pragma database_list

-- name: count_triggers
select count(*) from sqlite_master where type in ('trigger', 'view')

-- name: use_wal
pragma journal_mode = wal

-- name: sync_every_commit
-- Differs from "full" only without a WAL: then the deletion of the rollback journal is synced too.
pragma synchronous = extra

-- name: distrust_schema
pragma trusted_schema = off

-- name: begin
begin immediate

-- name: commit
commit

-- name: rollback
rollback

-- name: find_plan
select id from plans where key = :key

-- name: plan_keys
-- The key of an archived plan has a second line, with the time; no other key has one.
select key from plans where instr(key, char(10)) = 0 order by id

-- name: archived_keys
select key from plans where instr(key, char(10)) > 1 order by key

-- name: rename_plan
update plans set key = :new where key = :key

-- name: add_plan
insert into plans (key) values (:key)

-- name: add_commit
insert into commits (plan, place, revision, mark, line)
values (:plan, :place, :revision, :mark, :line)

-- name: new_commits
-- None of a plan that has another key by now: it was archived, or restored.
select place, revision, mark, case when place > :place then line end
from commits
where plan = :plan and place >= :place and plan = (select id from plans where key = :key)
order by place limit :rows

-- name: commits_after
select place, line from commits
where plan = :plan and place > :place and place <= :last
order by place limit :rows

-- name: commits_before
select place, line from commits
where plan = :plan and place < :place and place <= :last
order by place desc limit :rows

-- name: mark_of
-- The first of a revision changed the plan; others have only a key.
select mark from commits
where plan = :plan and place >= :revision and revision = :revision and revision > 0
order by place limit 1

-- name: commit_at
select line from commits where plan = :plan and place = :place

-- name: snapshot
select data from snapshots where plan = :plan

-- name: put_snapshot
insert into snapshots (plan, place, data) values (:plan, :place, :data)
on conflict (plan) do update set place = excluded.place, data = excluded.data

-- name: every_plan
select id, id, key from plans not indexed where id >= :first order by id

-- name: every_commit
select rowid, plan, place, revision, mark, line
from commits not indexed
where rowid >= :first
order by rowid

-- name: every_snapshot
select plan, plan, place, data from snapshots where plan >= :first order by plan

-- name: copy_plan
insert or ignore into plans values (?, ?)

-- name: copy_commit
insert or ignore into commits values (?, ?, ?, ?, ?)

-- name: copy_snapshot
insert or ignore into snapshots values (?, ?, ?)

-- name: pages
pragma page_count

-- name: data_version
pragma data_version

-- name: quick_check
pragma quick_check
