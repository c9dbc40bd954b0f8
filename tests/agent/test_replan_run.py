"""R3: an `AgentLoop` in the replan loop, with any tools, on a stored plan."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Check, Plan, RunResult, create_plan, open_plan
from outlast.errors import InvalidArgument, PlanNotFound
from outlast.hooks import HookContext, HookResult
from outlast.tools import built_in_tools
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use

GOAL = "Greet the world in hello.txt"
FINAL = done("hello.txt greets the world.")


def write(name: str = "hello.txt", content: str = "Hello, world\n") -> dict[str, Any]:
    return use({"path": name, "content": content}, "write_file")


class Place:
    """A directory in which agents work, one after the other, with a model that is scripted."""

    def __init__(self, root: Path) -> None:
        self.root, self.model = root, Script()
        self.events: list[object] = []

    def run(
        self, *answers: object, message: str = GOAL, resume: bool = False, **options: Any
    ) -> RunResult:
        self.model = Script(*answers)
        agent = AgentLoop(
            model=self.model,
            tools=built_in_tools(str(self.root)),
            workdir=self.root,
            key="greet",
            loop="replan",
            on_event=self.events.append,
            **options,
        )
        return asyncio.run(agent.run(message, resume=resume))

    def change(self, work: Callable[[Plan], object]) -> None:
        """Let a person change the plan between two runs."""
        with open_plan(self.root, key="greet", actor="human") as plan:
            work(plan)

    @property
    def plan(self) -> Plan:
        return open_plan(self.root, key="greet")

    @property
    def tasks(self) -> list[tuple[str, str]]:
        with self.plan as plan:
            return [(task.name, task.status) for task in plan.tasks()]

    @property
    def steps(self) -> int:
        with self.plan as plan:
            return plan.core.read(lambda state: state.ledger.replan.steps)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_r3_01_the_loop_works_with_files_and_ends_with_the_answer(place: Place) -> None:
    (place.root / "name.txt").write_text("Ada\n")
    ended = place.run(
        planned("find the name", "greet"),
        use("name.txt", "read_file"),
        done("the name is Ada"),
        replanned("greet Ada"),
        write(content="Hello, Ada\n"),
        done(),
        done("Ada is greeted."),
    )
    assert (ended.why, ended.status, ended.answer) == ("answered", "completed", "Ada is greeted.")
    assert (place.root / "hello.txt").read_text() == "Hello, Ada\n"
    assert place.tasks == [("find the name", "completed"), ("greet Ada", "completed")]
    assert ended.spent.model_calls == 7
    assert ended.spent.tool_calls == 2
    with place.plan as plan:
        assert plan.order == "sequential"
        assert plan.last_run is not None
        assert (plan.last_run.loop, plan.last_run.max_iterations) == ("replan", 20)


def test_r3_16_the_first_request_tells_the_goal_the_time_with_its_zone_and_the_tools(
    place: Place,
) -> None:
    place.run(planned(), done("Nothing to do."), FINAL)
    asked = place.model.asked[0]
    assert GOAL in asked
    assert "write_file" in asked
    assert ", UTC" in asked


def test_r3_08_a_question_waits_in_the_plan_and_its_answer_goes_on_with_a_replan(
    place: Place,
) -> None:
    ended = place.run(planned("greet"), ask("Whom?"))
    assert (ended.why, ended.text) == ("waiting", "Please confirm: Whom?")
    place.change(lambda plan: plan.questions.answer("Ada"))
    ended = place.run(replanned("greet Ada"), write(), done(), FINAL, resume=True)
    assert ended.why == "answered"
    assert "Ada" in place.model.asked[0]
    assert place.steps == 1 + 1 + 2 + 1 + 1


def test_r3_08_a_message_is_the_answer_to_an_open_question(place: Place) -> None:
    place.run(planned("greet"), ask("Whom?"))
    ended = place.run(replanned("greet Ada"), write(), done(), FINAL, message="Ada")
    assert ended.why == "answered"
    assert "Ada" in place.model.asked[0]


def test_r3_08_a_person_who_is_there_is_asked_at_once(place: Place) -> None:
    class Present:
        async def answer(self, _question: object) -> str | None:
            return "Ada"

    ended = place.run(
        planned("greet"), ask("Whom?"), replanned("greet Ada"), done(), FINAL, person=Present()
    )
    assert ended.why == "answered"
    assert "Ada" in place.model.asked[2]


@pytest.mark.parametrize("message", ["continue", "继续"])
def test_r3_05_after_the_limit_only_continue_grants_as_many_steps_again(
    place: Place, message: str
) -> None:
    ended = place.run(planned("greet"), write(), max_iterations=2)
    assert (ended.why, ended.status, place.steps) == ("limit", "paused", 2)
    assert place.model.answers == []
    assert place.run(max_iterations=9).why == "limit", "the goal again grants nothing"
    ended = place.run(done(), FINAL, message=message, max_iterations=2)
    assert (ended.why, place.steps) == ("answered", 4)


def test_x4_the_budget_ends_the_run_and_a_higher_one_lets_it_go_on(place: Place) -> None:
    ended = place.run(planned("greet"), write(), budget=Budget(model_calls=2))
    assert (ended.why, ended.status) == ("budget", "paused")
    ended = place.run(done(), FINAL, resume=True, budget=Budget(model_calls=9))
    assert ended.why == "answered"
    assert (place.root / "hello.txt").exists()


def test_r4_hooks_see_the_tool_runs_and_a_refusal_is_a_failed_step(place: Place) -> None:
    seen = []

    def guard(context: HookContext, _plan: object) -> HookResult | None:
        seen.append((context.point, context.tool_name))
        if context.point == "pre_tool_use" and context.tool_params.get("path") == "secret.txt":
            return HookResult(should_continue=False, inject_context="not that file")
        return None

    ended = place.run(planned("greet"), write("secret.txt"), write(), done(), FINAL, hooks=[guard])
    assert ended.why == "answered"
    assert ("pre_tool_use", "write_file") in seen
    assert not (place.root / "secret.txt").exists()
    assert "not that file" in place.model.asked[2]
    assert "complete_task" not in "".join(place.model.asked), "the rules are for the tool loop"


def test_r3_16_a_model_that_repeats_an_action_is_told_to_decide_something_else(
    place: Place,
) -> None:
    place.run(planned("greet"), write(), write(), done(), FINAL)
    repeats = ["Do not run write_file again" in each for each in place.model.asked]
    assert repeats == [False, False, False, True, False]


def test_x7_with_review_a_changed_list_waits_for_a_person_and_the_plan_remembers_it(
    place: Place,
) -> None:
    ended = place.run(planned("look", "greet"), done(), replanned("greet Ada"), review=True)
    assert ended.why == "waiting"
    assert "greet Ada" in ended.text
    with place.plan as plan:
        assert plan.last_run is not None
        assert plan.last_run.review
    place.change(lambda plan: plan.questions.answer("approve"))
    ended = place.run(write(), done(), FINAL, resume=True, review=True)
    assert ended.why == "answered"
    assert place.tasks == [("look", "completed"), ("greet Ada", "completed")]


def test_an_agent_without_a_directory_takes_one_goal_after_the_other() -> None:
    model = Script(planned("a"), use("x", "note"), done(), done("First."), planned(), done(), FINAL)

    def note(line: str) -> str:
        """Take a note."""
        return f"noted {line}"

    async def work() -> list[str]:
        agent = AgentLoop(model=model, tools=[note], loop="replan")
        return [(await agent.run(goal)).answer for goal in ("Goal one", "Goal two")]

    assert asyncio.run(work()) == ["First.", "hello.txt greets the world."]
    assert "noted x" in model.asked[2]


def test_m8_a_message_to_the_plan_is_read_by_the_next_request(place: Place) -> None:
    place.run(planned("greet"), write(), budget=Budget(model_calls=2))
    budget = Budget(model_calls=9)
    ended = place.run(done(), FINAL, message="Please be polite", budget=budget)
    assert ended.why == "answered"
    assert "Please be polite" in place.model.asked[0]


def test_dry_run_only_plans_and_the_plan_is_carried_out_after_its_approval(place: Place) -> None:
    ended = place.run(planned("greet", "look"), dry_run=True)
    assert ended.why == "answered"
    assert place.steps == 0
    assert [name for name, _ in place.tasks] == ["greet", "look"]
    place.change(lambda plan: plan.approve())
    ended = place.run(write(), done(), FINAL, resume=True)
    assert ended.why == "answered"


def test_a_plan_that_a_person_wrote_is_taken_as_it_is(place: Place) -> None:
    with create_plan(place.root, GOAL, "greet") as plan:
        plan.add("greet", description="in the file of the goal", constraints="no jokes")
    ended = place.run(write(), done(), FINAL)
    assert ended.why == "answered"
    assert "in the file of the goal" in place.model.asked[0]
    assert "no jokes" in place.model.asked[0]
    assert place.tasks == [("greet", "completed")]


def test_what_a_person_did_meanwhile_is_not_done_again(place: Place) -> None:
    place.run(planned("look", "greet", "leave"), use("x", "read_file"), max_iterations=2)

    def work(plan: Plan) -> None:
        plan.complete(1, "I looked")
        plan.remove(3)

    place.change(work)
    ended = place.run(replanned("greet"), write(), done(), FINAL, resume=True)
    assert ended.why == "answered"
    assert ("greet", "completed") in place.tasks


def test_x2_an_item_with_a_check_is_done_only_when_it_passes(place: Place) -> None:
    create_plan(place.root, GOAL, "greet").close()
    place.change(lambda plan: plan.add("greet", checks=[Check("file", "hello.txt")]))
    ended = place.run(done("I think it is there"), write(), done(), FINAL)
    assert ended.why == "answered"
    assert "hello.txt" in place.model.asked[1].partition("Observations")[2]
    with place.plan as plan:
        assert plan.checks.proof(1).label == "proved"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"loop": "faster"}, "loop"),
        ({"loop": "replan", "enable_planning": False}, "the loop `replan` works on a plan"),
        ({"review": True}, 'use loop="replan"'),
        ({"in_chat": True}, "in_chat: only the loop `replan`"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        AgentLoop(model=Script(), **options)
    assert told in str(refused.value)


def test_continue_without_a_plan_is_refused(place: Place) -> None:
    with pytest.raises(PlanNotFound):
        place.run(message="continue")
