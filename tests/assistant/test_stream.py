"""The assistant as a stream of events, and turns that are stopped."""

import asyncio
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from outlast import Assistant, list_plans
from outlast.assistant import AssistantReply
from outlast.context.chat_model import Reply
from outlast.errors import InvalidStatus
from outlast.events import Event, Notified, Replied, Said, Stopped, Streamed, to_json
from tests.agent.loops.replan_loop.replies import Script, done, planned, use
from tests.fake_model import ModelRequest


def progress(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notified)]


async def collect(assistant: Assistant, line: str) -> list[Event]:
    return [event async for event in assistant.stream(line)]


def never_answering(started: Callable[[], object] = lambda: None) -> Callable[[], object]:
    async def answer() -> str:
        started()
        await asyncio.Event().wait()
        return ""

    return answer


def test_r3_12_the_progress_has_plan_actions_results_and_counts(tmp_path: Path) -> None:
    model = Script(planned("查看"), use("/todo list"), done(), done("好了"))
    events: list[Event] = []
    Assistant(model, tmp_path, language="zh", listener=events.append).handle("看看待办")
    lines = "\n".join(progress(events))
    for part in ("计划列表：", "步骤动作：todo -> /todo list", "步骤结果：成功", "完成情况："):
        assert part in lines


def test_r3_12_what_the_model_itself_writes_is_no_event(tmp_path: Path) -> None:
    class Talkative(Script):
        async def reply(self, request: ModelRequest) -> Reply:
            reply = await super().reply(request)
            if request.on_text:
                request.on_text(f"SECRET THOUGHTS {reply.text}")
            return reply

    events: list[Event] = []
    model = Talkative(planned("a"), done(), done("Fine."))
    Assistant(model, tmp_path, listener=events.append).handle("Do it")
    assert not [event for event in events if isinstance(event, Streamed | Said)]
    assert "SECRET" not in str(events)
    assert events


def test_a_turn_is_a_stream_of_events_that_ends_with_the_reply(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("a"), done(), done("Fine.")), tmp_path)
    events = asyncio.run(collect(assistant, "Do it"))
    assert "Planned: 1 item" in progress(events)
    assert isinstance(events[-2], Stopped)
    assert events[-1] == Replied(AssistantReply("Fine.", "answer"))
    (only,) = asyncio.run(collect(assistant, "/todo list"))
    assert isinstance(only, Replied)
    assert only.reply.kind == "command"


def test_every_event_of_a_turn_can_be_sent_to_another_program(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("a"), done(), done("Fine.")), tmp_path)
    lines = [json.dumps(to_json(each)) for each in asyncio.run(collect(assistant, "Do it"))]
    assert json.loads(lines[-1]) == {"type": "reply", "reply": {"text": "Fine.", "kind": "answer"}}


def test_handle_works_where_an_event_loop_is_running(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("a"), done(), done("Fine.")), tmp_path)

    async def main() -> str:
        return assistant.handle("Do it").text

    assert asyncio.run(main()) == "Fine."


def test_cancel_stops_the_turn_and_continue_goes_on(tmp_path: Path) -> None:
    def stop() -> None:
        Thread(target=assistant.cancel).start()

    model = Script(planned("a"), use("/todo add milk"), never_answering(stop))
    assistant = Assistant(model, tmp_path)
    assistant.cancel()  # there is nothing to stop yet
    reply = assistant.handle("Buy milk")
    assert (reply.kind, reply.text) == (
        "cancelled",
        "Stopped. Type 'continue' to go on, or /cancel to drop the task.",
    )
    task = assistant.pending_task()
    assert task is not None
    assert (task.state, task.goal) == ("paused", "Buy milk")
    model.answers += [done(), done("Fine.")]
    assert assistant.handle("continue").text == "Fine."
    assert [todo.text for todo in assistant.agenda.todos().values()] == ["milk"]


def test_cancel_stops_a_turn_that_has_not_reached_its_model(tmp_path: Path) -> None:
    async def main() -> AssistantReply:
        answering = asyncio.create_task(assistant.ahandle("Do it"))
        while not answering.done():
            assistant.cancel()
            await asyncio.sleep(0)
        return await answering

    assistant = Assistant(Script(), tmp_path)
    reply = asyncio.run(main())
    assert (reply.kind, reply.text) == ("cancelled", "Stopped before a task began.")
    assert assistant.tasks() == []


def test_a_task_that_is_stopped_while_it_is_created_is_dropped_or_can_be_continued(
    tmp_path: Path,
) -> None:
    async def plan() -> object:
        if stopping.is_alive():
            await asyncio.Event().wait()
        return planned("a")

    def stop_early() -> None:
        while not [*tmp_path.rglob("journal.jsonl")]:
            pass
        assistant.cancel()
        assistant.cancel()

    assistant = Assistant(Script(plan, plan, done(), done("Fine.")), tmp_path)
    stopping = Thread(target=stop_early)
    stopping.start()
    reply = assistant.handle("Do it")
    stopping.join()
    assert reply.kind == "cancelled"
    if "continue" in reply.text:
        assert assistant.handle("continue").text == "Fine."
    assert list_plans(tmp_path) == []


def test_a_task_that_is_over_cannot_be_stopped_any_more(tmp_path: Path) -> None:
    def stop_too_late(event: Event) -> None:
        if isinstance(event, Stopped):
            asyncio.get_running_loop().call_soon(assistant.cancel)

    model = Script(planned("a"), done(), done("Fine."))
    assistant = Assistant(model, tmp_path, listener=stop_too_late)
    assert assistant.handle("Do it") == AssistantReply("Fine.", "answer")
    assert assistant.tasks() == []


def test_leaving_a_stream_stops_its_turn(tmp_path: Path) -> None:
    async def leave() -> None:
        stream = assistant.stream("Buy milk")
        async for _ in stream:
            break
        await stream.aclose()

    assistant = Assistant(Script(planned("a"), never_answering()), tmp_path)
    asyncio.run(leave())
    task = assistant.pending_task()
    assert task is not None
    assert task.state == "paused"


def test_a_cancelled_caller_is_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        def stop() -> None:
            working.cancel()

        model = Script(never_answering(stop))
        working = asyncio.create_task(Assistant(model, tmp_path).ahandle("Buy milk"))
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(main())
    assert [task.state for task in Assistant(store=tmp_path).tasks()] == ["paused"]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C interrupt, even if the tests run in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_pauses_the_task_and_reaches_the_caller(tmp_path: Path) -> None:
    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Assistant(Script(planned("a"), never_answering(interrupt)), tmp_path).handle("Buy milk")
    assistant = Assistant(Script(done(), done("Fine.")), tmp_path)
    assert [task.state for task in assistant.tasks()] == ["paused"]
    assert assistant.handle("continue").text == "Fine."


def test_one_input_is_answered_at_a_time(tmp_path: Path) -> None:
    refused: list[Exception] = []

    async def another() -> object:
        try:
            await collect(assistant, "/todo list")
        except InvalidStatus as error:
            refused.append(error)
        return planned("a")

    assistant = Assistant(Script(another, done(), done("Fine.")), tmp_path)
    events = asyncio.run(collect(assistant, "Do it"))
    assert len(refused) == 1
    assert "Planned: 1 item" in progress(events), "the first stream goes on"
    assert assistant.handle("/todo list").kind == "command"


def test_leaving_the_context_stops_the_turn(tmp_path: Path) -> None:
    with Assistant(store=tmp_path) as assistant:
        assert assistant.handle("/todo add milk").kind == "command"
