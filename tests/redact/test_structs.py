"""A5: every text of a command and of an event is redacted, and what must stay exact stays."""

from datetime import UTC, datetime
from types import NoneType, UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import fields, replace

from outlast.agent import events as e
from outlast.context.chat_model import Call
from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from outlast.model.changes import Change
from outlast.model.model import Check, LastRun, Phase, Proof, Prose, QuestionKind, Task
from outlast.model.replan_position import Observation, PlannedAction
from outlast.redact.structs import redact_commands, redact_event

CANARY = "c4n4ry7Q9xZ2"
SECRET = f"password={CANARY}"
JSON = f'{{"password": "{CANARY}"}}'
SAMPLES: Final[dict[tuple[bool, str], Any]] = {  # by whether the field is a text, and its name
    (True, "extra"): JSON,
    (True, "params"): JSON,
    (False, "params"): {"password": CANARY, "text": SECRET, "more": [{"api_key": CANARY}]},
}
COMMANDS: Final[tuple[type[Struct], ...]] = get_args(c.Command)
EVENTS: Final[tuple[type[Struct], ...]] = get_args(e.Event)

# Each text field that is not redacted, with the reason.
EXACT: Final = {
    "id": "an id",
    "key": "an id",
    "phase": "an id",
    "alias": "an id",
    "attempt": "an id",
    "about": "an id",
    "keys": "ids",
    "anchor": "an id",
    "task": "a reference",
    "needs": "references",
    "insert_after": "a reference",
    "actor": "a name",
    "kind": "a name",
    "rule": "a check",
    "run": "a command to run",
    "files": "patterns",
    "protect": "patterns",
    "digest": "a digest",
}
EXACT_FIELDS: Final = {
    (c.Strike, "tool"),
    (c.Strike, "params"),
    (c.ClearStrikes, "tool"),
    (c.BeginAttempt, "what"),  # has digests in place of secrets
    (c.NoteRefusal, "what"),  # as well
    (LastRun, "language"),
    (LastRun, "loop"),
    (c.NoteReport, "agent"),
    (c.NoteReport, "session"),
    (c.NoteDecision, "by"),
    (c.NoteSession, "agent"),
    (c.NoteSession, "session"),
    (c.EndSession, "session"),
    (c.ClaimPlan, "process"),  # a number, a time and an id of the system
    (c.NoteFootprint, "before"),
    (c.NoteFootprint, "after"),
    (PlannedAction, "tool"),
    (Observation, "tool"),
}
EXACT_IN_EVENTS: Final = {"lane": "an id", "kind": "the name of a topic"}
VALUES: Final = (Budget, Spend, Check, Proof, Change)  # of which nothing is text for people


def sample(hint: Any, name: str) -> Any:
    """Return a value of a type that has a secret in each of its texts."""
    if name == "known":  # lines as they are stored already
        return None
    kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    for kind in kinds:
        if kind is str or get_origin(kind) is dict:
            return SAMPLES.get((kind is str, name), SECRET)
        if get_origin(kind) is tuple:
            item = get_args(kind)[0]
            return () if item in VALUES or item is Change else (sample(item, name),)
        if get_origin(kind) is Literal:
            return get_args(kind)[0]
        if isinstance(kind, type) and issubclass(kind, Struct) and kind not in VALUES:
            return filled(kind)
    simple = {bool: False, int: 1, float: 1.0, datetime: datetime(2026, 1, 1, tzinfo=UTC)}
    return next((simple[kind] for kind in kinds if kind in simple), None)


def filled(kind: type[Struct]) -> Any:
    hints = get_type_hints(kind)
    values = {field.name: sample(hints[field.name], field.name) for field in fields(kind)}
    return kind(**values)


def texts(value: Any, where: tuple[type, str] = (NoneType, "")) -> list[tuple[type, str, str]]:
    """Return every text in a value, with the type and the name of its field."""
    if isinstance(value, str):
        return [(*where, value)]
    if isinstance(value, tuple | list):
        return [found for item in value for found in texts(item, where)]
    if isinstance(value, dict):
        return texts([*value.values()], where)
    if isinstance(value, Struct):
        named = [(field.name, getattr(value, field.name)) for field in fields(value)]
        return [found for name, item in named for found in texts(item, (type(value), name))]
    return []


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_a5_every_text_of_every_command_is_redacted_or_named_as_exact(kind: type[Struct]) -> None:
    (redacted,) = redact_commands((filled(kind),))
    for owner, name, text in texts(redacted):
        if name in EXACT or (owner, name) in EXACT_FIELDS:
            continue
        assert CANARY not in text, f"{owner.__name__}.{name}"


