"""Completion of slash commands while they are typed."""

from datetime import date

import pytest

from outlast.assistant.chat.completion import Knowledge, common_addition, last_word, suggest

ITEMS = {"/todo": {1: "buy milk", 12: "call Ann"}, "/schedule": {3: "dentist"}}
KNOWLEDGE = Knowledge(ITEMS.__getitem__, lambda: date(2026, 12, 30))


def words(line: str) -> list[str]:
    return [each.word for each in suggest(line, KNOWLEDGE)]


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("", []),
        ("hello", []),
        ("a /todo", []),
        ("/", ["/todo", "/view", "/schedule", "/help", "/plan", "/cancel", "/exit"]),
        ("/t", ["/todo"]),
        ("／t", ["/todo"]),
        ("／todo d", ["done", "delete"]),
        ("/todo", []),
        ("/todo ", ["add", "list", "get", "update", "done", "delete", "search"]),
        ("/todo d", ["done", "delete"]),
        ("/view ", ["list", "all", "today", "overdue", "upcoming", "inbox"]),
        ("/view a", ["all"]),
        ("/view today ", ["--tag"]),
        ("/view list ", []),
        ("/todo done ", ["1", "12"]),
        ("/todo done 1", ["12"]),
        ("/todo done 1 ", []),
        ("/schedule get ", ["3"]),
        ("/schedule repeat 3 ", ["on", "off"]),
        ("/schedule view ", ["day", "week", "month"]),
        ("/todo list ", ["--tag", "--view"]),
        ("/todo list --view ", ["all", "today", "overdue", "upcoming", "inbox"]),
        ("/todo list --view=today ", ["--tag"]),
        ("/todo add ", []),
        ("/todo add milk ", []),
        ("/todo add milk --", ["--tag", "--priority", "--due", "--remind"]),
        ("/todo add milk --tag shop --", ["--priority", "--due", "--remind"]),
        ("/todo add milk --tag ", []),
        ("/todo add milk --due 2026-12-31", []),
        ("/todo add milk --due 2026-12-31 ", []),
        ("/todo add milk --due=2026-12-31 ", []),
        ("/todo add milk --due 2026-12-31 18:00 --r", ["--remind"]),
        ("/schedule add 2026-12-31 ", []),
        ("/schedule add 2026-12-31 18:00 Dinner --remind-", ["--remind-start"]),
        ("/schedule update ", ["3"]),
        ("/nonsense ", []),
        ("/todo nonsense ", []),
    ],
)
def test_r3_10_a_slash_command_is_completed(line: str, proposed: list[str]) -> None:
    assert words(line) == proposed


@pytest.mark.parametrize(
    "line", ["/todo add x --due ", "/schedule add ", "/schedule update 3 ", "/schedule view day "]
)
def test_r3_10_days_are_proposed_from_today_on(line: str) -> None:
    assert words(line)[:3] == ["2026-12-30", "2026-12-31", "2027-01-01"]
    assert len(words(line)) == 7


def test_r3_10_a_proposal_says_what_it_means() -> None:
    notes = {each.word: each.note for each in suggest("/todo done ", KNOWLEDGE)}
    assert notes == {"1": "buy milk", "12": "call Ann"}
    assert suggest("/todo ge", KNOWLEDGE)[0].note == "/todo get ID"
    assert suggest("/sch", KNOWLEDGE)[0].note.startswith("add list get view")
    assert suggest("/vi", KNOWLEDGE)[0].note == "list all today overdue upcoming inbox"
    options = {each.word: each.note for each in suggest("/todo add x -", KNOWLEDGE)}
    assert (options["--due"], options["--tag"]) == ("YYYY-MM-DD HH:MM", "T")


def test_the_last_word_is_empty_after_a_space() -> None:
    assert (last_word("/todo ad"), last_word("/todo "), last_word("")) == ("ad", "", "")


@pytest.mark.parametrize(
    ("line", "added"),
    [
        ("/t", "odo "),
        ("/todo add x --r", "emind "),
        ("/schedule add 2026-12-31 18:00 x --r", "emind"),
        ("/todo ", ""),
        ("hello", ""),
    ],
)
def test_r3_10_tab_adds_what_all_proposals_have_in_common(line: str, added: str) -> None:
    assert common_addition(line, suggest(line, KNOWLEDGE)) == added
