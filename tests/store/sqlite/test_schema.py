"""F17, A12: the schema and its migrations; SQL stands only in `.sql` files."""

import ast
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from outlast.errors import NewerFormat
from outlast.model import commands as c
from outlast.store import journal, sqlite
from outlast.store.sqlite.connection import (
    APPLICATION,
    QUERIES,
    VERSION,
    migrations,
    schema_statements,
)
from outlast.system.sql_files import parse_queries, split_statements
from tests.store.operations import NOW
from tests.store.sqlite.databases import (
    KEY,
    NAME,
    begin,
    change,
    database,
    make_store,
    on_disk,
    open_store,
    sql,
    state,
)

HERE = Path(sqlite.__path__[0])
MODULES = (*HERE.rglob("*.py"), HERE.parents[1] / "plan/home/database.py")  # that run SQL
SQL = re.compile(
    r"\s*(select|insert|update|delete|replace|with|create|drop|alter|pragma|begin|attach)\s+\S",
    re.IGNORECASE,
)
# A database as the first released version made it. It is never altered: a new form gets its own.
GOLDEN_1 = """
pragma application_id = 1869968492;
pragma user_version = 1;
create table plans (id integer primary key, key text not null unique);
create table commits (
    plan integer not null references plans (id),
    place integer not null,
    revision integer not null,
    mark text not null,
    line blob not null,
    primary key (plan, place)
);
create table snapshots (
    plan integer primary key references plans (id),
    place integer not null,
    data blob not null
);
insert into plans values (1, 'some-key');
insert into commits values (1, 1, 1, '4afdf66f', cast(
'{"revision":1,"at":"2026-01-01T00:00:00Z","author":"ann","changes":[{"type":"PlanCreated",'
|| '"id":"plan_test","goal":"Test things","created_at":"2026-01-01T00:00:00Z",'
|| '"updated_at":"2026-01-01T00:00:00Z","key":"some-key","title":"Test things",'
|| '"phases":[{"id":"main","title":"Main Tasks"}]}],"crc":"4afdf66f"}' as blob));
"""


def shape(connection: sqlite3.Connection) -> tuple[object, ...]:
    """Return what makes up a schema, without its spelling."""
    rows = connection.execute("select type, name, tbl_name, sql from sqlite_master").fetchall()
    tidy = {(*row[:3], row[3] and " ".join(row[3].split()).replace("( ", "(")) for row in rows}
    numbers = ("pragma application_id", "pragma user_version")
    return tidy, *(connection.execute(query).fetchall() for query in numbers)


def built(*steps: list[str]) -> tuple[object, ...]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in steps:
            for statement in step:
                connection.execute(statement)
        return shape(connection)


def test_f17_all_migrations_together_make_the_schema() -> None:
    assert built(*migrations()) == built(schema_statements())


def test_f17_every_migration_has_its_number_and_says_which_version_it_leads_to() -> None:
    names = sorted(path.name for path in (HERE / "migrations").iterdir())
    assert [int(name.split("_")[0]) for name in names] == list(range(1, VERSION + 1))
    for number in range(1, VERSION + 1):
        *_, version = built(*migrations()[:number])
        assert version == [(number,)]


def test_f17_a_new_database_has_the_schema(ram_path: Path) -> None:
    begin(ram_path).close()
    with closing(sqlite3.connect(ram_path / NAME)) as connection:
        assert shape(connection) == built(schema_statements())
        assert connection.execute("pragma journal_mode").fetchall() == [("wal",)]


def golden(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path / NAME)) as connection:
        connection.executescript(script)


def test_f17_a_database_of_the_first_version_is_read_and_changed(ram_path: Path) -> None:
    golden(ram_path, GOLDEN_1)
    assert database(ram_path).plan_keys() == [KEY]
    with closing(open_store(ram_path)) as store:
        assert state(store)["goal"] == "Test things"
        assert change(store, (c.AddTasks((c.NewTask("new"),)),)).revision == 2
    assert on_disk(ram_path)["revision"] == 2
    assert sql(ram_path, "pragma user_version") == [(VERSION,)]
    assert sql(ram_path, "pragma journal_mode") == [("wal",)]


def test_f17_an_older_database_is_led_to_the_schema_when_it_is_opened(ram_path: Path) -> None:
    golden(ram_path, f"pragma application_id = {APPLICATION};")
    assert database(ram_path).plan_keys() == []
    begin(ram_path).close()
    assert on_disk(ram_path)["revision"] == 1
    with closing(sqlite3.connect(ram_path / NAME)) as connection:
        assert shape(connection) == built(schema_statements())


def test_f17_a_newer_database_is_refused_and_left_alone(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, "create view something as select 1", f"pragma user_version = {VERSION + 1}")
    before = (ram_path / NAME).read_bytes()
    for attempt in (open_store, begin, lambda path: database(path).plan_keys()):
        with pytest.raises(NewerFormat) as caught:
            attempt(ram_path)
        assert caught.value.details == {"found": VERSION + 1, "known": VERSION}
    assert (ram_path / NAME).read_bytes() == before


def test_f17_a_commit_is_the_line_that_a_journal_has(ram_path: Path) -> None:
    store = make_store(ram_path)
    commits = store.commits_since(0)
    store.close()
    rows = sql(ram_path, "select place, revision, mark, line from commits order by place")
    assert [row[:2] for row in rows] == [(n, n) for n in range(1, len(commits) + 1)]
    assert [journal.read_commit(row[3]) for row in rows] == commits
    assert all(row[3].endswith(f'"crc":"{row[2]}"}}'.encode()) for row in rows)
    assert commits[0].at == NOW


def test_a12_no_sql_stands_in_the_code() -> None:
    assert {name for name, query in QUERIES.items() if not SQL.match(query)} == {
        *("commit", "rollback")
    }
    for file in MODULES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {
            ast.get_docstring(node, clean=False)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value in docs or not SQL.match(node.value), (file.name, node.value)


def test_a12_what_is_executed_comes_from_the_sql_files() -> None:
    seen = set()
    for file in MODULES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("executescript", "executemany")
                if node.func.attr == "execute":
                    seen.add(ast.unparse(node.args[0]))
    named = {query for query in seen if re.fullmatch(r"QUERIES\[(name|'\w+')\]", query)}
    assert seen == {*named, "statement"}


def test_a12_every_query_is_used_and_takes_values_as_parameters_only() -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in MODULES)
    assert [name for name in QUERIES if f'"{name}"' not in code] == []
    assert [name for name, query in QUERIES.items() if re.search(r"[{}%]", query)] == []


def test_a12_a_key_is_never_run_as_sql(ram_path: Path) -> None:
    keys = ["a'; drop table commits; --", 'b" or 1=1', "c%", "_", "%", ":key", "键", "x" * 1000]
    for key in keys:
        database(ram_path).create(c.CreatePlan("plan_x", f"of {key}", key), "ann", NOW).close()
    assert database(ram_path).plan_keys() == keys
    for key in keys:
        with closing(database(ram_path).open(key, NOW)) as store:
            assert store.read(lambda state: state.goal) == f"of {key}"


def test_a12_sql_files_are_split_into_their_statements() -> None:
    text = "-- what\n-- name: one\nselect 1 -- a\n\n-- name: two\n-- why\nselect\n  2\n"
    assert parse_queries(text) == {"one": "select 1", "two": "select\n  2"}
    assert split_statements("-- x\ncreate table a (b); -- c\n\npragma d = 1;\n") == [
        "create table a (b);",
        "pragma d = 1;",
    ]
