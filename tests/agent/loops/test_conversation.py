"""R0.14, R0.09: what people say stays with the plan, and a conversation goes on where it can."""

from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.effects import Outcome
from outlast.context.chat_model import Call, Message
from outlast.context.plan_view import PlanView
from outlast.language import Language, text
from outlast.model.commands import TakeInterjections
from outlast.model.model import PERSON
from outlast.system.caller import MARK
from tests.agent.loops.play import GOAL, Play, begin_attempt, done, new_plan, poke

ONE = ToolLoop(max_iterations=1)
FREE = ToolLoop(stop_limit=0)
ASK = Call("ask_user", {"question": "Which colour?"}, "a1")
PROPOSE = Call("propose_goal", {"goal": "Sort them by date"}, "g1")


def paused_plan(*names: str) -> Any:
    plan = new_plan(*names)
    plan.start()
    plan.pause()
    return plan


def heard(play: Play) -> list[tuple[str, str]]:
    """Return what the plan has recorded of people's words."""
    messages = play.plan.core.read(lambda state: state.ledger.conversation.messages)
    return [(message.by, message.text) for message in messages]


# What people say


@pytest.mark.parametrize(
    ("language", "message", "head"),
    [("en", "How far are you? Use euros.", "[Paused task] "), ("zh", "用欧元", "[已暂停的任务] ")],
)
def test_r0_14_what_is_said_to_a_paused_plan_stays_with_it(
    language: Language, message: str, head: str
) -> None:
    plan = paused_plan("One", "Two")
    play = Play(["It is going well."], plan, language=language)
    assert play.say(message).status == "paused"
    assert heard(play) == [(PERSON, message)]
    assert play.messages(0)[1].text.startswith(head)
    assert play.shown(0).count(message) == 1, "the brief need not repeat it"
    again = Play(["[Done]"], plan, options=FREE)
    again.say("continue")
    assert again.shown(0).count(message) == 1
    assert heard(again) == [(PERSON, message)]


@pytest.mark.parametrize("message", ["继续执行，但用欧元", "请继续任务：用欧元"])
def test_r0_14_what_is_said_when_resuming_stays_with_the_plan(message: str) -> None:
    play = Play([("", poke())], paused_plan("One"), options=ONE)
    assert play.say(message).why == "limit"
    assert play.messages(0)[1].text.endswith(f"User instruction: {message}")
    assert heard(play) == [(PERSON, message)]


def test_r0_14_resuming_explicitly_resumes_whatever_is_said() -> None:
    plan = paused_plan("One")
    play = Play([("", poke())], plan, options=ONE)
    assert play.say("Use euros", resume=True).why == "limit"
    assert play.messages(0)[1].text.endswith("User instruction: Use euros")
    assert heard(play) == [(PERSON, "Use euros")]
    assert Play([], plan).say("/help", resume=True).status == "paused", "a command is a command"


@pytest.mark.parametrize(
    "message", ["continue", "Please go on!", "继续", "好的，请继续吧", GOAL, "/plan"]
)
@pytest.mark.parametrize("is_paused", [True, False])
def test_r0_14_a_phrase_or_a_command_is_not_recorded(message: str, *, is_paused: bool) -> None:
    plan = paused_plan("One")
    if not is_paused:
        plan.resume()
    play = Play([("", poke())], plan, options=ONE)
    play.say(message)
    assert heard(play) == []


def test_r0_14_what_is_said_in_a_later_run_stays_with_an_unfinished_plan() -> None:
    plan = new_plan("One", "Two")
    Play(["Bye"], plan, options=FREE).say(GOAL)
    Play(["Fine"], plan, options=FREE).say("Use euros, not dollars")
    play = Play(["Fine"], plan, options=FREE)
    play.say("And round them")
    assert heard(play) == [(PERSON, "Use euros, not dollars"), (PERSON, "And round them")]
    assert "1. Use euros, not dollars\n" in play.shown(0)
    assert play.shown(0).count("And round them") == 1


def test_r0_12_not_done_yet_with_a_reason_stays_with_the_plan() -> None:
    plan = new_plan("One", "Two")
    plan.complete(1)
    play = Play(["Fine"], plan, options=FREE)
    play.say("not done yet, the last page is missing")
    assert heard(play) == [(PERSON, "not done yet, the last page is missing")]
    assert play.statuses() == ["in_progress", "pending"]


