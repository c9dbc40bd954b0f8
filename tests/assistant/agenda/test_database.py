"""R3.10: todos and appointments in a database of the user."""

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.agenda.items import Appointment, Occurrence, Recurrence, TodoItem
from outlast.errors import LockTimeout, NewerFormat, OutlastError, StoreError
from outlast.system.clock import FixedClock
from outlast.system.sql_files import read_migrations
from tests.small_disks import fill_disk, mount_small_disk

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
MIGRATIONS = read_migrations("outlast.assistant.agenda")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def file(ram_path: Path) -> Path:
    return ram_path / "data" / "agenda.db"


@pytest.fixture
def agenda(file: Path, clock: FixedClock) -> AgendaDatabase:
    return AgendaDatabase(str(file), clock)


def test_r3_10_looking_creates_nothing(agenda: AgendaDatabase, file: Path) -> None:
    assert agenda.todos() == agenda.appointments() == {}
    assert agenda.claim_reminders(NOW) == ()
    assert not agenda.has_changed("key")
    assert not file.parent.exists()


def test_r3_10_items_are_kept_as_they_are(agenda: AgendaDatabase, file: Path) -> None:
    details = c.TodoDetails(tag="家", priority=2, due=NOW + 2 * HOUR, remind=NOW + HOUR)
    todo = agenda.change(c.AddTodo("买牛奶", details))
    assert todo == TodoItem(1, "买牛奶", NOW, "家", 2, NOW + 2 * HOUR, NOW + HOUR)
    agenda.change(c.CompleteTodo(1))
    plain = agenda.change(c.AddAppointment(NOW, "Lunch"))
    daily = agenda.change(
        c.AddAppointment(
            NOW + HOUR,
            "Stand-up",
            c.AppointmentDetails(
                duration=15,
                interval=1440,
                times=3,
                remind=NOW + HOUR / 2,
                remind_start=NOW + HOUR / 4,
            ),
        )
    )
    agenda.change(c.SetRepeat(2, is_on=False))
    again = AgendaDatabase(str(file))
    assert again.todos() == {
        1: TodoItem(1, "买牛奶", NOW, "家", 2, NOW + 2 * HOUR, NOW + HOUR, NOW)
    }
    assert isinstance(daily, Appointment)
    off = Appointment(
        2,
        "Stand-up",
        NOW + HOUR,
        NOW,
        15,
        NOW + HOUR / 2,
        Recurrence(1440, 3, is_on=False),
        NOW + HOUR / 4,
    )
    assert again.appointments() == {1: plain, 2: off}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_r3_10_ids_are_never_used_again(agenda: AgendaDatabase) -> None:
    for add, delete in (
        (c.AddTodo("x"), c.DeleteTodo(1)),
        (c.AddAppointment(NOW, "x"), c.DeleteAppointment(1)),
    ):
        assert agenda.change(add).id == 1
        assert agenda.change(delete).id == 1
        assert agenda.change(add).id == 2


def test_r3_10_a_command_repeated_under_its_key_changes_nothing(
    agenda: AgendaDatabase, clock: FixedClock
) -> None:
    first = agenda.change(c.AddTodo("x"), "attempt 1")
    assert agenda.change(c.AddTodo("x"), "attempt 1") == first
    meeting = agenda.change(c.AddAppointment(NOW, "y"), "attempt 2")
    assert agenda.change(c.AddAppointment(NOW, "y"), "attempt 2") == meeting
    assert agenda.change(c.DeleteTodo(1), "attempt 3") == first
    assert agenda.change(c.DeleteTodo(1), "attempt 3") == first
    assert agenda.todos() == {}
    clock.advance(999 * 24 * 3600)
    assert agenda.change(c.AddTodo("x"), "attempt 1") == first, "years later too"
    assert [agenda.has_changed(f"attempt {number}") for number in (1, 4)] == [True, False]