def test_a5_commands_with_texts_are_redacted_at_all() -> None:
    redacted = (redact_commands((filled(kind),))[0] for kind in COMMANDS)
    changed = [type(one) for one in redacted if "[redacted]" in str(texts(one))]
    assert {c.AddTasks, c.AskQuestion, c.CreatePlan} <= {*changed}
    assert len(changed) > len(COMMANDS) // 3


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_a5_what_must_stay_exact_stays(kind: type[Struct]) -> None:
    command = filled(kind)
    before, after = texts(command), texts(redact_commands((command,)))
    for (owner, name, text), (_, _, now) in zip(before, after, strict=True):
        if name in EXACT or (owner, name) in EXACT_FIELDS:
            assert now == text, f"{owner.__name__}.{name}"


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_a5_every_text_of_every_event_is_redacted_or_named_as_exact(kind: type[Struct]) -> None:
    event = filled(kind)
    before, after = texts(event), texts(redact_event(event))
    for (owner, name, text), (_, _, now) in zip(before, after, strict=True):
        if name in EXACT_IN_EVENTS:
            assert now == text, f"{owner.__name__}.{name}"
        else:
            assert CANARY not in now, f"{owner.__name__}.{name}"


def test_a5_a_text_of_an_event_is_redacted_however_long_it_is() -> None:
    event = e.CallEnded(Call("bash", {"command": SECRET}), f"{SECRET} " * 6_000)
    redacted = redact_event(event)
    assert CANARY not in redacted.output
    assert redacted.call.params == {"command": "password=[redacted]"}


@pytest.mark.parametrize(
    "event",
    [
        e.CallEnded(Call("list", {"next_page_token": "CAUQAA", "path": "a-b:c"}), "the keys"),
        e.CallStarted(Call("read_file", {"path": "src/a.py", "lines": [1, 2]})),
        e.Spent(Spend(1), Budget()),
        e.Stopped("running", "answered"),
    ],
)
def test_an_event_without_secrets_is_returned_as_it_is(event: e.Event) -> None:
    assert redact_event(event) is event


def test_a5_checks_commands_and_patterns_stay() -> None:
    check = Check("command", f"curl -H 'Authorization: Bearer {CANARY}' x")
    new = c.NewTask(SECRET, checks=(check,), run=SECRET, files=(SECRET,), protect=(SECRET,))
    (added,) = redact_commands((c.AddTasks((new,)),))
    assert added.tasks == (replace(new, name="password=[redacted]"),)


@pytest.mark.parametrize(("kind", "is_text"), [("goal", True), ("edit", True), ("permit", False)])
def test_a5_what_a_question_is_about_is_redacted_if_people_wrote_it(
    kind: QuestionKind, *, is_text: bool
) -> None:
    question = c.AskQuestion("Sure?", kind, JSON if kind == "edit" else SECRET)
    (asked,) = redact_commands((question,))
    assert (CANARY in asked.about) is not is_text


def test_commands_without_secrets_are_returned_as_they_are() -> None:
    plain = (
        c.CreatePlan("p", "Ship it", extra='{"token_count": 3}', tasks=(Task(1, "a-b_c: d"),)),
        c.AddTasks((c.NewTask("one"), c.NewTask("two", reasoning="the keys are rotated"))),
        c.Complete(1, "ann", "next_page_token=CAUQAA"),
        c.KeepProse((Prose("top", ("a", "<!-- b -->")),)),
        c.Pause(),
    )
    assert redact_commands(plain) is plain


def test_a5_json_is_redacted_by_its_keys_and_lines_as_one_text() -> None:
    extra = '{"n": 1.50, "a": {"api_key": {"deep": 1}}, "\\u5bc6\\u7801": "x"}'
    (created,) = redact_commands((c.CreatePlan("p", "g", extra=extra),))
    assert created.extra == '{"n":1.5,"a":{"api_key":"[redacted]"},"密码":"[redacted]"}'
    key = (
        "-----BEGIN PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEF",
        "-----END PRIVATE KEY-----",
    )
    lines = (*key, "<!-- Cookie: a=b; c -->", "mine")
    (kept,) = redact_commands((c.KeepProse((Prose("top", lines),)),))
    assert kept.prose[0].lines == ("[redacted]", "<!-- Cookie: [redacted]-->", "mine")


@pytest.mark.parametrize(
    "wrong",
    [
        c.Complete(1, "ann", 7),  # type: ignore[arg-type]
        c.AddTasks([c.NewTask(SECRET)]),  # type: ignore[arg-type]
        c.AddTasks((SECRET,)),  # type: ignore[arg-type]
        c.CreatePlan("p", b"goal", extra=3, phases=(Phase("a", 1),)),  # type: ignore[arg-type]
        c.KeepProse((Prose("top", (1, 2)),)),  # type: ignore[arg-type]
        c.KeepProse((Prose("top", 3),)),  # type: ignore[arg-type]
        c.KeepProse((Prose("top", SECRET),)),  # type: ignore[arg-type]
        c.Deliver(f"{SECRET} " * 6_000),
        "no command",
        c.NoteFootprint("1#1", outside=SECRET),  # type: ignore[arg-type]
    ],
)
def test_wrong_values_are_left_to_the_rules(wrong: Any) -> None:
    assert redact_commands((wrong,)) == (wrong,)
