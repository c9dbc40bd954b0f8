"""R1.11: the agent `codex`, with a program that prints what Codex prints."""

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.work import WorkOrder, WorkProgress, WorkResult
from outlast.errors import AgentUnavailable
from outlast.orchestrator.agents.codex import CodexAgent, CodexHome
from tests.orchestrator.agents.programs import call, fake_program, option, prompt

UUID = "01a1e494-5aec-7a00-b698-9c0e466778f3"
REPORT = {"status": "SUCCESS", "results": "built", "pitfalls": "", "next_steps": "rest"}
COMMAND = {"id": "item_2", "type": "command_execution", "command": "/bin/bash -lc 'make'"}
BEGUN = {"type": "thread.started", "thread_id": UUID}
ENDED = {
    "type": "turn.completed",
    "usage": {
        "input_tokens": 100,
        "cached_input_tokens": 90,
        "output_tokens": 20,
        "reasoning_output_tokens": 5,
    },
}


def message(words: object) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": words}}


def command(event: str, status: str) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {**COMMAND, "status": status}}


REPORTED = message(json.dumps(REPORT))
DONE = [BEGUN, {"type": "turn.started"}, REPORTED, ENDED]
ORDER = WorkOrder("task-1", 1, "walls", timeout=30)


def work(
    tmp_path: Path, lines: list[Any], order: WorkOrder = ORDER, code: int = 0, then: str = ""
) -> tuple[WorkResult, str]:
    program, said = fake_program(tmp_path / "codex", lines, code, then), list[str]()
    agent = CodexAgent(str(tmp_path), program=program, model="m-1")
    return asyncio.run(agent.work(order, WorkProgress(said.append))), "".join(said)


def test_r1_11_a_report_comes_with_session_tokens_and_what_was_said(tmp_path: Path) -> None:
    run = [command("started", "in_progress"), command("completed", "completed")]
    result, said = work(tmp_path, [BEGUN, message("I build."), *run, REPORTED, ENDED])
    assert result.report is not None
    assert (result.report.status, result.report.results) == ("SUCCESS", "built")
    assert (result.session, result.report.session_id) == (UUID, UUID)
    assert result.spent.tokens == 120, "cached and reasoning tokens are parts of the others"
    assert said == "I build.\n▸ /bin/bash -lc 'make'\n", "and not the report"
    assert (result.exit_code, result.error, result.denied) == (0, "", ())


def test_r1_11_codex_is_called_without_a_terminal_and_with_the_schema(tmp_path: Path) -> None:
    keep = "import shutil; shutil.copy(sys.argv[sys.argv.index('--output-schema') + 1], 'schema')"
    work(tmp_path, DONE, then=keep)
    arguments, _ = call(tmp_path)
    assert arguments[:3] == ["exec", "--json", "--skip-git-repo-check"]
    assert option(arguments, "--model") == "m-1"
    assert set(json.loads((tmp_path / "schema").read_text())["required"]) == set(REPORT)
    assert not Path(option(arguments, "--output-schema")).exists(), "nothing is left behind"
    assert arguments[-1] == "-"
    assert "walls" in prompt(tmp_path)


def test_r1_11_a_retry_resumes_the_session(tmp_path: Path) -> None:
    work(tmp_path, DONE)
    new, _ = call(tmp_path)
    work(tmp_path, DONE, WorkOrder("task-2", 1, "walls", session=UUID, timeout=30))
    again, _ = call(tmp_path)
    assert "resume" not in new
    assert again[-4:] == ["resume", "--", UUID, "-"]


def test_r1_06_an_order_for_an_unknown_session_begins_a_new_one(tmp_path: Path) -> None:
    said = list[str]()
    fake_program(
        tmp_path / "codex",
        [],
        then="if 'resume' in sys.argv: sys.exit('Error: no rollout found for thread id gone')\n"
        f"for line in {DONE!r}: print(json.dumps(line))",
    )
    agent = CodexAgent(str(tmp_path), program=str(tmp_path / "codex"))
    order = WorkOrder("task-2", 1, "walls", session="gone", timeout=30)
    result = asyncio.run(agent.work(order, WorkProgress(said.append)))
    assert result.report is not None
    assert result.session == UUID
    assert said == ["codex does not know session gone any more; a new one begins\n"]


def entry(kind: str, **payload: Any) -> str:
    return json.dumps({"type": kind, "payload": payload})


def ran(call_id: str, command: str, output: str) -> list[str]:
    arguments = json.dumps({"cmd": command})
    about = {"call_id": call_id}
    return [
        entry("response_item", type="function_call", arguments=arguments, **about),
        entry("response_item", type="function_call_output", output=output, **about),
    ]