def test_r3_10_the_answer_of_a_command_is_forgotten_after_a_year(
    agenda: AgendaDatabase, clock: FixedClock
) -> None:
    for number in range(1, 4):
        agenda.change(c.AddTodo("x"), f"attempt {number}")
        clock.advance(200 * 24 * 3600)
    assert [agenda.has_changed(f"attempt {number}") for number in (1, 2, 3)] == [False, True, True]
    agenda.change(c.AddTodo("x"))
    assert agenda.has_changed("attempt 2"), "only commands of a model look"


def test_r3_10_what_is_refused_changes_nothing(agenda: AgendaDatabase) -> None:
    agenda.change(c.AddAppointment(NOW, "x"))
    for command in (c.AddAppointment(NOW, "y"), c.CompleteTodo(1), c.DeleteAppointment(2)):
        with pytest.raises(OutlastError):
            agenda.change(command, "key")
    assert [*agenda.appointments()] == [1]
    assert agenda.change(c.AddTodo("x"), "key").id == 1, "a refusal is no answer"


def test_r3_10_each_reminder_comes_once(agenda: AgendaDatabase) -> None:
    due = c.TodoDetails(due=NOW + 3 * HOUR, remind=NOW + 2 * HOUR)
    agenda.change(c.AddTodo("Call", due))
    agenda.change(
        c.AddAppointment(NOW + HOUR, "Lunch", c.AppointmentDetails(remind=NOW + HOUR / 2))
    )
    found = agenda.claim_reminders(NOW + 2 * HOUR)
    assert [each.at for each in found] == [NOW + HOUR / 2, NOW + 2 * HOUR]
    assert isinstance(found[0].item, Occurrence)
    assert isinstance(found[1].item, TodoItem)
    assert agenda.claim_reminders(NOW + 2 * HOUR) == agenda.claim_reminders(NOW) == ()


def test_r3_10_a_clock_that_was_years_ahead_does_not_silence_reminders(
    agenda: AgendaDatabase,
) -> None:
    agenda.change(c.AddTodo("x", c.TodoDetails(due=NOW + 3 * HOUR, remind=NOW + 2 * HOUR)))
    assert len(agenda.claim_reminders(NOW + 9999 * 24 * HOUR)) == 1
    assert agenda.claim_reminders(NOW + HOUR) == ()
    assert len(agenda.claim_reminders(NOW + 2 * HOUR)) == 1


def test_r3_10_a_month_away_brings_one_reminder_of_a_daily_appointment(
    agenda: AgendaDatabase,
) -> None:
    details = c.AppointmentDetails(interval=1440, remind=NOW + HOUR)
    agenda.change(c.AddAppointment(NOW + 2 * HOUR, "x", details))
    (found,) = agenda.claim_reminders(NOW + 30 * 24 * HOUR)
    assert found.at == NOW + 29 * 24 * HOUR + HOUR


def test_r3_10_a_change_reminds_of_nothing_in_the_past(
    agenda: AgendaDatabase, clock: FixedClock
) -> None:
    details = c.AppointmentDetails(interval=1440, remind=NOW + HOUR)
    agenda.change(c.AddAppointment(NOW + 2 * HOUR, "x", details))
    agenda.change(c.SetRepeat(1, is_on=False))
    assert len(agenda.claim_reminders(NOW + HOUR)) == 1
    clock.advance(9 * 24 * 3600)
    agenda.change(c.SetRepeat(1, is_on=True))
    assert agenda.claim_reminders(clock()) == ()
    clock.advance(24 * 3600)
    assert agenda.claim_reminders(clock())[0].at == NOW + 9 * 24 * HOUR + HOUR


def test_r3_10_a_change_forgets_no_reminder_that_waits(
    agenda: AgendaDatabase, clock: FixedClock
) -> None:
    agenda.change(c.AddTodo("x", c.TodoDetails(due=NOW + 3 * HOUR, remind=NOW + HOUR)))
    clock.advance(2 * 3600)
    agenda.change(c.AddTodo("y"))
    assert [each.at for each in agenda.claim_reminders(clock())] == [NOW + HOUR]
    clock.advance(-1800)  # the clock is corrected
    agenda.change(c.AddTodo("z"))
    assert agenda.claim_reminders(NOW + 2 * HOUR) == ()


