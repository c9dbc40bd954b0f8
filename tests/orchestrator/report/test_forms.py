"""R1: the report, as Markdown and as HTML, in both languages, honest on a bad night."""

import re
from datetime import UTC, timedelta, timezone
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from outlast.language import Language
from outlast.model.budget import Spend
from outlast.model.commands import (
    AskQuestion,
    EndAttempt,
    NoteDecision,
    NoteFootprint,
    NoteProof,
    Skip,
    Start,
)
from outlast.model.model import Check, Evidence, Label, Proof
from outlast.orchestrator.report import html, markdown, timeline
from outlast.orchestrator.report.words import ReportWords
from tests.orchestrator.report.nights import CHECK, Night, bad_night

LANGUAGES: tuple[Language, ...] = ("en", "zh")
VOID = {"meta", "br"}


def words_about(
    night: Night | None = None, language: Language = "en", **labels: Label
) -> ReportWords:
    record = (night or bad_night()).record({int(k[1:]): v for k, v in labels.items()} or None)
    return ReportWords(record, language, UTC)


class Page(HTMLParser):
    """The tags of a page, each closed, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_r1_the_headline_says_what_is_proved_and_what_is_not() -> None:
    said = words_about().headline()
    assert said == (
        "1 of 6 tasks proved; 1 failed; 1 claimed, not proved; 1 in progress; 1 not started; "
        "1 skipped; 1 question for you"
    )
    assert words_about(language="zh").headline().startswith("6 个任务中 1 个已证明；1 个失败")


def test_r1_the_facts_tell_what_broke_off_and_what_it_cost() -> None:
    state, written, worked, spent, lost, outside = words_about().facts()
    assert state == "Plan Ship it, revision r29: running"
    assert written == "As of 2026-03-02 06:02:39 +0000"
    assert worked == (
        "From 2026-03-01 22:00:00 +0000 to 2026-03-01 22:02:39 +0000: 2 min 39 s; "
        "work in total: 2 min 39 s"
    )
    assert spent == "Spent: 3,600 tokens, $1.00"
    assert lost.startswith("1 attempt broke off with the run")
    assert outside == "1 task with changes in files that the task does not name"


def test_r1_the_facts_of_a_task_tell_its_commits_and_what_it_changed_beside_its_files() -> None:
    words = words_about()
    first, third = (
        next(task for task in words.record.tasks if task.task.id == number) for number in (1, 3)
    )
    meanwhile = "others worked at the same time, so this may be theirs"
    assert f"Commit: 111111111111 → 222222222222 ({meanwhile})" in words.task_facts(first)
    facts = words.task_facts(third)
    assert "Commit: 222222222222 (no new one)" in facts
    assert facts[-1].startswith("Changed files that the task does not name: <script>")
    assert facts[-1].endswith(", .env, 12 files more")
    assert third.attempts[0].footprint is not None


def test_r1_changes_beside_the_files_of_a_task_may_be_those_of_others() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    left = NoteFootprint(night.work(1, 5), "", "", ("x",), 1, shared=True)
    night.do(left)
    assert words_about(night).task_facts(night.record().tasks[0])[-1] == (
        "Changed files that the task does not name: x "
        "(others worked at the same time, so this may be theirs)"
    )


def test_r1_an_empty_plan_and_a_proved_one_have_a_headline_too() -> None:
    assert words_about(Night()).headline() == "The plan has no tasks"
    night = Night("a", checks=())
    night.plan.complete(1)
    assert words_about(night, t1="proved").headline() == "All 1 task proved"
    assert len(words_about(night).facts()) == 2, "no attempt, no time, no cost"


def test_r1_times_are_those_of_the_reader() -> None:
    record = bad_night().record()
    east = ReportWords(record, "en", timezone(timedelta(hours=8)))
    assert east.moment(record.attempts[0].began) == "2026-03-02 06:00:00 +0800"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a1_nothing_in_the_markdown_is_from_elsewhere(language: Language) -> None:
    """No link, image, HTML, mention, heading or end of a fence comes from a text of others."""
    document = markdown.render(words_about(language=language))
    outside, mark = [], ""
    for line in document.split("\n"):
        fence = re.fullmatch("(`{3,})(text|mermaid)?", line)
        if fence and not mark:
            mark = fence[1]
        elif mark and line == mark:
            mark = ""
        elif not mark:
            outside.append(line)
    assert not mark, "every fence is closed"
    plain = re.sub("`[^`]*`", "", "\n".join(outside))
    for danger in ("<script", "![", "](", "@team", "#12", "http://", "\x1b", "\u202e"):
        assert danger not in plain
    assert "\x1b" not in document
    assert "\u202e" not in document
    assert "<script" in document, "inside a fence it stands as it was written"


def test_r1_the_markdown_has_attempts_checks_and_the_end_of_a_red_output() -> None:
    document = markdown.render(words_about())
    row = "| 1 parse | completed, proved | codex | 2 | red → green | 1 min 45 s | &#36;0.5000 |"
    assert row in document
    ended = "| finished, not accepted | PARTIAL"
    assert f"| 1 | codex | 2026-03-01 22:00:04 +0000 | 1 min 0 s {ended}" in document
    assert "try again (by gpt)" in document
    assert "1: do the rest" in document
    assert "✅ `pytest -q`: red → green (exited with code 0)" in document
    assert "❌ `pytest -q`: red (exited with code 1)" in document
    assert "last line" in document
    assert "broke off, outcome unknown" in document
    assert "**Question 1, about task 4**" in document
    assert "Answer it with: outlast answer 1 TEXT\n" in document
    assert "⬜ `pytest -q`: never run" in document
    assert document.index("### 3 serve") < document.index("### 1 parse")


def test_r1_the_markdown_has_a_picture_that_others_draw() -> None:
    document = markdown.render(words_about())
    picture = document.partition("```mermaid\n")[2].partition("```")[0].splitlines()
    assert picture[0] == "gantt"
    assert "    section 1 parse" in picture
    times = "2026-03-01T22:00:04, 2026-03-01T22:01:04"
    assert f"    1 codex finished not accepted :crit, {times}" in picture
    assert not re.search("[<>#;:]", "".join(line for line in picture if "section" in line))


def test_r1_too_many_bars_are_no_picture() -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    for _ in range(201):
        night.end(night.begin(1, "act", "bash"))
    document = markdown.render(words_about(night))
    assert "mermaid" not in document
    assert "0 model calls, 201 tool calls" in document


@pytest.mark.parametrize("language", LANGUAGES)
def test_a1_the_page_runs_and_loads_nothing(language: Language) -> None:
    page = Page(html.render(words_about(language=language)))
    assert page.open == []
    names = {name for name, _ in page.tags}
    assert names.isdisjoint({"script", "img", "link", "iframe", "a", "object", "form", "b"})
    attributes = {(key, value) for _, found in page.tags for key, value in found.items()}
    keys = {key for key, _ in attributes}
    assert not {key for key in keys if key.startswith("on")}
    assert keys.isdisjoint({"src", "href", "style", "srcset", "action"})
    policies = [value for key, value in attributes if key == "content"]
    assert "default-src 'none'; style-src 'unsafe-inline'" in policies
    assert "url(" not in html.STYLE
    assert "@import" not in html.STYLE
    assert "<script>alert(1)</script>" in page.words, "shown, not run"
    assert "\x1b" not in page.words
    assert "\u202e" not in page.words


def test_r1_the_page_shows_the_same_and_opens_what_needs_a_look() -> None:
    page = html.render(words_about())
    assert '<p class="headline failed">1 of 6 tasks proved' in page
    assert '<details class="failed" open>' in page
    assert '<details class="proved">' in page
    assert '<html lang="en">' in page
    assert "prefers-color-scheme: dark" in page
    assert '<html lang="zh-Hans">' in html.render(words_about(language="zh"))


def test_r1_a_plan_without_work_has_a_page_without_a_timeline() -> None:
    page = html.render(words_about(Night()))
    assert "<svg" not in page
    assert "<table" not in page
    assert markdown.render(words_about(Night())).count("##") == 1


def test_r1_the_timeline_is_sound_and_has_every_kind_of_bar() -> None:
    drawn = ET.fromstring(timeline.draw(words_about()))  # noqa: S314 - our own
    kinds = [part.get("class") for part in drawn.iter() if part.tag in ("rect", "g")]
    assert kinds.count("bar done") == 1
    assert kinds.count("bar failed") == 2, "one was not accepted"
    assert kinds.count("bar lost") == 1
    assert kinds.count("bar calls") == 1
    assert (kinds.count("check green"), kinds.count("check red")) == (1, 3)
    width = float(timeline.WIDTH)
    for part in drawn.iter("rect"):
        assert 0 <= float(part.get("x", -1)) <= width - float(part.get("width", width))


def test_r1_a_running_attempt_and_a_lost_one_look_different() -> None:
    night = Night("a")
    night.start_run()
    night.do(Start("agent", 1))
    night.begin(1)
    night.wait(5)
    assert 'class="bar running"' in timeline.draw(words_about(night))
    assert "at work" in timeline.draw(words_about(night))


def test_r1_a_long_timeline_says_what_it_leaves_out() -> None:
    night = Night(
        *(f"很长的任务名称很长的任务名称很长的任务名称 {n}" for n in range(152)), checks=()
    )
    for task in range(1, 153):
        night.do(Start("agent", task))
        night.end(night.begin(task))
        night.wait(1)
    page = html.render(words_about(night))
    assert "2 more not drawn" in page
    assert "<title>150 " in page
    assert "<title>151 " not in page
    assert ">1 很长的任务名称很长的任务名称…<" in page


def test_r1_long_texts_are_cut_and_settled_attempts_say_by_whom() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    attempt = night.begin(1)
    night.end(attempt, "lost", "session")
    night.do(NoteDecision(attempt, "retry", "x" * 900, "outlast"))
    night.plan.notes.deliver("\n".join(map(str, range(70))))
    words = words_about(night)
    document = markdown.render(words)
    assert "lost, settled by the agent&#x27;s session" in html.render(words)
    assert "… 10 lines more" in document
    assert "x" * 301 not in document


def test_r1_a_pause_in_the_night_is_cut_out_of_the_picture_and_said() -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    night.work(1, 60)
    night.wait(8 * 3_600)
    night.work(1, 60)
    drawn = ET.fromstring(timeline.draw(words_about(night)))  # noqa: S314 - our own
    assert [part.get("class") for part in drawn.iter("rect")].count("cut") == 1
    says = [part.text for part in drawn.iter("text") if part.get("class") == "tick"]
    assert "8 h 0 min idle" in says
    assert any(said and said.startswith("03-02 06:") for said in says), "another day"


def test_r1_costs_are_told_apart_and_unknown_ones_are_called_so() -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    attempt = night.begin(1)
    night.do(EndAttempt(attempt, "done", spent=Spend()))
    assert words_about(night).facts()[-1] == "Spent: no cost was reported"
    attempt = night.begin(1)
    spent, planning = Spend(tokens=900), Spend(tokens=100)
    night.do(EndAttempt(attempt, "done", spent=spent, planning=planning))
    words = words_about(night)
    assert words.facts()[-1] == "Spent: 900 tokens; of which planning: 100 tokens"
    assert words.cost(words.record.tasks[0]) == "900 tokens"


def test_r1_a_check_that_could_not_be_run_shows_its_exit_code_and_no_output() -> None:
    night = Night("a")
    night.plan.add("b", [1])
    night.plan.add("c")
    proof = Proof(1, "later", night.clock(), (Evidence(CHECK, ok=False, says="timeout", code=9),))
    night.do(NoteProof(proof))
    words = words_about(night)
    [check] = words.check_rows(words.record.tasks[0])
    assert check.shows.endswith("exit code 9")
    assert check.box is None
    document = markdown.render(words)
    assert "- Needs: 1" in document
    assert "### 3 c" not in document, "there is nothing to say"
    assert "3 c</strong>" not in html.render(words)


def test_u8_the_command_that_answers_names_the_plan() -> None:
    words = words_about()
    named = ReportWords(replace(words.record, key="ship"), "en", UTC)
    [question] = words.record.questions
    assert named.how_to_answer(question).endswith("outlast answer 1 TEXT --plan ship")
    odd = ReportWords(replace(words.record, key="a; rm -r b"), "en", UTC)
    assert odd.how_to_answer(question).endswith("outlast answer 1 TEXT")


def test_r1_06_a_person_who_skips_a_task_has_decided_so() -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    first, second = night.work(1, 5), night.work(1, 5)
    night.do(NoteDecision(first, "retry", "not yet", "human"))
    night.do(NoteDecision(second, "skip", "never", "human"), Skip(1, "not needed"))
    words = words_about(night)
    decided = [row.cells[6] for row in words.attempt_rows(words.record.tasks[0])]
    assert decided == ["try again (by human)", "skip the task (by human)"]
    assert "- Reason: not needed" in markdown.render(words)


def test_r1_a_check_right_after_the_work_is_drawn_where_the_work_ended() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    night.work(1, 60)
    night.wait(3_600)
    night.work(1, 0)
    night.wait(0.01)
    night.check(1, "later", ok=True)
    drawn = ET.fromstring(timeline.draw(words_about(night)))  # noqa: S314 - our own
    *_, bar = (part for part in drawn.iter("rect") if part.get("class") == "bar done")
    [mark] = drawn.iter("circle")
    assert abs(float(mark.get("cx", 0)) - float(bar.get("x", 0))) < 1


def test_r1_an_attempt_that_nothing_was_decided_about_waits_for_a_question() -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    night.work(1, 5, "FAILED")
    night.do(AskQuestion("What now?", task=1))
    words = words_about(night)
    [row] = words.attempt_rows(words.record.tasks[0])
    assert row.cells[4:7] == ("finished, not accepted", "FAILED", "waits for question 1")


@pytest.mark.parametrize(
    ("reason", "advice", "shown"),
    [
        ("It fails: exit 1", "exit 1", ("1: It fails: exit 1",)),
        ("It fails: t: exit 1", "t: exit 1\nE not there", ("1: t: exit 1 E not there",)),
        ("It fails", "do the rest", ("1: It fails", "1: do the rest")),
    ],
)
def test_r1_a_reason_is_not_told_twice(reason: str, advice: str, shown: tuple[str, ...]) -> None:
    night = Night("a", checks=())
    night.do(Start("agent", 1))
    night.do(NoteDecision(night.work(1, 5), "retry", reason, "outlast", advice))
    words = words_about(night)
    [row] = words.attempt_rows(words.record.tasks[0])
    assert row.reasons == shown


def test_x2_a_check_is_shown_in_the_form_in_which_people_write_it() -> None:
    night = Night("a", checks=(Check("file", "built"),))
    words = words_about(night)
    assert words.check_rows(words.record.tasks[0])[0].rule == "file: built"
