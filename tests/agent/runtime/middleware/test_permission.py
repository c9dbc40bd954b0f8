"""Permission: what is allowed, who was asked, and that the plan records both."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.effects import Act, Acted, Record
from outlast.agent.events import Asked, CallRefused, Event
from outlast.agent.people.person import Person
from outlast.agent.runtime.lane import Lane
from outlast.agent.runtime.middleware.permission import ask_permission
from outlast.agent.runtime.pipeline import LAYERS, main_lane
from outlast.agent.runtime.run import Run
from outlast.agent.tools.choice import as_tool, built_in_tools
from outlast.context.chat_model import Call
from outlast.context.tool import PermissionRequest, Tool
from outlast.errors import Refused, Unconfirmed
from outlast.language import Language
from outlast.model.changes import QuestionAnswered, QuestionAsked, RefusalNoted
from outlast.model.model import Question
from tests.agent.runtime.scene import parts
from tests.fake_model import FakeModel
from tests.making import make_plan, state_of

DANGEROUS = Call("bash", {"command": "rm -rf build"})


class FakePerson:
    """A person who gives these answers in turn, and then is absent."""

    def __init__(self, *answers: str | None) -> None:
        self._answers = list(answers)
        self.asked: list[Question] = []

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question)
        return self._answers.pop(0) if self._answers else None


class Gate:
    """A workspace, its tools, and a plan that records the permissions."""

    def __init__(self, work: Path, tools: Iterable[Tool] = ()) -> None:
        (work / "build").mkdir(parents=True)
        self.work, self.events = work, list[Event]()
        self.plan = make_plan("One")
        self._held = self.plan.core.claim_plan(60)
        self._tools = (*built_in_tools(str(work), allow_outside=True), *tools)

    def close(self) -> None:
        self._held.__exit__(None, None, None)

    def lane(
        self,
        person: Person | None = None,
        *,
        allow: Iterable[str] = (),
        yes: bool = False,
        language: Language = "en",
    ) -> Lane:
        """Return the main lane of a new run."""
        needs = parts(
            self.plan,
            FakeModel(),
            self._tools,
            listener=self.events.append,
            person=person,
            allow=tuple(allow),
            yes=yes,
            language=language,
        )
        return main_lane(Run(self.plan, self._held.lease, *needs))

    def act(self, call: Call = DANGEROUS, *given: Any, **more: Any) -> Acted:
        return done(self.lane(*given, **more), call)

    def refusals(self) -> list[tuple[str, str]]:
        """Return the calls that were refused, as events and in the journal: what, and why."""
        events = [event for event in self.events if isinstance(event, CallRefused)]
        changes = (change for commit in self.plan.history.commits() for change in commit.changes)
        noted = [change for change in changes if isinstance(change, RefusalNoted)]
        assert {event.by for event in events} <= {"permission"}
        assert [event.reason for event in events] == [one.note for one in reversed(noted)]
        return [(event.call.name, event.reason) for event in events]

    def log(self) -> list[str]:
        """Return who asked and answered what."""
        changes = [
            change for commit in reversed(self.plan.history.commits()) for change in commit.changes
        ]
        said = []
        for change in changes:
            if isinstance(change, QuestionAsked):
                said.append(f"asked: {change.question.text}")
            elif isinstance(change, QuestionAnswered):
                said.append(f"{change.by}: {change.answer}")
        return said


def done(lane: Lane, call: Call = DANGEROUS) -> Acted:
    async def perform() -> Acted:
        await lane.perform(Record())
        outcome = (await lane.perform(Act(call))).outcome
        await lane.finish()
        assert isinstance(outcome, Acted)
        return outcome

    return asyncio.run(perform())


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path / "work")
    yield made
    made.close()


def test_harmless_calls_need_no_permission(gate: Gate) -> None:
    person = FakePerson("no")
    assert gate.act(Call("bash", {"command": "echo hi"}), person).output == "hi\n"
    assert gate.act(Call("nothing"), person).error
    assert not person.asked
    assert gate.log() == []


def test_without_a_person_the_answer_is_no(gate: Gate) -> None:
    for person in (None, FakePerson(), FakePerson("  ")):
        acted = gate.act(DANGEROUS, person)
        assert acted.code == "NOT_PERMITTED"
        assert acted.error.startswith("Not allowed, and there is no one to ask: `rm -rf build`.")
    assert (gate.work / "build").exists()
    assert gate.log()[1] == "tester: (no answer)"
    assert not [
        q for q in state_of(gate.plan).ledger.conversation.questions.values() if q.answer is None
    ]


@pytest.mark.parametrize("answer", ["yes", "Y", " Yes! ", "ok", "always", "是", "总是。"])
def test_r4_11_a_person_may_allow_it_and_the_log_says_so(answer: str, gate: Gate) -> None:
    acted = gate.act(DANGEROUS, FakePerson(answer))
    assert (acted.error, acted.output) == ("", "(no output)")
    assert not (gate.work / "build").exists()
    asked = (
        "bash wants to run a possibly destructive command: `rm -rf build`. "
        "Allow? (yes / no / always)"
    )
    assert gate.log() == [f"asked: {asked}", f"human: {answer.strip()}"]
    [event] = [event for event in gate.events if isinstance(event, Asked)]
    assert (event.question.kind, event.question.text) == ("permit", asked)


@pytest.mark.parametrize(
    "answer", ["no", "n", "never", "no, move it", "否", "不", f"no, {'x' * 900}"]
)
def test_the_model_sees_why_it_may_not(answer: str, gate: Gate) -> None:
    acted = gate.act(DANGEROUS, FakePerson(answer))
    assert acted.code == "NOT_PERMITTED"
    assert acted.error == f"Not allowed: `rm -rf build`. The answer was: {answer[:200]}"
    assert (gate.work / "build").exists()
    assert gate.log()[-1] == f"human: {answer[:200]}"


@pytest.mark.parametrize("unclear", ["maybe", "yes but not today", "/plan", "cancel", "x" * 900])
def test_r4_11_an_unclear_answer_is_asked_again_and_is_no_answer(unclear: str, gate: Gate) -> None:
    person = FakePerson(unclear, unclear, "yes")
    assert not gate.act(DANGEROUS, person).error
    shown = unclear if len(unclear) <= 80 else f"{unclear[:79]}…"
    hint = f'"{shown}" does not answer question 1: answer yes (y), no (n) or always (a)'
    assert [question.text for question in person.asked[1:]] == [hint, hint]
    assert gate.log()[1:] == ["human: yes"]
    (gate.work / "build").mkdir()
    person = FakePerson(unclear, unclear, unclear, "yes")
    acted = gate.act(DANGEROUS, person)
    assert (acted.code, len(person.asked)) == ("NOT_PERMITTED", 3)
    assert gate.log()[-1] == "tester: (no answer)"


def test_always_holds_for_the_same_thing_in_the_same_run(gate: Gate) -> None:
    person = FakePerson("always", "yes", "no")
    lane = gate.lane(person)
    for _ in range(3):
        (gate.work / "build").mkdir(exist_ok=True)
        assert not done(lane).error
    assert len(person.asked) == 1
    assert not done(lane, Call("bash", {"command": "rm -rf other"})).error
    assert done(lane, Call("bash", {"command": "rm -rf other"})).code == "NOT_PERMITTED"
    assert done(gate.lane(person)).code == "NOT_PERMITTED", "another run asks again"


def test_once_means_once(gate: Gate) -> None:
    lane = gate.lane(FakePerson("yes"))
    assert not done(lane).error
    assert done(lane).code == "NOT_PERMITTED"


def test_yes_allows_everything_without_asking(gate: Gate) -> None:
    person = FakePerson("no")
    assert not gate.act(DANGEROUS, person, yes=True).error
    assert not person.asked


@pytest.mark.parametrize(
    ("pattern", "command", "allowed"),
    [
        ("bash:rm -rf build", "rm -rf build", True),
        ("bash:rm", "ls; rm -rf build", True),
        ("bash", "rm -rf build", True),
        ("bash:rm -rf build", "rm -rf build; rm -rf src", False),
        ("bash:git push", "git push; rm -rf build", False),
        ("bash:rm -rf", "rm -rf /etc/nothing", False),
        ("path:/etc", "ls /etc/ssl", True),
        ("path:/etc", "ls /usr", False),
        ("path", "rm -rf build", False),
    ],
)
def test_a_pattern_allows_what_it_names_and_nothing_beside_it(
    pattern: str, command: str, *, allowed: bool, gate: Gate
) -> None:
    acted = gate.act(Call("bash", {"command": command}), allow=[pattern])
    assert (acted.code != "NOT_PERMITTED") == allowed


def test_permission_for_outside_paths_names_the_real_path(gate: Gate) -> None:
    secret = gate.work.parent / "secret.txt"
    secret.write_text("hidden")
    (gate.work.parent / "link").symlink_to(secret)
    person = FakePerson("yes")
    assert gate.act(Call("read_file", {"path": "../link"}), person).output == "hidden"
    assert person.asked[0].text.startswith(
        f"read_file wants to access something outside the workspace: `{secret}`. "
    )
    assert gate.act(Call("read_file", {"path": "../link"})).code == "NOT_PERMITTED"
    call = Call("write_file", {"path": str(secret), "content": "x"})
    assert not gate.act(call, allow=[f"path:{secret}"]).error


def test_a1_the_person_sees_what_is_really_there(gate: Gate) -> None:
    person = FakePerson()
    gate.act(Call("bash", {"command": "rm -rf build #\x1b[2K\r echo \u202esafe"}), person)
    shown = person.asked[0].text
    assert shown.isprintable()
    assert "rm -rf build #\\x1b[2K\\r echo \\u202esafe" in shown
    long = f"rm -rf {'x' * 900} {'y' * 900}"
    gate.act(Call("bash", {"command": long}), person)
    assert "characters omitted …]" in person.asked[1].text
    assert len(person.asked[1].text) < 2_000


def test_a5_secrets_in_a_command_do_not_reach_the_journal(gate: Gate) -> None:
    key = "sk-ant-api03-" + "a1b2" * 10
    acted = gate.act(Call("bash", {"command": f"rm -rf x; API_KEY={key} ls"}), FakePerson("no"))
    for told in (acted.error, "".join(gate.log()), str(state_of(gate.plan).ledger.conversation)):
        assert key not in told
        assert "rm -rf x; API_KEY=[redacted] ls" in told


def test_x8_permission_is_asked_in_chinese_too(gate: Gate) -> None:
    acted = gate.act(DANGEROUS, FakePerson("不行"), language="zh")
    assert acted.error == "不被允许：`rm -rf build`。回答是：不行"
    assert "允许吗？" in gate.log()[0]


def test_a_tool_that_fails_to_describe_its_call_needs_permission(tmp_path: Path) -> None:
    def broken(_params: dict[str, Any]) -> PermissionRequest | None:
        raise Unconfirmed("yes_needed", command="x")

    @as_tool(permission_request=broken)
    def launch() -> str:
        """Launch."""
        return "launched"

    @as_tool(permission_request=lambda _params: PermissionRequest("destructive", "the rocket"))
    def ignite() -> str:
        """Ignite."""
        return "ignited"

    odd: Any = "the whole house"

    @as_tool(permission_request=lambda _params: odd)
    def tidy() -> str:
        """Tidy up."""
        return "tidied"

    gate = Gate(tmp_path / "work", [launch, ignite, tidy])
    try:
        assert gate.act(Call("tidy")).code == "NOT_PERMITTED"
        assert gate.act(Call("launch")).code == "NOT_PERMITTED"
        assert gate.act(Call("launch"), FakePerson("yes")).output == "launched"
        assert gate.act(Call("ignite"), allow=["ignite:the rocket"]).output == "ignited"
        assert gate.act(Call("ignite"), allow=["launch"]).code == "NOT_PERMITTED"
    finally:
        gate.close()


class Elsewhere(FakePerson):
    """A person for whom somebody answers in the plan, before an answer is given here."""

    def __init__(self, gate: Gate, elsewhere: str, here: str | None) -> None:
        super().__init__(here)
        self._plan, self._elsewhere = gate.plan.acting_as("human"), elsewhere

    async def answer(self, question: Question) -> str | None:
        with suppress(Refused):
            self._plan.questions.answer(self._elsewhere, question.id)
        return await super().answer(question)


@pytest.mark.parametrize(
    ("elsewhere", "here", "allowed"),
    [
        ("no", None, False),
        ("no", "yes", False),
        ("no", "always", False),
        ("yes", None, False),
        ("yes", "no", False),
        ("yes", "yes", True),
    ],
)
def test_s1_a_no_counts_whoever_says_it_and_a_yes_only_from_the_person_who_is_asked(
    gate: Gate, elsewhere: str, here: str | None, *, allowed: bool
) -> None:
    lane = gate.lane(Elsewhere(gate, elsewhere, here))
    assert done(lane).code == ("" if allowed else "NOT_PERMITTED")
    assert (gate.work / "build").exists() != allowed
    assert [what for what, _ in gate.refusals()] == ([] if allowed else ["bash"])


def test_x2_every_refusal_is_an_event_and_in_the_journal(gate: Gate) -> None:
    gate.act(DANGEROUS)
    gate.act(DANGEROUS, FakePerson("no, not today"))
    gate.act(DANGEROUS, FakePerson("yes"))
    assert gate.refusals() == [("bash", "(no answer)"), ("bash", "no, not today")]


def test_f14_too_many_open_questions_are_a_no(gate: Gate) -> None:
    for number in range(100):
        gate.plan.questions.ask(f"question {number}?")
    acted = gate.act(DANGEROUS, FakePerson("yes"))
    assert acted.code == "NOT_PERMITTED"
    assert (gate.work / "build").exists()


def test_only_tools_need_permission() -> None:
    assert [kinds for middleware, kinds in LAYERS if middleware is ask_permission] == [Act]
