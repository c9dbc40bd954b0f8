"""The full program behind `hook.sh`: how it is started, and what it leaves alone."""

import fcntl
import json
import os
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

import outlast
from outlast.hosts.hook import main as main_module
from outlast.hosts.wire.events import HOST_NAMES, HostName, Moment
from tests.hosts.coding_agent import CodingAgent, checked, make_plan

MAIN = str(Path(main_module.__file__))
PACKAGE = Path(outlast.__file__).parent


class Program:
    """Starts the program as `hook.sh` does."""

    def __init__(self, state: Path, python: str = sys.executable, main: str = MAIN) -> None:
        self.command = [python, "-I", "-S", main]
        self.environment = {**os.environ, "XDG_STATE_HOME": str(state)}
        self.directory = "/"
        self.errors = b""

    def __call__(self, host: HostName, moment: Moment, payload: bytes, kind: str = "") -> str:
        del kind
        done = subprocess.run(  # noqa: S603 - our own program
            [*self.command, moment, host],
            input=payload,
            capture_output=True,
            env=self.environment,
            cwd=self.directory,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done
        self.errors = done.stderr
        return done.stdout.decode()


@pytest.fixture
def program(state: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program in the environment of the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    return Program(state)


def log_of(state: Path) -> str:
    file = state / "outlast" / "hooks.log"
    return file.read_text() if file.exists() else ""


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["editable", "installed", "apart"])
def test_a10_it_finds_its_packages_wherever_they_are(
    tmp_path: Path, home: Path, state: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    environment = tmp_path / "environment of 'María'"
    venv.create(environment, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    import msgspec  # noqa: PLC0415 - its place

    packages = Path(msgspec.__file__).parent
    match layout:
        case "editable":  # a path in a file, which only `site` reads
            (site / "msgspec").symlink_to(packages)
            main = MAIN
        case "installed":
            (site / "msgspec").symlink_to(packages)
            (site / "outlast").symlink_to(PACKAGE)
            main = str(site / "outlast/hosts/hook/main.py")
        case _:
            elsewhere = tmp_path / "elsewhere"
            elsewhere.mkdir()
            (elsewhere / "msgspec").symlink_to(packages)
            (site / "more.pth").write_text(f"{elsewhere}\n")
            main = MAIN
    make_plan(home, "one")
    program = Program(state, str(environment / "bin" / "python"), main)
    said = CodingAgent(home, hook=program).start()
    assert said.user.startswith("1 unfinished plan here")
    assert program.errors == b""


def test_a10_nothing_of_the_project_is_imported(
    home: Path, program: Program, tmp_path: Path
) -> None:
    make_plan(home, checked("one"))
    ran = tmp_path / "ran"
    names = ("json", "re", "outlast", "msgspec", "site", "sitecustomize", "usercustomize", "os")
    for name in names:
        (home / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r})\n")
    (home / "msgspec").mkdir()
    (home / "msgspec" / "__init__.py").write_text(f"open({str(ran)!r}, 'a')\n")
    program.directory = str(home)
    program.environment |= {"PYTHONPATH": str(home), "PYTHONSTARTUP": str(home / "os.py")}
    agent = CodingAgent(home, hook=program)
    assert agent.types("/outlast resume").model
    agent.edits()
    assert agent.stops("The task is done.").reason
    assert not ran.exists()


def test_f3_hooks_of_a_session_go_on_while_its_checks_run(home: Path, program: Program) -> None:
    """A check at a stop runs until it sees what a prompt and a tool call have left meanwhile."""
    wait = "touch .outlast/begun; until test -e .outlast/heard; do sleep 0.05; done; test -e done"
    make_plan(home, checked("one", f"test -e work.py || exit 1; {wait}"), "two")
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    agent.edits()
    with ThreadPoolExecutor() as pool:
        stopped = pool.submit(agent.stops, "I stop here.")
        while not (home / ".outlast" / "begun").exists():
            assert not stopped.done()
            sleep(0.02)
        agent.types("leave the tests as they are")
        assert not stopped.done()
        agent.fails("no such file")
        (home / ".outlast" / "heard").touch()
        assert "Task 1 is not done" in stopped.result().reason
    with agent.plan() as plan:
        words = [
            said.text for said in plan.core.read(lambda state: state.ledger.conversation.messages)
        ]
    assert words == ["leave the tests as they are"]
    record = agent.record
    assert record is not None
    assert (record.blocked_stops, len(record.held)) == (1, 1)
    assert [*record.failures.values()] == [1], "what the other hook has counted"


def test_f3_a_list_whose_checks_run_is_not_taken_in_twice(home: Path, program: Program) -> None:
    """A check runs for a list until it sees what a prompt has left meanwhile."""
    wait = "echo >>.outlast/begun; until test -e .outlast/heard; do sleep 0.05; done; false"
    make_plan(home, checked("one", f"test -e work.py || exit 1; {wait}"), "two")
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    agent.edits()
    with ThreadPoolExecutor() as pool:
        todos = [{"content": "one", "status": "completed"}]
        listed = pool.submit(agent.lists, "TodoWrite", todos=todos)
        while not (home / ".outlast" / "begun").exists():
            assert not listed.done()
            sleep(0.02)
        typed = pool.submit(agent.types, "leave the tests as they are")
        for _ in range(100):
            if typed.done():
                break
            sleep(0.1)
        is_answered = typed.done()
        (home / ".outlast" / "heard").touch()
        assert "Task 1 is not done" in listed.result().model
        typed.result()
    assert is_answered
    assert len((home / ".outlast" / "begun").read_text().splitlines()) == 1


def test_f3_a_session_that_is_detached_while_its_checks_run_stays_detached(
    home: Path, program: Program
) -> None:
    wait = "touch .outlast/begun; until test -e .outlast/gone; do sleep 0.05; done; false"
    make_plan(home, checked("one", f"test -e work.py || exit 1; {wait}"))
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    agent.edits()
    with ThreadPoolExecutor() as pool:
        stopped = pool.submit(agent.stops, "I stop here.")
        while not (home / ".outlast" / "begun").exists():
            assert not stopped.done()
            sleep(0.02)
        assert "add-oauth" in agent.types("/outlast off").reason
        (home / ".outlast" / "gone").touch()
        stopped.result()
    assert agent.record is None


def test_r4_08_real_hooks_hold_a_stop_once_for_each_content(home: Path, program: Program) -> None:
    make_plan(home, checked("one", "echo . >> .outlast/runs; test -e done"), "two")
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    assert not agent.stops("I have read the sources.")
    agent.edits()
    assert "Task 1 is not done" in agent.stops("Login can be used now.").reason
    assert not agent.stops("登录功能可以用了。", blocked=True)
    assert (home / ".outlast" / "runs").read_text() == ".\n.\n"
    (home / "done").touch()
    assert not agent.stops("All is done.", blocked=True)
    with agent.plan() as plan:
        assert plan.task(1).how == "proved"


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_the_exit_code_is_always_0_and_the_output_an_answer(
    home: Path, state: Path, program: Program, host: HostName
) -> None:
    del home
    for payload in (b"", b"{", b"\xff", b"[" * 100_000, b'{"session_id":"' + b"x" * 200 + b'"}'):
        assert program(host, "prompt", payload) == ""
    for words in ([], ["prompt"], ["no-such-event", host], ["prompt", "no-such-agent"]):
        program_words = [*program.command, *words]
        done = subprocess.run(  # noqa: S603 - our own program
            program_words, input=b"{}", capture_output=True, env=program.environment, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    log = log_of(state)
    assert "got no event" in log
    assert "no-such-event" in log
    assert (state / "outlast" / "hooks.log").stat().st_mode & 0o777 == 0o600


def test_r4_04_closed_files_are_no_failure(program: Program) -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        command = f'exec "$@" prompt claude-code {closed}'
        done = subprocess.run(  # noqa: S603 - our own program
            ["/bin/sh", "-c", command, "sh", *program.command],
            input=b"{}",
            capture_output=True,
            env=program.environment,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, b"")


def test_r4_04_the_log_stays_small(state: Path, program: Program) -> None:
    (state / "outlast").mkdir(mode=0o700)
    (state / "outlast" / "hooks.log").write_text("x" * (2 << 20))
    program("claude-code", "prompt", b"{")
    assert len(log_of(state)) < 1_000


def test_r4_04_what_a_hook_prints_is_no_part_of_the_answer(
    home: Path, program: Program, tmp_path: Path
) -> None:
    config, own = tmp_path / "config" / "outlast", tmp_path / "own"
    config.mkdir(parents=True)
    own.mkdir()
    (own / "noisy.py").write_text(
        "import os, sys\n"
        "from outlast.hooks import HookResult\n"
        "def hook(context, plan):\n"
        "    print('x' * 100_000)\n"
        "    os.system('echo from a program')\n"
        "    if context.point == 'on_stop': sys.exit(3)\n"
        "    return HookResult()\n"
    )
    (config / "config.toml").write_text('[hooks]\npython = ["noisy:hook"]\n')
    site = next(Path(sys.executable).parent.parent.glob("lib/python*/site-packages"))
    main = tmp_path / "main.py"
    root = str(PACKAGE.parent)
    main.write_text(
        f"import sys\nsys.path[:0] = [{root!r}, {str(own)!r}, {str(site)!r}]\n"
        "from outlast.hosts.hook.answer import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    program.command[-1] = str(main)
    program.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    make_plan(home, "one")
    agent = CodingAgent(home, hook=program)
    assert agent.types("/outlast resume").model
    for said in (agent.start(), agent.before(), agent.stops("I stop.")):
        assert "xxx" not in said.printed


def test_f5_failures_are_reported_once_and_logged(
    home: Path, state: Path, program: Program
) -> None:
    make_plan(home, "one", "two")
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    journal = home / ".outlast" / "plans" / "add-oauth" / "journal.jsonl"
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) // 3] + b"\0garbage\0" + data[len(data) // 3 :])
    for path in journal.parent.glob("snapshot*"):
        path.unlink()
    told = [agent.start(), agent.types("hello"), agent.before(), agent.stops("Done.")]
    assert sum("could not follow" in said.user for said in told) <= 1
    journal.unlink()
    journal.mkdir()
    told = [agent.start(), agent.types("hello"), agent.before(), agent.stops("Done.")]
    assert sum("could not follow" in said.user for said in told) == 1
    assert "the hook" in log_of(state)
    assert program.errors == b""


def test_f3_a_lock_that_is_held_ends_the_wait_soon(
    home: Path, state: Path, program: Program
) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    lock = state / "outlast" / "hosts" / "claude-code" / "s1" / "lock"
    agent.start()
    with lock.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        told = agent.types("hello")
    assert "your words are kept" in told.user
    assert not agent.types("hello again").user
    assert "hello" in agent.start("compact").model


def test_f3_eight_hooks_at_once_leave_a_whole_session(
    home: Path, state: Path, program: Program
) -> None:
    make_plan(home, *(f"step {number}" for number in range(10)))
    agent = CodingAgent(home, hook=program)
    agent.types("/outlast resume")
    with agent.plan() as plan:
        plan.complete(1)

    def send(number: int) -> str:
        match number % 4:
            case 0:
                return agent.before().printed
            case 1:
                return agent.types(f"word {number}").printed
            case 2:
                return agent.fails("no", command="x").printed
            case _:
                todos = [{"content": f"new {number}", "status": "pending"}]
                return agent.lists("TodoWrite", todos=todos).printed

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(send, range(8)))
    assert sum("step 1" in printed and "current-task" in printed for printed in told) <= 1
    assert "could not follow" not in "".join(told)
    with agent.plan() as plan:
        names = [task.name for task in plan.tasks()]
        assert names.count("new 3") == names.count("new 7") == 1
        assert plan.notes.errors()[0].count == 2
    said = agent.start("compact").model
    assert "word 1" in said
    assert "word 5" in said
    assert json.loads((state / "outlast/hosts/claude-code/s1/session.json").read_text())