def test_r3_10_appointments_keep_their_time_in_the_zone_of_the_user(file: Path) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    clock = FixedClock(datetime(2026, 3, 27, 9, tzinfo=UTC))
    agenda = AgendaDatabase(str(file), clock, berlin)
    start = datetime(2026, 3, 28, 9, tzinfo=berlin).astimezone(UTC)
    details = c.AppointmentDetails(interval=1440, remind=start)
    agenda.change(c.AddAppointment(start, "x", details))
    (found,) = agenda.claim_reminders(datetime(2026, 7, 1, 12, tzinfo=UTC))
    assert found.at == datetime(2026, 7, 1, 9, tzinfo=berlin)
    summer = datetime(2026, 7, 2, 9, tzinfo=berlin).astimezone(UTC)
    with pytest.raises(OutlastError, match=r"overlaps appointment 1 \(x\) at 2026-07-02 09:00"):
        agenda.change(c.AddAppointment(summer, "y"))


def test_r3_10_writers_wait_for_each_other(agenda: AgendaDatabase) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [*pool.map(lambda number: agenda.change(c.AddTodo(f"{number}")).id, range(40))]
    assert sorted(made) == [*range(1, 41)] == [*agenda.todos()]


def test_r3_10_a_file_of_a_newer_version_is_left_alone(agenda: AgendaDatabase, file: Path) -> None:
    agenda.change(c.AddTodo("x"))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    for use in uses(agenda):
        with pytest.raises(NewerFormat, match=r"newer version of Outlast \(schema 99\); update"):
            use()
    assert file.read_bytes() == before


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_r3_10_an_older_file_is_brought_up_to_date(
    agenda: AgendaDatabase, file: Path, version: int
) -> None:
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection, connection:
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {0x4F41474E}")
        connection.execute("INSERT INTO reminded VALUES ('2026-01-01T00:00:00Z')")
        connection.execute(
            "INSERT INTO todos (text, created_at, tag, priority)"
            " VALUES ('old', '2026-01-01T00:00:00Z', 'home', 3)"
        )
    assert agenda.todos() == {1: TodoItem(1, "old", datetime(2026, 1, 1, tzinfo=UTC), "home", 3)}
    assert agenda.change(c.AddTodo("new")).id == 2