@pytest.mark.parametrize(
    ("language", "message", "note", "notice"),
    [
        ("en", "not done yet", "not done yet (about step 1)", "Step 1 is open again.\n"),
        ("zh", "还没完成", "还没完成（指步骤 1）", "步骤 1 已重新打开。\n"),
    ],
)
def test_r0_12_not_done_yet_to_a_paused_plan_is_told_to_who_resumes_it(
    language: Language, message: str, note: str, notice: str
) -> None:
    plan = new_plan("One", "Two")
    plan.complete(1)
    plan.pause()
    stopped = Play([], plan, language=language).say(message)
    assert (stopped.why, stopped.text.startswith(notice)) == ("paused", True)
    play = Play(["Fine"], plan, options=FREE, language=language)
    play.say("continue")
    assert play.shown(0).count(note) == 1


def test_r0_14_interjections_stay_and_commands_among_them_do_not() -> None:
    plan = new_plan("One", "Two")

    def act(effect: e.ToolCall) -> dict[str, Any]:
        for words in (
            ("Use euros", "/plan", "继续", "not done yet") if effect.call.id == "c1" else ()
        ):
            plan.acting_as(PERSON).questions.say(words)
        return {}

    play = Play([("", poke(1)), ("", poke(2)), "Bye"], plan, act=act, options=FREE)
    play.say(GOAL)
    assert heard(play) == [(PERSON, "Use euros")]
    assert play.view().new_messages == ()
    assert "1. Use euros\n" in brief_of(plan)


def test_r0_14_the_commands_among_interjections_are_named_once() -> None:
    plan = new_plan("One", "Two")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.acting_as(PERSON).questions.say("/plan")
        return {}

    play = Play([("", poke(1)), ("", poke(2)), "Hm", "Bye"], plan, act=act, options=FREE)
    play.say(GOAL)
    records = [
        one for effect in play.effects if isinstance(effect, e.Record) for one in effect.commands
    ]
    dropped = [one.dropped for one in records if isinstance(one, TakeInterjections)]
    assert dropped == [(1,), (2,)]


def brief_of(plan: Any, message: str = "continue") -> str:
    """Return the first message of a new conversation on a plan."""
    play = Play([("", poke())], plan, options=ONE)
    play.say(message)
    return play.messages(0)[1].text


def test_r0_14_a_message_too_long_to_be_stored_keeps_both_its_ends() -> None:
    play = Play(["Fine"], new_plan("One"), options=FREE)
    play.say(f"First {'x' * 20_000} and use euros")
    ((_, message),) = heard(play)
    assert message.startswith("First x")
    assert message.endswith("x and use euros")
    assert len(message) <= 16_000
    assert "x" * 20_000 in play.shown(0), "the model reads all of it"


def test_a5_a_secret_that_is_said_is_not_recorded() -> None:
    secret = "sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    play = Play(["Fine"], new_plan("One"), options=FREE)
    play.say(f"Use {secret}")
    assert secret not in str(play.plan.core.store.commits_since(0))
    assert secret in play.shown(0)


# The brief


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r0_14_a_new_conversation_on_a_plan_starts_with_the_brief_once(language: Language) -> None:
    plan = new_plan("One", "Two", goal=f"Sort the reports. {'Very well. ' * 30}Write it in German")
    plan.complete(1, "Found 5 links")
    play = Play([("", poke())], plan, options=ONE, language=language)
    play.say("Go")
    opening = play.messages(0)[1].text
    head, tail = text("resuming", language, summary=""), text("instruction", language, text="Go")
    assert opening.startswith(head)
    assert opening.endswith(f"\n\n{tail}")
    assert opening.count("Write it in German") == 1
    assert "Found 5 links" in opening
    assert [message.role for message in play.messages(0)] == ["system", "user", "user"]
    assert play.messages(0)[2].text.startswith("<plan>")


def test_r0_14_a_compaction_starts_from_the_brief() -> None:
    plan = new_plan("One", "Two")
    plan.complete(1, "Found 5 links")
    replies = [(f"Step {n}", poke(n)) for n in range(6)]
    options = ToolLoop(context_characters=6_000, stop_limit=0)
    play = Play([*replies, "Bye"], plan, options=options, act=lambda _: {"output": "x" * 2_000})
    play.say("Use euros")
    last = play.messages()
    assert last[1].text.startswith("[Resuming task] ")
    assert last[1].text.endswith("User instruction: continue")
    assert last[1].text.count("Use euros") == play.shown().count("Use euros") == 1
    assert "Found 5 links" in last[1].text


