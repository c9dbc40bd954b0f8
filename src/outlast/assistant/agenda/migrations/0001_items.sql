-- Times are ISO 8601 in UTC. Ids are never used again.
create table todos (
    id integer primary key autoincrement,
    text text not null check (typeof(text) = 'text'),
    created_at text not null,
    tag text not null check (typeof(tag) = 'text'),
    priority integer not null check (typeof(priority) = 'integer'),
    due text,
    remind text,
    done_at text
);

create table appointments (
    id integer primary key autoincrement,
    title text not null check (typeof(title) = 'text'),
    start text not null,
    created_at text not null,
    duration integer not null check (typeof(duration) = 'integer'),
    remind text,
    interval integer check (typeof(interval) in ('integer', 'null')),
    times integer check (typeof(times) = typeof(interval)),
    recurs integer check (typeof(recurs) = typeof(interval)),
    remind_start text
);

-- What commands with a key returned, so that a repetition is answered and not carried out.
create table answers (
    key text primary key,
    answer text not null,
    at text not null
) without rowid;

-- One row: until when reminders have been shown.
create table reminded (until text not null);
