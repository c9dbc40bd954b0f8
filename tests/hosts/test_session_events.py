"""What an attached session is told and what it changes, event by event."""

import shutil
from pathlib import Path

import pytest

from outlast import open_plan
from outlast.hosts.sessions import has_session, session_files
from outlast.hosts.wire.events import HOST_NAMES, HostName, Moment
from outlast.plan.archive import drop_plan
from outlast.plan.home.find import forget_gone_plans
from tests.cli import forks
from tests.cli.processes import environment
from tests.hosts.coding_agent import LONGEST, CodingAgent, checked, make_plan

REMINDER = "If task 1 is done, report it"


@pytest.fixture
def agent(home: Path) -> CodingAgent:
    """A session on a plan of three tasks."""
    make_plan(home, "first step", "second step", "third step")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    return agent


# R4.05: the step, once for each change


def test_r4_05_a_step_is_told_once_after_it_changed(agent: CodingAgent) -> None:
    assert not agent.before()  # the prompt has shown it
    with agent.plan() as plan:
        plan.complete(1)
    assert "second step" in agent.before().model
    assert not agent.before()
    assert "1/3 steps done" in agent.types("go on with it").model  # the whole block, once
    assert not agent.types("go on, please")
    with agent.plan() as plan:
        plan.complete(2)
    assert "third step" in agent.types("and now?").model
    assert not agent.before()


def test_r4_05_only_a_new_plan_block_is_shown_with_a_prompt(agent: CodingAgent) -> None:
    assert not agent.types("please use tabs")
    with agent.plan() as plan:
        plan.add("fourth step")
    assert "fourth step" in agent.types("what now?").model
    assert not agent.types("and now?")


def test_r4_05_gemini_is_told_the_step_after_a_tool(home: Path) -> None:
    make_plan(home, "first step", "second step")
    agent = CodingAgent(home, "gemini")
    agent.types("/outlast resume")
    with agent.plan() as plan:
        plan.complete(1)
    assert not agent.before("run_shell_command")
    assert "second step" in agent.after("run_shell_command").model
    assert not agent.after("run_shell_command")


def test_r4_05_a_subagent_is_told_nothing_and_takes_nothing(agent: CodingAgent) -> None:
    with agent.plan() as plan:
        plan.complete(1)
    inner = {"agent_id": "a1", "tool_name": "Bash", "tool_input": {}}
    assert not agent.send("pre-tool", **inner)
    assert not agent.send("post-tool", **inner)
    assert not agent.send("subagent-stop", last_assistant_message="All tasks are done.")
    assert "second step" in agent.before().model


def test_r4_04_what_a_person_says_reaches_the_agent_once(agent: CodingAgent) -> None:
    with agent.plan() as plan:
        plan.questions.say("use the staging server")
    assert "The user says: use the staging server" in agent.before().model
    assert not agent.before()
    with agent.plan() as plan:
        plan.questions.say("and be quick")
    assert "and be quick" in agent.send("batch").model
    with agent.plan() as plan:
        plan.questions.say("in Chinese")
    assert "in Chinese" in agent.types("hello there").model


def test_r4_04_many_messages_come_in_parts(agent: CodingAgent) -> None:
    with agent.plan() as plan:
        for number in range(6):
            plan.questions.say(f"{number} " + "x" * 1_900)
    told = "".join(agent.before().model for _ in range(8))
    assert [told.count(f"says: {number} ") for number in range(6)] == [1] * 6


# What the user types


def test_r0_14_the_brief_after_a_compaction_has_the_goal_and_what_the_user_said(home: Path) -> None:
    make_plan(home, "one", goal="Add OAuth with every provider, and keep the old logins alive")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    agent.types("Never touch the billing tables, please.")
    with agent.plan("claude-code") as plan:
        plan.notes.add_finding("issue", "A secret title", "found by a tool")
        plan.notes.add_error("bash", "an error text", {})
    told = agent.send("pre-compact", trigger="auto").model
    assert "add-oauth" in told
    said = agent.start("compact")
    assert "Add OAuth with every provider, and keep the old logins alive" in said.model
    assert "Never touch the billing tables, please." in said.model
    assert "A secret title" not in said.model
    assert "an error text" not in said.model
    assert "outlast context findings" in said.model
    assert "one" in said.model