USED = entry("token_usage_record", usage={"input_tokens": 50, "output_tokens": 10})
RECORD = [
    "garbage",
    "[1]",
    USED,
    *ran("c-1", "rm house", "Process exited with code 1\nrm: house: Read-only file system"),
    *ran("c-2", "cat house", "Process exited with code 0\nRead-only file system"),
    *ran("c-3", "make", "Process exited with code 2\nno rule"),
    entry("response_item", type="function_call", arguments="{", call_id="c-4"),
]


def recorded(
    tmp_path: Path, record: list[str], order: WorkOrder = ORDER, then: str = ""
) -> WorkResult:
    """Let a program work that records its session as Codex does."""
    place = tmp_path / "home" / "sessions" / "2026" / "11" / "16"
    place.mkdir(parents=True, exist_ok=True)
    path, lines = place / f"rollout-2026-{UUID}.jsonl", "".join(f"{line}\n" for line in record)
    write = f"open({str(path)!r}, 'a').write({lines!r}); {then}"
    program = fake_program(tmp_path / "codex", DONE[:-1], then=write)
    agent = CodexAgent(str(tmp_path), program=program, home=CodexHome(str(tmp_path / "home")))
    return asyncio.run(agent.work(order, WorkProgress()))


def test_r1_06_what_the_sandbox_refused_is_told(tmp_path: Path) -> None:
    assert recorded(tmp_path, RECORD).denied == ("rm house",)
    free = WorkOrder("task-2", 1, "walls", permissions="full", timeout=30)
    assert recorded(tmp_path, RECORD, free).denied == (), "there is no sandbox"


def test_x7_the_tokens_of_a_session_are_counted_once_and_also_after_a_timeout(
    tmp_path: Path,
) -> None:
    assert recorded(tmp_path, [USED]).spent.tokens == 60
    again = WorkOrder("task-2", 1, "walls", session=UUID, timeout=1)
    result = recorded(tmp_path, [USED, USED], again, "time.sleep(60)")
    assert (result.code, result.session, result.spent.tokens) == ("TIMED_OUT", UUID, 120)


def test_f10_a_record_that_is_no_file_tells_nothing(tmp_path: Path) -> None:
    place = tmp_path / "home" / "sessions" / "2026" / "11" / "16"
    place.mkdir(parents=True)
    (place / f"rollout-2026-{UUID}.jsonl").symlink_to("/etc/passwd")
    program = fake_program(tmp_path / "codex", DONE)
    agent = CodexAgent(str(tmp_path), program=program, home=CodexHome(str(tmp_path / "home")))
    result = asyncio.run(agent.work(ORDER, WorkProgress()))
    assert (result.spent.tokens, result.denied) == (120, ())


@pytest.mark.parametrize(
    ("permissions", "sandbox"),
    [("read", "read-only"), ("edit", "workspace-write"), ("full", "danger-full-access")],
)
def test_r1_11_permissions_are_mapped(tmp_path: Path, permissions: Any, sandbox: str) -> None:
    work(tmp_path, DONE, WorkOrder("task-1", 1, "a", permissions=permissions, timeout=30))
    assert option(call(tmp_path)[0], "--sandbox") == sandbox


def test_r1_11_a_home_of_its_own_is_written_anew_for_each_run(tmp_path: Path) -> None:
    home = CodexHome(str(tmp_path / "home"), 'http://127.0.0.1:1/"v1"', "OWN_KEY")
    trust = "open(os.environ['CODEX_HOME'] + '/config.toml', 'a').write('[projects.x]')"
    program = fake_program(tmp_path / "codex", DONE, then=trust)
    agent = CodexAgent(str(tmp_path), program=program, home=home)
    asyncio.run(agent.work(ORDER, WorkProgress()))
    fake_program(tmp_path / "codex", DONE)
    asyncio.run(agent.work(ORDER, WorkProgress()))
    settings = tomllib.loads((tmp_path / "home" / "config.toml").read_text())
    assert "projects" not in settings
    own = settings["model_providers"][settings["model_provider"]]
    assert (own["base_url"], own["env_key"]) == ('http://127.0.0.1:1/"v1"', "OWN_KEY")
    assert own["wire_api"] == "responses"
    assert settings["approval_policy"] == "never"
    assert (tmp_path / "home").stat().st_mode & 0o77 == 0


def test_r1_11_a_home_needs_no_server_of_its_own(tmp_path: Path) -> None:
    CodexHome(str(tmp_path / "home")).write()
    settings = tomllib.loads((tmp_path / "home" / "config.toml").read_text())
    assert "model_provider" not in settings
    assert settings["approval_policy"] == "never"


def test_r1_11_a_home_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    agent = CodexAgent(
        str(tmp_path),
        program=fake_program(tmp_path / "codex", DONE),
        home=CodexHome(str(tmp_path / "home")),
    )
    result = asyncio.run(agent.work(ORDER, WorkProgress()))
    assert result.report is None
    assert "exists" in result.error