def test_r0_12_a_plan_that_is_lost_while_its_brief_is_read_is_not_shown() -> None:
    plan = paused_plan("One")
    play = Play([("", poke())], plan, options=ONE)

    class Losing(Play):
        def _outcome(self, effect: e.Effect) -> Outcome:
            if isinstance(effect, e.ReadBrief):
                self.has_plan = False
            return super()._outcome(effect)

    play = Losing(["Hello"], plan, options=ONE)
    play.say("continue")
    assert [message.text for message in play.messages(0)[1:]] == ["continue"]


# The conversation so far


def test_a_second_run_continues_the_conversation_without_a_plan() -> None:
    play = Play(["Hello Ada.", "Your name is Ada."])
    play.say("My name is Ada")
    play.say("What is my name?")
    assert [(message.role, message.text) for message in play.messages()[1:]] == [
        ("user", "My name is Ada"),
        ("assistant", "Hello Ada."),
        ("user", "What is my name?"),
    ]


def test_a_second_run_continues_the_conversation_of_a_plan() -> None:
    play = Play([("I look", poke()), ("", poke(2))], new_plan("One"), options=ONE)
    play.say(GOAL)
    play.say("继续")
    roles = [message.role for message in play.messages()]
    assert roles == ["system", "user", "assistant", "tool", "user", "user"]
    resumed = play.messages()[4].text
    assert resumed.startswith("[Resuming task] Current task: ")
    assert resumed.endswith("\n\nUser instruction: 继续")
    assert sum(isinstance(effect, e.ReadBrief) for effect in play.effects) == 1
    assert not any(isinstance(effect, e.ReadExchange) for effect in play.effects[-9:])


def test_a_message_to_a_plan_that_is_not_paused_is_only_appended() -> None:
    play = Play(["Bye", "Fine"], new_plan("One"), options=FREE)
    play.say(GOAL)
    play.say("Use euros")
    assert [message.text for message in play.messages()[2:4]] == ["Bye", "Use euros"]


def test_r0_03_a_new_goal_after_a_plan_has_ended_continues_the_conversation() -> None:
    replies = [
        ("[Step] One", poke()),
        ("Blue it is.", done(1)),
        "All done.",
        ("[Step] Two", poke()),
    ]
    play = Play(replies, options=ToolLoop(max_iterations=3))
    assert play.say("Paint it").status == "completed"
    play.options = ONE
    assert play.say("Now the next one").status == "paused"
    assert play.plan.goal == "Now the next one"
    assert "Blue it is." in play.shown()
    assert play.messages()[-1].text == "Now the next one", "and no block of the plan that ended"


def test_x3_calls_that_a_run_left_without_a_result_get_one() -> None:
    play = Play([("", ASK, poke()), "[Done]"], new_plan("One"))
    assert play.say(GOAL).why == "waiting"
    assert play.say("Blue").status == "completed"
    results = [message for message in play.messages() if message.role == "tool"]
    assert [message.call_id for message in results] == ["a1", "c1"]
    assert {message.text for message in results} == {text("call_unfinished")}
    assert play.messages()[-2].text.endswith("User instruction: Blue")


def test_r0_14_a_conversation_that_missed_what_others_did_gets_the_brief() -> None:
    play = Play([("I look", poke()), ("", poke(2))], new_plan("One"), options=ONE)
    play.say(GOAL)
    Play([("", poke(3))], play.plan, options=ONE).say("继续")
    play.say("继续")
    assert sum(isinstance(effect, e.ReadBrief) for effect in play.effects) == 2
    assert "I look" in play.shown(), "what was said before stays"


def test_r0_14_an_answer_given_between_two_runs_is_told_once() -> None:
    play = Play([("", ASK), ("", poke()), ("", poke(2))], new_plan("One"), options=ONE)
    assert play.say(GOAL).why == "waiting"
    play.plan.acting_as(PERSON).questions.answer("Use EUROS")
    play.say("continue")
    assert play.shown().count("Use EUROS") == 1
    play.say("continue")
    assert play.shown().count("Use EUROS") == 1
    assert sum(isinstance(effect, e.ReadBrief) for effect in play.effects) == 2


def test_r0_14_an_answer_of_a_person_who_is_asked_again_is_told() -> None:
    play = Play([("", ASK), ("", poke())], new_plan("One"), options=ONE, answers=[None, "EUROS"])
    assert play.say(GOAL).why == "waiting"
    play.say(GOAL)
    assert play.shown().count("EUROS") == 1