def test_m8_continue_resumes_a_paused_plan(agent: CodingAgent) -> None:
    with agent.plan() as plan:
        plan.pause()
    agent.types("what is this?")
    with agent.plan() as plan:
        assert plan.status == "paused"
    agent.types("continue")
    with agent.plan() as plan:
        assert plan.status == "running"


def test_m8_not_done_yet_reopens_the_last_task(home: Path) -> None:
    make_plan(home, "one", "two")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    agent.types("/outlast done")
    agent.types("not done yet")
    with agent.plan() as plan:
        assert plan.task(1).status != "completed"


def said_in(agent: CodingAgent) -> str:
    said: str = agent.compacts().model
    return said.partition("What people have said")[2]


def test_r4_04_commands_of_others_are_not_words(agent: CodingAgent) -> None:
    for prompt in ("/compact keep it", "/outlast status", "/model opus", "continue", "cancel"):
        agent.types(prompt)
    assert not said_in(agent)


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_what_held_an_agent_up_is_not_the_users_word(home: Path, host: HostName) -> None:
    make_plan(home, checked("one"))
    agent = CodingAgent(home, host)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume")
    agent.edits()
    reason = agent.stops("The task is done.").reason
    assert reason
    assert not agent.types(reason)  # as Gemini does
    assert reason not in agent.start("resume").model


def test_r4_04_what_hooks_said_before_a_prompt_is_not_the_users_word(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home, "gemini")
    head = "<hook_context>told by hooks</hook_context>\n\n"
    agent.types(f"{head}/outlast resume")
    agent.types(f"{head}{head}be brief")
    told = agent.start("resume").model
    assert "be brief" in told
    assert "told by hooks" not in told


