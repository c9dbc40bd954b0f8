-- What a new database is made of. `migrations` leads older ones to the same.

pragma application_id = 1869968492; -- "outl": whose database this is
pragma user_version = 1; -- how many migrations are in it

create table plans (
    id integer primary key,
    key text not null unique
);

-- A commit is the line that a journal would have, without its end; `mark` is its checksum. Places
-- count up from 1 in every plan.
create table commits (
    plan integer not null references plans (id),
    place integer not null,
    revision integer not null,
    mark text not null,
    line blob not null,
    primary key (plan, place)
);

-- A plan as it was behind the commit at a place, so that opening need not replay everything.
create table snapshots (
    plan integer primary key references plans (id),
    place integer not null,
    data blob not null
);