def test_r0_14_an_answer_given_during_a_run_is_told_in_the_next_one() -> None:
    def act(_effect: e.ToolCall) -> dict[str, Any]:
        if play.view().questions:
            play.plan.acting_as(PERSON).questions.answer("no")
        return {}

    replies = [("", PROPOSE), ("", poke()), ("", poke(2))]
    play = Play(replies, new_plan("One"), act=act, options=ToolLoop(max_iterations=2))
    play.say(GOAL)
    play.options = ONE
    play.say("continue")
    assert "(asked whether to change the goal to: Sort them by date) no" in play.shown()


def test_r0_14_a_message_that_answers_a_question_needs_no_brief() -> None:
    play = Play([("", ASK), ("", poke())], new_plan("One"), options=ONE)
    play.say(GOAL)
    play.say("EUROS")
    assert play.shown().count("EUROS") == 1
    assert sum(isinstance(effect, e.ReadBrief) for effect in play.effects) == 1


@pytest.mark.parametrize("is_aside", [True, False])
def test_r0_14_a_goal_changed_between_two_runs_is_told_once(*, is_aside: bool) -> None:
    play = Play([("", poke(1)), "Hm", ("", poke(2))], new_plan("One"), options=ONE)
    play.say(GOAL)
    goal = f"Sort the reports. {'Read them with care. ' * 40}Write it in GERMAN"
    play.plan.acting_as(PERSON).edit(goal=goal)
    message = "How far are you?" if is_aside else "continue"
    play.say(message)
    assert play.shown().count("GERMAN") == 1
    play.say(message)
    assert play.shown().count("GERMAN") == 1


def test_r0_14_a_conversation_beside_a_paused_plan_is_compacted() -> None:
    options = ToolLoop(context_characters=6_000)

    def advise(effect: e.Consult, _plan: PlanView) -> dict[str, Any]:
        return {"inject": ("Mind the rules",)} if effect.point == "pre_compact" else {}

    plan = paused_plan("One")
    play = Play([f"{n} {'y' * 1_500}" for n in range(12)], plan, options=options, advise=advise)
    for number in range(12):
        play.say(f"What about {number}? {'z' * 400}")
        texts = [message.text for message in play.messages()[1:]]
        assert sum(map(len, texts)) < 7_500, "the limit, and the block of the plan"
        assert texts[-1].startswith(f"What about {number}? ")
        assert "".join(texts).count(f"What about {number}? ") == 1
        assert not number or any(text.startswith(f"{number - 1} y") for text in texts)
    assert "Mind the rules" in play.shown()
    assert any(one.text.startswith("[Paused task] ") for one in play.messages())
    assert play.plan.status == "paused"


def test_a13_words_that_a_plan_refuses_are_not_lost_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(f"{MARK}1", "1")
    play = Play([("", poke()), ("", poke(2))], paused_plan("One"), options=ONE)
    play.say("Use euros", resume=True)
    facts = {"argument": "actor", "agent": "agent", "variable": f"{MARK}*"}
    assert play.notices("unrecorded") == [text("person_inside_agent", **facts)]
    play.options = ToolLoop(max_iterations=1, speaker="outer")
    play.say("Round them", resume=True)
    assert heard(play) == [("outer", "Round them")]


def test_x3_a_settled_attempt_is_told_in_a_conversation_that_goes_on() -> None:
    play = Play([("I look", poke()), "[Done]"], new_plan("One"), options=ONE, settled="done")
    play.say(GOAL)
    begin_attempt(play.plan)
    play.say("继续")
    assert 'interrupted, but it was done: poke {"where":"here"}' in play.shown()


def test_a_question_beside_a_paused_plan_belongs_to_the_conversation() -> None:
    play = Play(["Sunny.", "In Rome.", ("", poke())], paused_plan("One"), options=ONE)
    play.say("How is the weather?")
    play.say("Where?")
    assert [message.text for message in play.messages()[2:4]] == ["How is the weather?", "Sunny."]
    play.say("继续")
    assert "In Rome." in play.shown()
    assert sum(isinstance(effect, e.ReadBrief) for effect in play.effects) == 1


def test_slash_commands_leave_the_conversation_as_it_was() -> None:
    play = Play(["Hello Ada.", "Ada."])
    play.say("My name is Ada")
    play.say("/help")
    play.say("What is my name?")
    assert len(play.messages()) == 4