def test_r3_10_what_is_no_database_is_kept_and_named(agenda: AgendaDatabase, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("not a database " * 100)
    before = file.read_bytes()
    for use in uses(agenda):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.text == "agenda_damaged"
        assert str(refused.value).startswith(f"{file}, which holds the todos")
    assert file.read_bytes() == before
    file.rename(file.with_suffix(".old"))  # as the error says
    assert agenda.change(c.AddTodo("x")).id == 1


def test_r3_10_a_damaged_database_is_kept_and_named(agenda: AgendaDatabase, file: Path) -> None:
    for number in range(20):
        agenda.change(c.AddTodo(f"{number} {'x' * 900}"), f"key {number}")
    whole = file.read_bytes()
    broken = whole[:4096] + b"\xff" * (len(whole) - 4096)
    file.write_bytes(broken)
    for use in uses(agenda):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.text == "agenda_damaged"
    assert file.read_bytes() == broken
    file.write_bytes(whole)  # a copy in its place, as the error says
    assert len(agenda.todos()) == 20


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE todos SET created_at = 'soon'",
        "UPDATE answers SET answer = '{'",
        "DELETE FROM reminded",
        "UPDATE todos SET due = '0001-01-01T00:00:00Z'",
        "UPDATE todos SET due = '9999-12-31T23:59:59Z'",
        "UPDATE appointments SET duration = 9223372036854775807",
        "UPDATE appointments SET duration = 0",
        "UPDATE appointments SET interval = -1, times = -1, recurs = 1",
    ],
)
def test_r3_10_a_value_that_cannot_be_is_damage(
    agenda: AgendaDatabase, file: Path, damage: str
) -> None:
    agenda.change(c.AddTodo("x"), "key")
    agenda.change(c.AddAppointment(NOW, "x"))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(damage)
    with pytest.raises(StoreError) as refused:
        (agenda.todos(), agenda.change(c.AddTodo("x"), "key"), agenda.claim_reminders(NOW))
    assert refused.value.text == "agenda_damaged"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE todos SET text = x'00'",
        "UPDATE todos SET priority = 'high'",
        "UPDATE appointments SET duration = 1.5",
        "UPDATE appointments SET interval = 9",
        "UPDATE appointments SET times = 2",
    ],
)
def test_r3_10_the_database_itself_refuses_values_of_a_wrong_type(
    agenda: AgendaDatabase, file: Path, damage: str
) -> None:
    agenda.change(c.AddTodo("x"))
    agenda.change(c.AddAppointment(NOW, "x"))
    with closing(sqlite3.connect(file)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(damage)


def test_r3_10_a_reminder_long_before_stays_so_when_its_appointment_moves(
    agenda: AgendaDatabase,
) -> None:
    start = datetime(2999, 12, 31, tzinfo=UTC)
    agenda.change(c.AddAppointment(start, "x", c.AppointmentDetails(remind=NOW + HOUR)))
    moved = agenda.change(c.UpdateAppointment(1, datetime(1970, 1, 1, tzinfo=UTC), "x"))
    assert agenda.appointments() == {1: moved}


@pytest.mark.parametrize(
    "row",
    [
        "1, 5, '2026-01-01T00:00:00Z', '', 0",
        "1, 'x', '2026-01-01T00:00:00Z', null, 0",
        "1, 'x', '2026-01-01T00:00:00Z', '', 'high'",
        "1, 'x', 7, '', 0",
        "'one', 'x', '2026-01-01T00:00:00Z', '', 0",
        "1, cast(x'ff' as text), '2026-01-01T00:00:00Z', '', 0",
    ],
)
def test_a10_a_table_without_our_checks_is_damage(
    agenda: AgendaDatabase, file: Path, row: str
) -> None:
    agenda.change(c.AddTodo("x"))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE todos")
        connection.execute(
            "CREATE TABLE todos (id, text, created_at, tag, priority, due, remind, done_at)"
        )
        connection.execute(f"INSERT INTO todos VALUES ({row}, null, null, null)")  # noqa: S608 - our own rows
    add, _, remind = uses(agenda)[2:]
    for use in (agenda.todos, add, remind, add):  # none keeps a lock
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.text == "agenda_damaged"


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE VIEW ids AS SELECT id FROM todos",
        "CREATE TRIGGER copy AFTER INSERT ON todos BEGIN DELETE FROM appointments; END",
    ],
)
def test_a10_a_database_that_runs_code_of_others_is_left_alone(
    agenda: AgendaDatabase, file: Path, schema: str
) -> None:
    agenda.change(c.AddTodo("x"))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(schema)
    for use in uses(agenda):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.text == "agenda_not_ours"


def test_r3_10_a_database_of_another_program_is_left_alone(
    agenda: AgendaDatabase, file: Path
) -> None:
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE todos (mine TEXT)")
    before = file.read_bytes()
    for use in uses(agenda):
        with pytest.raises(StoreError, match=r"another program; choose another assistant\.dir"):
            use()
    assert file.read_bytes() == before


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_a10_what_is_no_plain_file_is_left_alone(
    agenda: AgendaDatabase, file: Path, kind: str
) -> None:
    file.parent.mkdir()
    if kind == "link":
        file.symlink_to(file.parent / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    for use in uses(agenda):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.text == "no_plain_file"
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_r3_10_a_process_that_holds_the_file_is_waited_for_and_then_named(file: Path) -> None:
    agenda = AgendaDatabase(str(file), FixedClock(NOW), lock_seconds=0.05)
    agenda.change(c.AddTodo("x"))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LockTimeout, match=r"has been using .* for 0\.05 seconds"):
            agenda.change(c.AddTodo("y"))
    assert agenda.change(c.AddTodo("y")).id == 2


