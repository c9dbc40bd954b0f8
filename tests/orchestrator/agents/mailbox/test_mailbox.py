"""R1.02 to R1.06, R1.09, R1.12: orders go out and reports come back as files."""

import asyncio
import time
from pathlib import Path
from threading import Thread

import pytest

from outlast.agent.work import AT_WORK, TIMED_OUT, Report, WorkProgress, WorkResult
from outlast.errors import InvalidDocument, InvalidSetting, StoreError
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.folder import LARGEST_FILE, Folder
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import parse_report
from outlast.orchestrator.agents.mailbox.worker import Claims
from tests.orchestrator.agents.mailbox.boxes import (
    GOOD,
    ID,
    LONG,
    OTHER,
    PLACES,
    answer,
    command,
    contents,
    names,
    order,
    send_and_act,
    wait_until,
    work,
)


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(str(tmp_path))


def test_r1_02_an_order_is_a_command_file_with_everything_the_agent_must_know(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    work(mailbox, tmp_path, answer())
    text = (tmp_path / "commands" / "pending" / f"{ID}.md").read_text()
    for part in ("walls", "Build them", "A house", "use screws", "no nails", "- tests/**"):
        assert part in text
    assert "command_type: new" in text
    assert "session_id: auto" in text
    assert text.endswith("- check: make test\n")


def test_r1_02_the_preset_volumes_has_the_four_keys_and_the_chinese_headings(
    tmp_path: Path,
) -> None:
    path = Path(Mailbox(str(tmp_path), "zh").send(command(about="建墙")))
    assert path == tmp_path / "commands" / "pending" / f"{ID}.md"
    assert path.read_text() == (
        f"---\nid: {ID}\ncreated_at: 2026-11-16T12:00:00.000Z\n"
        "session_id: auto\ncommand_type: new\n---\n\n"
        "## 任务描述\n建墙\n\n## 约束条件\n无\n\n## 预期输出\n无\n"
    )


def test_r1_02_a_command_is_complete_or_absent_and_nothing_else_is_left(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    (tmp_path / "commands" / "pending" / f".{ID}.md.0123abcd.new").write_text(
        "of a writer that died"
    )
    mailbox.send(command())
    assert contents(tmp_path) == {"commands/pending": [f"{ID}.md"]}
    with pytest.raises(FileExistsError):
        mailbox.send(command(about="another"))
    assert contents(tmp_path) == {"commands/pending": [f"{ID}.md"]}


def test_r1_02_a_command_that_no_worker_would_read_is_not_sent(mailbox: Mailbox) -> None:
    with pytest.raises(InvalidDocument, match="larger"):
        mailbox.send(command(about="x" * LARGEST_FILE))


@pytest.mark.parametrize("name", [f"report-{ID}.md", f"report-{ID.removeprefix('task-')}.md"])
def test_r1_03_a_report_is_the_answer_with_and_without_task_in_its_name(
    mailbox: Mailbox, tmp_path: Path, name: str
) -> None:
    result = work(mailbox, tmp_path, answer(name=name))
    assert result.report is not None
    assert (result.report.results, result.session) == ("built", "s-1")
    assert contents(tmp_path) == {"commands/pending": [f"{ID}.md"], "reports/processed": [name]}


def test_r1_03_a_report_is_seen_as_soon_as_it_is_closed_whatever_the_poll(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    result = work(mailbox, tmp_path, answer(), poll=3 * LONG)
    assert result.report is not None


def test_r1_03_a_report_that_stays_open_counts_when_it_did_not_change_for_one_poll(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    with (tmp_path / "reports" / "pending" / f"report-{ID}.md").open("w") as file:
        file.write(GOOD)
        file.flush()
        before = time.monotonic()
        result = work(mailbox, tmp_path, lambda _: None, poll=0.3)
        assert time.monotonic() - before >= 0.3
    assert result.report is not None


def test_r1_03_what_a_worker_tells_beside_the_text_comes_along(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    text = "---\nstatus: FAILED\ndenied: Bash rm -rf; Web\ntokens: 12\nmoney: 0.5\n---\n"
    result = work(mailbox, tmp_path, answer(text))
    assert result.denied == ("Bash rm -rf", "Web")
    assert (result.spent.tokens, result.spent.money) == (12, 0.5)


def test_r1_06_a_retry_continues_the_session(mailbox: Mailbox, tmp_path: Path) -> None:
    async def play() -> None:
        agent = MailboxAgent(mailbox, poll=0.02)
        await agent.work(order(0.05, session="s-1"), WorkProgress())

    asyncio.run(play())
    (name,) = names(tmp_path / "commands" / "processed")
    text = (tmp_path / "commands" / "processed" / name).read_text()
    assert "command_type: continue" in text
    assert "session_id: s-1" in text


def test_r1_06_an_unclaimed_command_is_withdrawn_when_its_time_is_up(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    result = work(mailbox, tmp_path, lambda _: None, timeout=0.2)
    assert (result.code, mailbox.command_state(ID)) == (TIMED_OUT, "withdrawn")
    assert "withdrawn" in result.error


def test_r1_06_a_claimed_command_may_be_worked_on_still(mailbox: Mailbox, tmp_path: Path) -> None:
    result = work(mailbox, tmp_path, lambda _: Claims(mailbox).claim(ID), timeout=0.2)
    assert (result.code, mailbox.command_state(ID)) == (AT_WORK, "claimed")


def test_r1_03_a_report_after_its_timeout_is_set_aside_and_goes_to_who_judges_the_next_attempt(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    reports = tmp_path / "reports" / "pending"

    async def play() -> tuple[WorkResult, WorkResult]:
        agent = MailboxAgent(mailbox, poll=0.05)

        def claim(_reports: Path) -> None:
            Claims(mailbox).claim(ID)

        first = await send_and_act(agent, tmp_path, claim, 0.2)
        restarted = MailboxAgent(Mailbox(str(tmp_path)), poll=0.05)
        working = asyncio.create_task(restarted.work(order(id_=OTHER), WorkProgress()))
        answer()(reports)
        await wait_until(lambda: not names(reports))
        answer(name=f"report-{OTHER}.md")(reports)
        return first, await asyncio.wait_for(working, LONG)

    first, then = asyncio.run(play())
    assert first.code == AT_WORK
    assert then.report is not None
    assert then.late.startswith("SUCCESS\n## Core results\nbuilt")
    aside = tmp_path / "reports" / "quarantine"
    assert names(aside) == [f"report-{ID}.md", f"report-{ID}.md.reason"]
    reason = (aside / f"report-{ID}.md.reason").read_text()
    assert reason == "the report came after its command had been given up\n", "shown once"


def test_r1_09_the_end_of_a_session_is_a_command_without_a_report(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    asyncio.run(MailboxAgent(mailbox).end_session("s-1"))
    (name,) = names(tmp_path / "commands" / "pending")
    text = (tmp_path / "commands" / "pending" / name).read_text()
    assert "command_type: end" in text
    assert "session_id: s-1" in text


# After a crash


def settle(mailbox: Mailbox, patience: float = LONG) -> WorkResult:
    agent = MailboxAgent(mailbox, poll=0.05, patience=patience)
    result = asyncio.run(asyncio.wait_for(agent.settle(ID, ""), LONG))
    assert result is not None
    return result


def test_r1_12_after_a_crash_the_report_is_awaited_and_nothing_is_sent_again(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    answer()(tmp_path / "reports" / "pending")
    assert settle(mailbox).report is not None
    assert names(tmp_path / "commands" / "pending") == [f"{ID}.md"]


def test_r1_12_a_report_that_was_accepted_but_not_recorded_is_not_lost(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    work(mailbox, tmp_path, answer())
    assert settle(mailbox).report == parse_report(GOOD, "r")


def test_r1_12_a_report_that_was_set_aside_but_not_recorded_keeps_its_reason(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    answer("---\nstatus: DONE\n---\n")(tmp_path / "reports" / "pending")
    first = settle(mailbox)
    assert "status" in first.error
    assert f"It was moved to {tmp_path}/reports/quarantine" in first.error
    assert settle(mailbox).error == first.error


def test_r1_12_a_report_that_another_run_accepts_meanwhile_is_seen_too(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async def play() -> list[WorkResult | None]:
        mailbox.send(command())
        agents = [MailboxAgent(Mailbox(str(tmp_path)), poll=0.05) for _ in range(3)]
        waiting = [asyncio.create_task(agent.settle(ID, "")) for agent in agents]
        await asyncio.sleep(0.1)
        answer()(tmp_path / "reports" / "pending")
        return await asyncio.wait_for(asyncio.gather(*waiting), LONG)

    results = asyncio.run(play())
    assert [result and result.report and result.report.results for result in results] == [
        "built",
        "built",
        "built",
    ]


def test_r1_12_a_report_that_came_late_to_a_run_that_died_is_taken(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    assert Claims(mailbox).claim(ID) is not None
    mailbox.give_up(ID)
    answer()(tmp_path / "reports" / "pending")
    mailbox.set_strays_aside(frozenset())
    assert settle(mailbox).report is not None


def test_r1_12_a_command_that_was_never_sent_is_known_not_to_have_run(mailbox: Mailbox) -> None:
    assert "never sent" in settle(mailbox).error


def test_r1_12_patience_ends_after_a_crash_too(mailbox: Mailbox) -> None:
    mailbox.send(command())
    assert settle(mailbox, 0.1).code == TIMED_OUT
    assert mailbox.command_state(ID) == "withdrawn"
    assert "was withdrawn" in settle(mailbox).error


def test_r1_12_a_report_that_another_lane_will_ask_for_is_left_alone(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command(OTHER))
    answer(name=f"report-{OTHER}.md")(tmp_path / "reports" / "pending")
    work(mailbox, tmp_path, answer())
    assert names(tmp_path / "reports" / "pending") == [f"report-{OTHER}.md"]


# Where it is


def test_r1_10_both_pending_directories_can_be_elsewhere(tmp_path: Path) -> None:
    mailbox = Mailbox(str(tmp_path), commands="in/new", reports="out")
    mailbox.send(command())
    claims = Claims(mailbox)
    claimed = claims.claim(ID)
    assert claimed is not None
    claims.answer(claimed, Report("SUCCESS", "", "built"))
    assert settle(mailbox).report is not None
    assert names(tmp_path / "in" / "processed") == [f"{ID}.md"]
    assert names(tmp_path / "processed") == [f"report-{ID}.md"]


@pytest.mark.parametrize(
    ("commands", "reports"),
    [("a", "a"), ("a/pending", "a/claimed"), ("processed", "x"), ("x", "processed")],
)
def test_r1_10_directories_of_different_files_must_differ(
    tmp_path: Path, commands: str, reports: str
) -> None:
    with pytest.raises(InvalidSetting, match="directories of their own"):
        Mailbox(str(tmp_path), commands=commands, reports=reports)


def test_r1_04_the_directories_are_private_and_created(mailbox: Mailbox, tmp_path: Path) -> None:
    assert mailbox.root == str(tmp_path)
    for place in PLACES:
        assert (tmp_path / place).stat().st_mode & 0o777 == 0o700


def test_f10_a_directory_that_was_swapped_for_a_link_is_not_followed(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "commands" / "pending").rename(tmp_path / "moved")
    (tmp_path / "commands" / "pending").symlink_to(elsewhere)
    with pytest.raises(StoreError, match="cannot be used"):
        mailbox.send(command())
    with pytest.raises(StoreError, match="cannot be used"):
        Mailbox(str(tmp_path))
    assert names(elsewhere) == []


def test_f10_the_loop_goes_on_while_a_directory_is_swapped_for_a_link(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    reports, away = tmp_path / "reports" / "pending", tmp_path / "away"

    async def play() -> WorkResult:
        mailbox.send(command())
        waiting = asyncio.create_task(MailboxAgent(mailbox, poll=0.02).wait(ID, LONG))
        await asyncio.sleep(0.05)
        reports.rename(away)
        reports.symlink_to(away)
        answer()(away)
        await asyncio.sleep(0.2)
        assert not waiting.done()
        reports.unlink()
        away.rename(reports)
        return await asyncio.wait_for(waiting, LONG)

    assert asyncio.run(play()).report is not None


def test_f10_a_mailbox_that_is_gone_at_the_timeout_may_have_an_agent_at_work(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    def swap(_reports: Path) -> None:
        (tmp_path / "commands").rename(tmp_path / "away")
        (tmp_path / "commands").symlink_to(tmp_path / "away")

    result = work(mailbox, tmp_path, swap, timeout=0.2)
    assert (result.code, "cannot be used" in result.error) == (AT_WORK, True)


def test_f10_a_directory_that_was_removed_is_created_again(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    (tmp_path / "commands" / "pending").rmdir()
    mailbox.send(command())
    assert names(tmp_path / "commands" / "pending") == [f"{ID}.md"]


def test_a10_a_link_in_a_strangers_project_is_not_followed(tmp_path: Path) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    elsewhere.mkdir()
    project.mkdir()
    (project / ".outlast").symlink_to(elsewhere)
    with pytest.raises(StoreError, match="cannot be used"):
        Mailbox(str(project / ".outlast" / "mailbox"), base=str(project))
    assert names(elsewhere) == []


def test_f5_a_place_that_is_no_directory_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for place in (file, file / "mailbox", Path("/proc/self/mailbox")):
        with pytest.raises(StoreError, match=f"{place}.* cannot be used: "):
            Mailbox(str(place))


def test_r1_11_of_two_that_write_the_same_file_one_is_told_that_it_is_there(tmp_path: Path) -> None:
    folder, text, told = Folder(str(tmp_path), ("box",)), "word " * 1_000, list[OSError]()

    def write() -> None:
        for number in range(50):
            try:
                folder.write(f"{number}.md", text)
            except OSError as error:
                told.append(error)

    threads = [Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {type(error) for error in told} <= {FileExistsError}
    assert all(folder.read(f"{number}.md").data == text.encode() for number in range(50))