def test_a10_a_project_is_not_trusted_but_its_guidelines_are_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("tabs")
    inner = tmp_path / 'in"ner'
    inner.mkdir()
    program = fake_program(tmp_path / "codex", DONE)
    asyncio.run(CodexAgent(str(inner), program=program).work(ORDER, WorkProgress()))
    projects = tomllib.loads(option(call(tmp_path)[0], "--config"))["projects"]
    assert {str(inner), str(tmp_path)} <= set(projects)
    assert all(project == {"trust_level": "untrusted"} for project in projects.values())
    assert "AGENTS.md" not in prompt(tmp_path), "there are none in the directory"
    work(tmp_path, DONE, WorkOrder("task-2", 1, "a", permissions="full", timeout=30))
    assert "--config" not in call(tmp_path)[0]
    assert "AGENTS.md" in prompt(tmp_path)


def test_a17_the_agent_gets_its_own_key_and_no_other_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OWN_KEY", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "c4n4ry7Q9xZ2")
    work(tmp_path, DONE)
    _, environment = call(tmp_path)
    assert environment["OPENAI_API_KEY"] == "c4n4ry7Q9xZ2"
    assert {"GITHUB_TOKEN", "OWN_KEY"}.isdisjoint(environment)
    home = CodexHome(str(tmp_path / "home"), "http://127.0.0.1:1", "OWN_KEY")
    agent = CodexAgent(str(tmp_path), program=str(tmp_path / "codex"), home=home)
    asyncio.run(agent.work(ORDER, WorkProgress()))
    _, environment = call(tmp_path)
    assert environment["OWN_KEY"] == "c4n4ry7Q9xZ2"
    assert environment["CODEX_HOME"] == str(tmp_path / "home")


def test_r1_06_what_the_agent_was_denied_is_told(tmp_path: Path) -> None:
    result, _ = work(tmp_path, [BEGUN, command("completed", "declined"), REPORTED, ENDED])
    assert result.denied == ("/bin/bash -lc 'make'",)


def test_f13_a_failed_turn_says_why(tmp_path: Path) -> None:
    failed = {"type": "turn.failed", "error": {"message": "stream disconnected"}}
    tried = {"type": "error", "message": "Reconnecting... 1/5"}
    result, _ = work(tmp_path, [BEGUN, REPORTED, tried, failed], code=1)
    assert (result.report, result.session) == (None, UUID)
    assert result.error.endswith("stream disconnected")


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["not json", "{", "[1]"],
        [BEGUN, REPORTED],
        [BEGUN, message("done"), ENDED],
        [BEGUN, message(7), ENDED],
        [BEGUN, message('{"status": "MAYBE"}'), ENDED],
        [{"type": "thread.started", "thread_id": "--last"}, {**ENDED, "usage": 3}],
        [{"type": "item.completed", "item": 5}, {"type": 7}, {"type": "turn.failed", "error": 1}],
        [{"type": "item.completed", "item": {"type": "reasoning"}}],
    ],
)
def test_f13_garbage_is_an_error_and_never_a_report(tmp_path: Path, lines: list[Any]) -> None:
    result, _ = work(tmp_path, lines, code=1)
    assert result.report is None
    assert result.session in {"", UUID}
    assert "exit code 1" in result.error


def test_f12_an_agent_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    order = WorkOrder("task-1", 1, "a", timeout=0.5)
    result, _ = work(tmp_path, [BEGUN], order, then="time.sleep(60)")
    assert (result.report, result.code) == (None, "TIMED_OUT")


def test_x3_an_interrupted_order_is_settled_by_its_session(tmp_path: Path) -> None:
    agent = CodexAgent(str(tmp_path), program=fake_program(tmp_path / "codex", DONE))
    result = asyncio.run(agent.settle("task-1", UUID))
    assert result is not None
    assert result.report is not None
    arguments, _ = call(tmp_path)
    assert arguments[-4:-1] == ["resume", "--", UUID]
    assert option(arguments, "--sandbox") == "read-only", "it changes nothing"


@pytest.mark.parametrize("session", ["", UUID])
def test_x3_without_the_session_nobody_knows(tmp_path: Path, session: str) -> None:
    program = fake_program(tmp_path / "codex", ["Error: no rollout found"], code=1)
    agent = CodexAgent(str(tmp_path), program=program)
    assert asyncio.run(agent.settle("task-1", session)) is None
    assert (tmp_path / "call.json").exists() == bool(session), "without one nothing is started"


def test_r1_11_an_agent_that_is_not_installed_is_named(tmp_path: Path) -> None:
    agent = CodexAgent(str(tmp_path), program="no-such-codex")
    with pytest.raises(AgentUnavailable, match="no-such-codex is not installed"):
        asyncio.run(agent.work(WorkOrder("task-1", 1, "a"), WorkProgress()))