def test_f5_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    with mount_small_disk(tmp_path, 200) as disk:
        agenda = AgendaDatabase(str(disk / "agenda"), FixedClock(NOW))
        for number in range(5):
            agenda.change(c.AddTodo("x" * 1000), f"key {number}")
        filler = fill_disk(disk)
        for key in ("more", "more"):
            with pytest.raises(StoreError) as refused:
                agenda.change(c.AddTodo("y"), key)
            assert refused.value.text == "agenda_unusable"
        assert len(agenda.todos()) == 5
        filler.unlink()
        assert agenda.change(c.AddTodo("y"), "more").id == 6


def test_f5_a_read_only_file_can_be_read(agenda: AgendaDatabase, file: Path) -> None:
    agenda.change(c.AddTodo("x"))
    found = in_child(lambda: _use_read_only(file))
    file.parent.chmod(0o700)
    assert found == "1 agenda_unusable"


def _use_read_only(file: Path) -> str:
    file.chmod(0o444)
    file.parent.chmod(0o555)
    if os.getuid() == 0:
        for above in file.parents:
            if not above.stat().st_mode & 0o001:
                above.chmod(0o755)
        os.setuid(65534)
    agenda = AgendaDatabase(str(file), FixedClock(NOW))
    try:
        agenda.change(c.AddTodo("y"))
    except StoreError as error:
        return f"{len(agenda.todos())} {error.text}"
    return "changed"


def uses(agenda: AgendaDatabase) -> list[Callable[[], object]]:
    """Return everything that an agenda is used for."""
    return [
        agenda.todos,
        agenda.appointments,
        lambda: agenda.change(c.AddTodo("x")),
        lambda: agenda.has_changed("x"),
        lambda: agenda.claim_reminders(NOW + 99 * HOUR),
    ]


# Other processes


def in_child(work: Callable[[], object]) -> str:
    """Do something in a process of its own; return what it says, empty if it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, str(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        return answer.read()


def test_r3_10_processes_take_turns_and_share_the_reminders(
    agenda: AgendaDatabase, file: Path, tmp_path: Path
) -> None:
    for number in range(12):
        remind = NOW + (number + 1) * HOUR
        agenda.change(c.AddTodo(f"{number}", c.TodoDetails(due=remind, remind=remind)))
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    workers = [
        subprocess.Popen([sys.executable, script, file, name], stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
        for name in "abc"
    ]
    shown = [word for worker in workers for word in worker.communicate()[0].split()]
    assert sorted(shown, key=int) == [f"{number}" for number in range(12)], "each is shown once"
    made = sorted(todo.text for todo in agenda.todos().values() if not todo.remind)
    assert made == sorted(f"{name}{number}" for name in "abc" for number in range(12))


WORKER = """
import sys
from datetime import UTC, datetime, timedelta
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.agenda import commands as c

now = datetime(2026, 11, 16, 9, tzinfo=UTC)
agenda = AgendaDatabase(sys.argv[1], lambda: now)
for number in range(12):
    agenda.change(c.AddTodo(f"{sys.argv[2]}{number}"))
    now = datetime(2026, 11, 16, 10, tzinfo=UTC) + timedelta(hours=number)
    for reminder in agenda.claim_reminders(now):
        print(reminder.item.text)