def test_r4_04_words_about_an_ended_plan_change_nothing(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    agent.types("/outlast done")
    assert agent.record is not None
    agent.types("thank you, what a nice day")
    agent.types("continue")
    with agent.plan() as plan:
        assert plan.status == "completed"


def test_a5_secrets_in_a_prompt_are_redacted(agent: CodingAgent) -> None:
    secret = "sk-ant-" + "api03-" + "A1b2C3d4" * 11
    agent.types(f"the key is {secret}, use it")
    kept = b"".join(path.read_bytes() for path in agent.home.rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert b"the key is [redacted], use it" in kept


# Lists


def todo(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"content": name, "status": status, "activeForm": name} for name, status in pairs]


def statuses(agent: CodingAgent) -> dict[str, str]:
    with agent.plan() as plan:
        return {task.name: task.status for task in plan.tasks()}


def test_r4_10_a_todo_list_is_mirrored_into_the_plan(agent: CodingAgent) -> None:
    todos = todo(
        ("First step", "completed"), ("second step", "in_progress"), ("write docs", "pending")
    )
    assert not agent.lists("TodoWrite", todos=todos)
    assert statuses(agent) == {
        "first step": "completed",
        "second step": "in_progress",
        "third step": "pending",
        "write docs": "pending",
    }
    assert not agent.lists("TodoWrite", todos=todos)
    todos = todo(("second step", "pending"), ("write docs", "in_progress"))
    agent.lists("TodoWrite", todos=todos)
    assert statuses(agent)["first step"] == "completed"


def test_r4_10_codex_and_gemini_lists_are_mirrored(home: Path) -> None:
    for key, host in (("a", "codex"), ("b", "gemini")):
        make_plan(home, "one", "two", key=key, goal=key)
        agent = CodingAgent(home, "codex" if host == "codex" else "gemini", session=key)
        agent.types(f"{'$' if host == 'codex' else '/'}outlast resume {key}")
        if host == "codex":
            plan = [{"step": "one", "status": "completed"}, {"step": "new", "status": "pending"}]
            agent.lists("update_plan", "Plan updated", explanation="x", plan=plan)
        else:
            todos = [
                {"description": "one", "status": "completed"},
                {"description": "two", "status": "cancelled"},
                {"description": "new", "status": "blocked"},
            ]
            agent.lists("write_todos", {"llmContent": "ok"}, todos=todos)
        assert statuses(agent)["one"] == "completed"
        assert statuses(agent)["new"] in ("pending", "in_progress")
        if host == "gemini":
            assert statuses(agent)["two"] == "skipped"


def test_r4_10_tasks_with_ids_are_followed(agent: CodingAgent) -> None:
    def create(number: str, subject: str) -> None:
        response = {"task": {"id": number, "subject": subject}}
        agent.lists("TaskCreate", response, subject=subject, description="d")

    create("1", "First step")
    create("2", "fresh")
    create("3", "fresh")
    assert list(statuses(agent).values()).count("pending") >= 3
    agent.lists("TaskUpdate", {"success": True}, taskId="1", status="completed")
    assert statuses(agent)["first step"] == "completed"
    agent.lists("TaskUpdate", {"success": True}, taskId="2", subject="renamed")
    agent.lists("TaskUpdate", {"success": True}, taskId="3", status="deleted")
    agent.lists("TaskUpdate", {"success": True}, taskId="99", status="completed")
    found = statuses(agent)
    assert found["renamed"] == "pending"
    assert found["fresh"] == "skipped"


def completes_second(agent: CodingAgent) -> None:
    """List the second of three tasks as completed, before the first, which it needs."""
    with agent.plan() as plan:
        plan.update(2, needs=[1])
    created = {"task": {"id": "2", "subject": "second step"}}
    agent.lists("TaskCreate", created, subject="second step", description="d")
    agent.lists("TaskUpdate", {"success": True}, taskId="2", status="completed")
    assert statuses(agent)["second step"] == "pending"


def test_r4_10_a_task_done_early_is_completed_when_a_command_completes_the_first(
    agent: CodingAgent,
) -> None:
    completes_second(agent)
    with agent.plan("claude-code") as plan:
        plan.complete(1)
    assert "third step" in agent.before().model
    assert statuses(agent)["second step"] == "completed"


def test_r4_10_a_task_done_early_is_completed_when_the_agent_stops(agent: CodingAgent) -> None:
    completes_second(agent)
    agent.stops("So. [Done]")
    assert statuses(agent) == {
        "first step": "completed",
        "second step": "completed",
        "third step": "pending",
    }


def test_x2_a_task_done_early_is_refused_while_its_check_is_red(home: Path) -> None:
    make_plan(home, "first step", checked("second step"), "third step")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    completes_second(agent)
    with agent.plan("claude-code") as plan:
        plan.complete(1)
    assert "Task 2 is not done" in agent.types("go on").model
    assert "Task 2" not in agent.types("go on, please").model
    assert statuses(agent)["second step"] == "in_progress"


@pytest.mark.parametrize("inner", [{}, {"agent_id": "a1"}])
def test_r4_10_a_list_tool_that_failed_completes_nothing(
    agent: CodingAgent, inner: dict[str, str]
) -> None:
    created = {"task": {"id": "1", "subject": "first step"}}
    agent.lists("TaskCreate", created, subject="first step", description="d")
    update = {"taskId": "1", "status": "completed"}
    agent.send("tool-failure", tool_name="TaskUpdate", tool_input=update, error="no", **inner)
    assert statuses(agent)["first step"] == "in_progress"


def test_x2_a_listed_completion_with_a_red_check_is_refused(home: Path) -> None:
    make_plan(home, checked("one", "echo CANARY-7 >&2; test -e done"), "two")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    said = agent.lists("TodoWrite", todos=todo(("one", "completed"), ("two", "in_progress")))
    assert "Task 1 is not done" in said.model
    assert "CANARY-7\n" not in said.printed
    assert "Task 1 is not done" in said.user
    assert statuses(agent)["one"] == "in_progress"
    (home / "done").touch()
    assert not agent.lists("TodoWrite", todos=todo(("one", "completed"), ("two", "in_progress")))
    assert statuses(agent) == {"one": "completed", "two": "in_progress"}


def test_a13_checks_that_nobody_approved_are_told_once_and_loop_nothing(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    with agent.plan("claude-code") as plan:
        plan.add_all([checked("two")])
        plan.complete(1)
    agent.types("go")
    said = agent.lists("TodoWrite", todos=todo(("two", "completed")))
    assert "until a person approves its checks" in said.model
    assert "check 2 --approve" in said.user
    assert not agent.lists("TodoWrite", todos=todo(("two", "completed")))
    for blocked in (False, True):
        assert not agent.stops("Everything is done. [Done]", blocked=blocked)
    assert statuses(agent)["two"] == "in_progress"


# Sessions and plans that change meanwhile


def test_r4_04_a_dropped_plan_detaches_its_session(agent: CodingAgent) -> None:
    drop_plan(agent.home, "add-oauth", actor="human")
    said = agent.types("hello")
    assert said.user == "This session no longer works on add-oauth"
    assert agent.record is None
    assert not agent.types("hello")


@pytest.mark.parametrize("away", [".outlast", "."])
def test_f40_a_session_stays_attached_while_its_plans_are_away(
    agent: CodingAgent, away: str
) -> None:
    place = (agent.home / away).resolve()
    stashed = place.with_name("stashed")
    place.rename(stashed)
    assert not agent.types("hello")
    assert agent.record is not None
    stashed.rename(place)
    assert agent.start("compact").model
    drop_plan(agent.home, "add-oauth", actor="human")
    assert agent.types("hello").user == "This session no longer works on add-oauth"


def test_f40_a_session_stays_attached_while_another_branch_has_no_such_plan(
    agent: CodingAgent, tmp_path: Path
) -> None:
    plan = agent.home / ".outlast" / "plans" / "add-oauth"
    shutil.copytree(plan, tmp_path / "committed")
    shutil.rmtree(plan)
    assert not agent.types("hello")
    assert agent.record is not None
    shutil.copytree(tmp_path / "committed", plan)
    assert agent.start("compact").model
    shutil.rmtree(plan)
    forget_gone_plans(str(agent.home), "add-oauth")
    assert agent.types("hello").user == "This session no longer works on add-oauth"


def test_r4_04_a_plan_with_the_key_of_another_is_not_taken_for_it(agent: CodingAgent) -> None:
    drop_plan(agent.home, "add-oauth", actor="human")
    make_plan(agent.home, "quite another")
    said = agent.before()
    assert "quite another" not in said.printed
    assert agent.record is None


def test_r4_04_a_resumed_session_is_described_again(agent: CodingAgent) -> None:
    said = agent.start("resume")
    assert "first step" in said.model
    assert said.user == "Working on add-oauth: Add OAuth 0/3"
    assert not agent.before()


def test_r4_04_the_end_of_a_session_says_nothing_and_forgets_old_ones(
    agent: CodingAgent, state: Path
) -> None:
    import os  # noqa: PLC0415

    old = CodingAgent(agent.home, session="old")
    old.types("/outlast resume")
    path = state / "outlast" / "hosts" / "claude-code" / "old" / "session.json"
    os.utime(path, (0, 0))
    assert not agent.send("session-end", reason="exit")
    assert [record.session for record in session_files().all()] == ["s1"]
    assert old.record is None


def test_r4_04_a_reminder_is_offered_once_for_a_task(agent: CodingAgent, state: Path) -> None:
    path = state / "outlast" / "hosts" / "claude-code" / "s1" / "remind"
    assert REMINDER in path.read_text()
    path.unlink()
    agent.types("something else")
    assert not path.exists()
    with agent.plan() as plan:
        plan.complete(1)
    agent.before()
    assert "If task 2 is done" in path.read_text()


def test_x8_every_text_for_the_model_is_in_the_language_of_the_settings(home: Path) -> None:
    make_plan(home, checked("one"))
    (home / "outlast.toml").write_text('language = "zh"\n')
    agent = CodingAgent(home)
    told = [agent.types("/outlast resume")]
    agent.edits()
    told += [agent.stops("任务已完成。"), agent.start("resume")]
    with open_plan(home, "add-oauth", actor="human") as plan:
        plan.questions.say("快点")
    told += [agent.before(), agent.send("pre-compact")]
    for said in told:
        text = (said.model + said.reason + said.user).replace("Outlast", "")
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text), said
        for word in ("You work", "Working on", "The user says", "not done", "Task "):
            assert word not in text


@pytest.mark.parametrize("host", HOST_NAMES)
def test_u7_a_question_that_waits_is_told_to_the_user_once(home: Path, host: HostName) -> None:
    """Such as whether an edit of the plan was the user's: nothing else of the agent shows it."""
    make_plan(home, "one", "two")
    agent = CodingAgent(home, host)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume")
    with agent.plan() as plan:
        plan.questions.ask("Which colour?")
    said = agent.types("go on")
    assert said.user.startswith("The plan has 1 question for you; to see and answer")
    assert said.user.endswith("outlast show --plan add-oauth")
    assert "type in a terminal" not in said.model
    assert not agent.stops("So.").user
    assert not agent.types("go on").user
    with agent.plan() as plan:
        plan.questions.ask("Which size?")
    assert agent.stops("So.").user.startswith("The plan has 2 questions for you")
    with agent.plan() as plan:
        plan.questions.answer("blue", 1)
        plan.questions.answer("large", 2)
    assert not agent.start("resume").user.startswith("The plan has 2 questions")


def test_u7_codex_is_given_a_command_that_its_login_shell_finds(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/etc/profile` forgets the directory of an active virtual environment."""
    program = tmp_path / "venv" / "outlast"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    make_plan(home, "one")
    assert "`outlast done N" in CodingAgent(home).types("/outlast resume").model
    told = CodingAgent(home, "codex").types("$outlast resume").model
    assert "`outlast done N" not in told
    assert "outlast done N" in told
    monkeypatch.setenv("HOME", str(tmp_path))
    usual = tmp_path / ".local" / "bin" / "outlast"
    usual.parent.mkdir(parents=True)
    program.rename(usual)
    monkeypatch.setenv("PATH", str(usual.parent))
    told = CodingAgent(home, "codex", "s2").types("$outlast resume").model
    assert "`outlast done N" in told


def in_a_child(host: HostName, moment: Moment, payload: bytes, kind: str) -> str:
    """Answer below a process that can be told apart; this one may be below process 1."""
    del kind
    done = forks.run(Path("/"), ["hook", moment, "--agent", host], environment(), payload)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("host", HOST_NAMES)
def test_u7_a_session_that_has_ended_has_no_process(home: Path, host: HostName) -> None:
    """That of Codex goes on, and would seem to be at work on the plan."""
    make_plan(home, "one")
    agent = CodingAgent(home, host, hook=in_a_child)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume")
    with agent.plan() as plan:
        assert has_session(plan)
        agent.send("session-end", reason="exit")
        assert not has_session(plan)
        agent.start("resume")
        assert has_session(plan)


def test_r4_04_a_brief_is_so_short_that_its_host_cuts_nothing(home: Path) -> None:
    (home / "outlast.toml").write_text("[loop]\nbrief_tokens = 8000\n")
    make_plan(home, *(f"{number} {'many words ' * 40}" for number in range(60)))
    agent = CodingAgent(home)
    with open_plan(home, "add-oauth", actor="human") as plan:
        for number in range(40):
            plan.questions.say(f"{number} {'please mind this ' * 60}")
    agent.types("/outlast resume")
    told = agent.start().model
    assert 4_000 < len(told) <= LONGEST
    assert "</brief>" in told
    assert told.count("<plan>") == told.count("</plan>") == 1
