-- name: todos
select id, text, created_at, tag, priority, due, remind, done_at from todos

-- name: appointments
select id, title, start, created_at, duration, remind, interval, times, recurs, remind_start
from appointments

-- name: last_todo
select coalesce(max(seq), 0) from sqlite_sequence where name = 'todos'

-- name: last_appointment
select coalesce(max(seq), 0) from sqlite_sequence where name = 'appointments'

-- name: save_todo
insert or replace into todos (id, text, created_at, tag, priority, due, remind, done_at)
values (?, ?, ?, ?, ?, ?, ?, ?)

-- name: save_appointment
insert or replace into appointments
    (id, title, start, created_at, duration, remind, interval, times, recurs, remind_start)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: delete_todo
delete from todos where id = ?

-- name: delete_appointment
delete from appointments where id = ?

-- name: answer
select answer from answers where key = ?

-- name: save_answer
insert into answers (key, answer, at) values (?, ?, ?)

-- name: forget_answers
delete from answers where at < ?

-- name: reminded_until
select max(until) from reminded

-- name: begin_reminding
insert into reminded (until) values (?)

-- name: set_reminded
update reminded set until = ?

-- name: count_tables
select count(*) from sqlite_master

-- name: count_foreign
select count(*) from sqlite_master where type in ('trigger', 'view')
