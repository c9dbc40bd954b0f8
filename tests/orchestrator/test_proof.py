"""X2 in orchestrated runs: checks before and after every attempt, and what they are worth."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from outlast import NewTask, Plan, create_plan
from outlast.agent.events import ChecksEnded, Event, Stopped
from outlast.agent.work import Report, WorkOrder, WorkResult
from outlast.model.changes import ProofNoted
from outlast.model.model import Check, Question
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent, succeed
from tests.orchestrator.test_scheduler import orchestrated

Act = Callable[[int], object]  # what an agent does at its n-th attempt
BUILT = Check("file", "built")


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    with create_plan(tmp_path, "Ship it", "ship", actor="human") as plan:
        yield plan


class Answering:
    """A person who does something before each answer."""

    def __init__(self, *answers: tuple[Callable[[], object], str]) -> None:
        self._answers, self.asked = list(answers), list[str]()

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question.text)
        if not self._answers:
            return None
        act, answer = self._answers.pop(0)
        await asyncio.to_thread(act)
        return answer


def carry_out(plan: Plan, act: Act, *, person: Any = None, says: str = "") -> Stopped:
    attempts = 0

    async def work(order: WorkOrder) -> WorkResult:
        nonlocal attempts
        attempts += 1
        await asyncio.to_thread(act, attempts)
        done = await succeed(order)
        return WorkResult(Report("SUCCESS", done.session, says), done.session) if says else done

    return orchestrated(plan, FakeAgent(work), FakeModel(), person=person, has_model=False)


def build_at(here: Path, wanted: int, attempt: int) -> None:
    """Build at one of the attempts only."""
    if attempt == wanted:
        (here / "built").touch()


def edit_view(here: Path, old: str, new: str) -> None:
    """Edit `task_plan.md` as soon as it shows the text."""
    view = next(here.rglob("task_plan.md"))
    while old not in view.read_text():
        sleep(0.01)
    view.write_text(view.read_text().replace(old, new))


def labels(plan: Plan) -> dict[int, str]:
    return {task: status.label for task, status in plan.checks.proofs().items()}


def stages(plan: Plan) -> list[tuple[str, bool]]:
    """Return at which stages the checks of task 1 ran, and whether they were green."""
    proofs = (
        change.proof
        for commit in plan.core.store.history()
        for change in commit.changes
        if isinstance(change, ProofNoted) and change.proof.evidence
    )
    return [(proof.stage, all(item.ok for item in proof.evidence)) for proof in proofs]


def test_x2_checks_run_before_and_after_every_attempt(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("build", checks=(BUILT,))])
    end = carry_out(plan, lambda n: build_at(tmp_path, 2, n))
    assert end.why == "finished"
    assert stages(plan) == [("before", False), ("later", False), ("before", False), ("done", True)]
    assert labels(plan) == {1: "proved"}


def test_x2_a_check_that_was_green_before_the_attempt_proves_little(
    plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "built").touch()
    plan.add_all([NewTask("build", checks=(BUILT,))])
    assert carry_out(plan, lambda _: None).why == "finished"
    assert labels(plan) == {1: "proved (was green)"}


def test_x2_a_later_change_of_a_proved_file_makes_the_proof_stale(
    plan: Plan, tmp_path: Path
) -> None:
    plan.add_all([NewTask("build", checks=(BUILT,)), NewTask("spoil", peers=(1,))])
    carry_out(plan, lambda n: (tmp_path / "built").write_text(f"{n}"))
    assert labels(plan)[1] == "stale"


def test_x2_a_touched_protected_file_is_tampered_and_a_person_decides(
    plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t").write_text("strict")
    plan.add_all([NewTask("build", checks=(BUILT,), protect=("tests/**",))])

    def work(_attempt: int) -> None:
        (tmp_path / "built").touch()
        (tmp_path / "tests/t").write_text("lax")

    person = Answering()
    end = carry_out(plan, work, person=person)
    assert (end.why, len(person.asked)) == ("waiting", 1), "asked at once, not after three tries"
    assert "tests/**" in person.asked[0] or "protect" in person.asked[0]
    assert (plan.task(1).status, labels(plan)) == ("in_progress", {1: "tampered"})


def test_x2_an_agent_that_edits_its_own_checks_is_not_believed(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("build", checks=(BUILT,))])
    cheats = list[int]()

    def cheat(attempt: int) -> None:
        edit_view(tmp_path, "file: built", "true")
        cheats.append(attempt)

    carry_out(plan, cheat)
    assert (plan.task(1).status, plan.task(1).checks) == ("in_progress", (BUILT,))
    assert cheats


def test_x2_a_python_function_proves_a_task(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "ready.py").write_text(
        "from pathlib import Path\ndef is_built(): return Path('built').exists()\n"
    )
    plan.add_all([NewTask("build", checks=(Check("python", "ready:is_built"),))])
    carry_out(plan, lambda _: (tmp_path / "built").touch())
    assert labels(plan) == {1: "proved"}


def test_x2_a_report_field_alone_is_only_reported(plan: Plan) -> None:
    plan.add_all([NewTask("build", checks=(Check("report", "results ~ all .* pass"),))])
    carry_out(plan, lambda _: None, says="all 12 pass")
    assert (plan.task(1).status, labels(plan)) == ("completed", {1: "reported"})


def test_x2_a_report_of_an_earlier_attempt_does_not_count(plan: Plan) -> None:
    plan.add_all([NewTask("build", checks=(Check("report", "results ~ done"),))])
    end = carry_out(plan, lambda _: None, says="not yet")
    assert (end.why, plan.task(1).status) == ("waiting", "in_progress")
    assert stages(plan)[-1] == ("later", False)


def test_r1_06_a_person_corrects_a_wrong_check_when_asked(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("build", checks=(Check("file", "biult"),))])
    person = Answering(
        (lambda: edit_view(tmp_path, "file: biult", "file: built"), "retry"),
        (lambda: None, "yes"),  # any process may have edited the file
    )
    end = carry_out(plan, lambda n: build_at(tmp_path, 4, n), person=person)
    assert (end.why, plan.task(1).checks) == ("finished", (BUILT,))
    assert labels(plan)[1].startswith("proved")
    assert "file: built" in person.asked[1]


def test_x2_what_only_a_person_can_tell_is_no_red_check_before_they_are_asked(plan: Plan) -> None:
    plan.add("Build", checks=[Check("person", "it looks good")])
    told = list[Event]()
    person = Answering((lambda: None, "yes"))
    model, agent = FakeModel(), FakeAgent()
    end = orchestrated(plan, agent, model, person=person, has_model=False, listener=told.append)
    assert (end.why, plan.task(1).how) == ("finished", "proved")
    ended = [event for event in told if isinstance(event, ChecksEnded)]
    assert [event.problem for event in ended] == [""] * len(ended)
    assert ended