def test_a_long_conversation_is_compacted_over_several_runs() -> None:
    options = ToolLoop(context_characters=2_000)
    play = Play([f"{n} {'x' * 700}" for n in range(5)], options=options)
    for words in ("My name is Ada", "second", "third", "fourth", "fifth"):
        play.say(words)
    shown = [message.text for message in play.messages()[1:]]
    assert sum(map(len, shown)) < 2_000
    assert shown[0] == "My name is Ada"
    assert shown[-2].startswith("3 x") or shown[-2] == "fourth"
    assert "fifth" in shown


def test_r0_14_what_was_said_before_a_plan_outlives_a_compaction() -> None:
    options = ToolLoop(context_characters=6_000, stop_limit=0)
    replies = ["Hello Ada.", ("[Step] One", poke()), *[("", poke(n)) for n in range(2, 7)], "Bye"]
    play = Play(replies, options=options, act=lambda _: {"output": "x" * 2_000})
    play.say("My name is Ada")
    play.say("Sort them")
    assert play.messages()[1].text == "My name is Ada"
    assert play.messages()[2].text.startswith("[Resuming task] ")


# After a restart


def test_r0_14_the_last_exchange_comes_before_the_brief() -> None:
    exchange = (Message("assistant", "I look", (poke(),)), Message("tool", "found", (), "c1"))
    play = Play([("", poke(2))], paused_plan("One"), options=ONE)
    play.exchange = exchange
    play.say("继续")
    messages = play.messages(0)
    assert [message.role for message in messages] == [
        *("system", "user", "assistant", "tool", "user", "user")
    ]
    assert messages[1].text == text("exchange_before")
    assert messages[2:4] == exchange
    assert messages[4].text.startswith("[Resuming task] ")


# Phrases


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("message", ["continue", "继续"])
def test_r0_09_after_a_plan_has_ended_continue_begins_nothing(
    language: Language, message: str
) -> None:
    plan = new_plan("One")
    plan.complete(1)
    stopped = Play([], plan, language=language).say(message)
    assert (stopped.status, stopped.why) == ("completed", "answered")
    shown = text("nothing_to_resume", language, goal=GOAL, done=1, total=1)
    assert stopped.text == shown
    assert Play([], language=language).say(message).text == text("nothing_begun", language)


def test_r0_09_a_goal_that_is_a_sentence_ends_with_one_full_stop() -> None:
    plan = new_plan("One", goal="Write it in German.")
    plan.complete(1)
    assert "German. To begin" in Play([], plan).say("continue").text


def test_r0_09_continue_without_a_plan_is_a_message_in_a_conversation() -> None:
    play = Play(["Once upon a time", "there was a cat"])
    play.say("Tell me a story")
    assert play.say("continue").text == "there was a cat"


# The answer


def test_r0_06_what_is_said_with_the_last_call_is_the_answer_if_nothing_else_is() -> None:
    plan = new_plan("One")
    play = Play([("All 5 are sorted.\n[Progress] 5/5 One", done(1)), ""], plan)
    stopped = play.say(GOAL)
    assert (stopped.text, stopped.answer) == ("All 5 are sorted.",) * 2
    assert play.said() == ["All 5 are sorted."]
    assert plan.core.read(lambda state: state.notes.answer) == "All 5 are sorted."


def test_r0_06_the_closing_text_is_the_answer_without_its_markers() -> None:
    plan = new_plan("One")
    play = Play([("Looking.", poke()), "[Done] It is:\n```\n[Done] code\n```\n[Step 1] One"], plan)
    stopped = play.say(GOAL)
    assert stopped.answer == "It is:\n```\n[Done] code\n```"
    assert len(play.said()) == 1


def test_r0_06_a_plan_without_a_word_ends_with_its_counts() -> None:
    play = Play([("", done(1)), ""], new_plan("One"))
    stopped = play.say(GOAL)
    assert (stopped.text, stopped.answer) == ("Plan completed: 1/1 steps", "")
    assert play.plan.core.read(lambda state: state.notes.answer) == ""


def test_r0_06_a_failed_plan_says_so_and_keeps_the_last_text() -> None:
    plan = new_plan("One")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.fail(1, "no", retry=False)
        return {}

    stopped = Play([("It cannot be done.", poke()), ""], plan, act=act).say(GOAL)
    assert (stopped.status, stopped.answer) == ("failed", "It cannot be done.")
    assert stopped.text != stopped.answer


def test_plan_right_after_a_finished_run_shows_that_plan() -> None:
    play = Play([("", done(1)), "Sorted."], new_plan("One"))
    play.say(GOAL)
    assert "1. ✓ One" in play.say("/plan").text
