-- The schema of a new database. `migrations` brings older ones to the same.

pragma application_id = 1869968492; -- "outl": marks a database of Outlast
pragma user_version = 1; -- the number of migrations

create table plans (
    id integer primary key,
    key text not null unique
);

-- A commit is a journal line without its line end; `mark` is its checksum. Places
-- count up from 1 in every plan.
create table commits (
    plan integer not null references plans (id),
    place integer not null,
    revision integer not null,
    mark text not null,
    line blob not null,
    primary key (plan, place)
);

-- The plan after the commit at a place, so that opening it need not replay everything.
create table snapshots (
    plan integer primary key references plans (id),
    place integer not null,
    data blob not null
);