"""

ADD = c.AddTodo("new", c.TodoDetails(due=NOW + HOUR, remind=NOW + HOUR))


@pytest.mark.parametrize(
    ("command", "is_new"),
    [
        (ADD, True),
        (ADD, False),
        (c.UpdateTodo(1, "changed"), False),
        (c.DeleteTodo(1), False),
        (c.AddAppointment(NOW + 9 * HOUR, "new"), False),
    ],
)
@pytest.mark.parametrize("place", ["statement", pytest.param("byte", marks=pytest.mark.slow)])
def test_f4_a_process_killed_anywhere_loses_and_doubles_nothing(
    file: Path, command: c.AgendaCommand, place: str, *, is_new: bool
) -> None:
    die = {"statement": die_at_statement, "byte": die_at_byte}[place]
    killed, ended = 0, ""
    while not ended:
        agenda = AgendaDatabase(str(file.parent / f"{killed}"), FixedClock(NOW))
        if not is_new:
            agenda.change(c.AddTodo("first"), "first")
        before = (agenda.todos(), agenda.appointments())
        ended = in_child(lambda: (die(killed), agenda.change(command, "key")))  # noqa: B023 - used at once
        after = (agenda.todos(), agenda.appointments())
        assert agenda.has_changed("key") == (after != before), "the change and its key are one"
        changed = agenda.change(command, "key")
        repeated = (agenda.todos(), agenda.appointments())
        assert after in (before, repeated)
        assert agenda.change(command, "key") == changed
        assert (agenda.todos(), agenda.appointments()) == repeated
        killed += 1
    assert killed > 5, "all but the last one died"


def die_at_statement(left: int) -> None:
    """Let the process die before the statement after so many."""

    def count(_frame: object, event: str, function: object) -> None:
        nonlocal left
        if event == "c_call" and getattr(function, "__name__", "") == "execute":
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def die_at_byte(number: int) -> None:
    """Let the process die when a file, such as the journal of SQLite, grows beyond a size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    size = number * 1_500
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_r3_10_an_empty_file_is_a_new_database(agenda: AgendaDatabase, file: Path) -> None:
    file.parent.mkdir()
    os.close(os.open(file, os.O_CREAT))
    assert agenda.todos() == {}
    assert agenda.change(c.AddTodo("x")).id == 1


COMMANDS = st.one_of(
    st.builds(c.AddTodo, st.sampled_from("ab")),
    st.builds(c.UpdateTodo, st.integers(1, 4), st.sampled_from("cd")),
    st.builds(c.CompleteTodo, st.integers(1, 4)),
    st.builds(c.DeleteTodo, st.integers(1, 4)),
    st.builds(
        c.AddAppointment,
        st.integers(0, 5).map(lambda hours: NOW + hours * HOUR),
        st.sampled_from("ab"),
        st.builds(c.AppointmentDetails, interval=st.sampled_from([60, 1440])),
    ),
    st.builds(c.DeleteAppointment, st.integers(1, 4)),
    st.builds(c.SetRepeat, st.integers(1, 4), st.booleans()),
)


@settings(max_examples=15)
@given(commands=st.lists(COMMANDS, max_size=8))
def test_r3_10_the_database_does_what_the_rules_say(
    commands: list[c.AgendaCommand], tmp_path_factory: pytest.TempPathFactory
) -> None:
    agenda = AgendaDatabase(str(tmp_path_factory.mktemp("agenda") / "x"), FixedClock(NOW))
    todos: dict[int, TodoItem] = {}
    appointments: dict[int, Appointment] = {}
    last = [0, 0]
    for command in commands:
        is_todo = isinstance(command, c.AddTodo | c.UpdateTodo | c.CompleteTodo | c.DeleteTodo)
        try:
            if isinstance(command, c.AddTodo | c.UpdateTodo | c.CompleteTodo | c.DeleteTodo):
                todo = c.decide_todo(command, todos, last[0] + 1, NOW)
                todos[todo.id] = todo
                last[0] = max(last[0], todo.id)
                if isinstance(command, c.DeleteTodo):
                    del todos[todo.id]
            else:
                found = c.decide_appointment(command, appointments, last[1] + 1, NOW, UTC)
                appointments[found.id] = found
                last[1] = max(last[1], found.id)
                if isinstance(command, c.DeleteAppointment):
                    del appointments[found.id]
        except OutlastError as error:
            with pytest.raises(type(error)):
                agenda.change(command)
        else:
            assert agenda.change(command) == (todo if is_todo else found)
        assert agenda.todos() == todos
        assert agenda.appointments() == appointments
