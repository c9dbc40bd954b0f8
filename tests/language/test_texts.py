"""X8 and A11: both languages say the same, and no text leads anybody into trouble."""

import ast
import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

from outlast import errors
from outlast.console.command_index import TABLES as TABLES_OF_COMMANDS
from outlast.console.command_index import load_command, load_commands
from outlast.errors import InvalidArgument, InvalidStatus, OutOfBudget, ProofNeeded
from outlast.language import COMMAND_OPTIONS, TOPICS, explain, load_topics, text, topic, visible
from outlast.model.budget import Budget, Spend
from outlast.model.decide.budget import refuse_overrun
from tests.making import make_plan

COMMANDS = load_commands()
TABLES = {name: topic(name) for name in TOPICS}
ROWS = {key: row for table in TABLES.values() for key, row in table.items()}
EN = {key: english for key, (english, _) in ROWS.items()}
ZH = {key: chinese for key, (_, chinese) in ROWS.items()}
SOURCE = Path(errors.__file__).parent


def test_x8_every_text_exists_in_both_languages() -> None:
    assert len(ROWS) == sum(map(len, TABLES.values()))
    assert all(english and chinese for english, chinese in ROWS.values())
    files = {*SOURCE.rglob("*texts.py"), *SOURCE.rglob("texts/[!_]*.py")}
    files = {path for path in files if "\nTEXTS: Final" in path.read_text("utf-8")}
    modules = {".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in files}
    assert modules == {*TOPICS.values()}


def test_x8_both_languages_fill_in_the_same_values() -> None:
    def fields(template: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(template) if name is not None}

    for key, value in EN.items():
        assert fields(value) == fields(ZH[key]), key


def test_x8_chinese_texts_are_chinese() -> None:
    assert all(re.search(r"[\u4e00-\u9fff]", value) for value in ZH.values())


def raised() -> dict[str, set[str]]:
    """Return the text keys that errors in the source name, with the details they carry."""
    found: dict[str, set[str]] = {}
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in kinds
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                details = {keyword.arg or "" for keyword in node.keywords}
                found.setdefault(str(node.args[0].value), details)
    return found


def test_every_error_has_a_text_and_every_value_it_needs() -> None:
    for key, details in raised().items():
        needs = {name for _, name, _, _ in Formatter().parse(EN[key]) if name}
        assert needs.difference(COMMAND_OPTIONS) <= details, key


def test_every_text_is_used() -> None:
    tables = {SOURCE / f"{module.replace('.', '/')}.py" for module in TOPICS.values()}
    code = "".join(path.read_text("utf-8") for path in {*SOURCE.rglob("*.py")} - tables)
    looked_up = (
        *("type_", "outcome_", "status_", "unit_", "details_"),
        *("brief_section_", "brief_part_", "brief_settled_"),
    )
    helps = {load_command(name).help_key for name in TABLES_OF_COMMANDS}
    unused = [key for key in EN if f'"{key}"' not in code and not key.startswith(looked_up)]
    assert {*unused} <= helps


@pytest.mark.parametrize("values", [EN, ZH])
def test_u2_every_command_in_a_text_takes_over_the_plan_of_the_call(values: dict[str, str]) -> None:
    printed = re.compile(r"outlast ([a-z]+)((?:[^;:；：()（）`\n]|\{[^}]*\})*)")
    for key, value in values.items():
        for command, rest in printed.findall(value):
            is_named = re.search(r"\{common\}|\{as_person\}|--plan|--archived", rest)
            is_about_plan = command in COMMANDS and COMMANDS[command].needs_plan
            is_first_step = key in ("say_start", "say_start_again")  # there is no plan yet
            assert is_named or is_first_step or not is_about_plan, (key, command)


def test_u2_a_command_in_a_text_has_no_options_for_readers_who_do_not_type_it() -> None:
    assert text("say_next", task="1 a") == "Next: 1 a; start it with: outlast start"
    assert text("say_no_notes") == 'Nothing noted yet: outlast note "What you learned"'
    assert "outlast new" in text("no_plan_yet", where="here", lang=" --lang zh")
    refused = errors.CheckNotApproved("check_not_approved", task_id=3, checks=["a"])
    told = text("edit_waits", name="f", problem=refused, as_person=" --plan b")
    assert "`outlast check 3 --approve --plan b`" in told


@pytest.mark.parametrize("values", [EN, ZH])
def test_a11_no_text_names_a_destructive_command(values: dict[str, str]) -> None:
    forbidden = re.compile(r"\brm\b|\breset --hard\b|--force|\bdelete\b|\bpurge\b", re.IGNORECASE)
    assert [value for value in values.values() if forbidden.search(value)] == []


def test_an_error_is_explained_in_either_language() -> None:
    with pytest.raises(errors.TaskNotFound) as caught:
        make_plan("a").task(9)
    assert str(caught.value) == "Task with ID 9 not found"
    assert explain(caught.value, "zh") == "找不到编号为 9 的任务"
    assert caught.value.message == str(caught.value) == "Task with ID 9 not found"


def test_a_detail_may_be_called_like_an_argument_of_ours() -> None:
    error = errors.InvalidArgument("key_reused", argument="key", key="k1", language="x")
    assert explain(error) == "key: k1 was already used for another command"


def test_x8_types_and_lists_are_worded_in_the_language() -> None:
    error = errors.InvalidArgument("wrong_type", argument="goal", expected="string", got="Plan")
    assert explain(error, "zh") == "goal：应为字符串，实际是Plan"
    assert text("cycle", "zh", cycle=[1, 2]).startswith("循环依赖：1、2；")


@pytest.mark.parametrize("kind", [k for k in vars(errors).values() if isinstance(k, type)])
def test_an_error_can_be_copied_and_sent_to_another_process(
    kind: type[errors.OutlastError],
) -> None:
    error = kind("task_not_found", task_id=9)
    assert str(error) == "Task with ID 9 not found"
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - our own
        assert (type(twin), twin.details, str(twin)) == (kind, error.details, str(error))


def test_an_error_without_a_text_of_ours_still_shows_its_facts() -> None:
    assert str(errors.TaskNotFound("no such text", task_id=9)) == (
        "TASK_NOT_FOUND: no such text {'task_id': 9}"
    )


def test_an_error_has_its_words_where_only_errors_were_imported() -> None:
    program = "from outlast.errors import *; print(TaskNotFound('task_not_found', task_id=9))"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(  # noqa: S603 - our own command
        command, check=True, capture_output=True, text=True
    )
    assert answer.stdout == "Task with ID 9 not found\n"


def test_long_lists_are_cut() -> None:
    assert "18, 19, …; remove" in text("cycle", cycle=list(range(30)))


def test_a6_invisible_characters_are_spelled_out() -> None:
    assert visible("a\x1b\u200bb\n\u202e") == "a\\x1b\\u200bb\\n\\u202e"
    assert visible("plain 中文") == "plain 中文"
    assert visible("全角\u3000空格 👩\u200d💻 \x07") == "全角\u3000空格 👩\u200d💻 \\x07"


@pytest.mark.parametrize(
    ("count", "english"),
    [
        (0, "0 tasks can start now:"),
        (1, "1 task can start now:"),
        (7004, "7,004 tasks can start now:"),
    ],
)
def test_x8_a_number_takes_its_noun_along(count: int, english: str) -> None:
    assert text("say_ready", count=count) == english
    assert text("say_ready", "zh", count=count) == f"现在可以开始 {count:,} 个任务："


@pytest.mark.parametrize(("count", "english"), [(1, "1 entry was"), (2, "2 entries were")])
def test_x8_an_irregular_plural_is_spelled_out(count: int, english: str) -> None:
    assert text("notes_blank", name="x.md", count=count) == f"x.md was emptied; {english} kept"


def test_x8_a_task_number_has_no_separator() -> None:
    assert text("task_not_found", task_id=7004) == "Task with ID 7004 not found"


def test_x8_statuses_are_words() -> None:
    error = errors.TaskNotEditable("task_not_removable", task_id=1, status="in_progress")
    assert "it is in progress;" in str(error)
    assert "状态为进行中；" in explain(error, "zh")


def test_x8_an_error_names_a_status_in_the_language_of_its_reader() -> None:
    error = InvalidStatus("task_already", task=3, task_id=3, status="completed")
    assert "completed" in explain(error, "en")
    assert "completed" not in explain(error, "zh")


def test_x8_an_error_shows_the_checks_that_failed_each_with_its_result() -> None:
    failed = [{"rule": "command: make", "says": "exit 2"}, {"rule": "file: a", "says": "odd"}]
    key = next(key for key, english in EN.items() if "{shows}" in english)
    fields = {name: "x" for _, name, _, _ in Formatter().parse(EN[key]) if name}
    shown = explain(ProofNeeded(key, **{**fields, "failed": failed}), "en")
    assert "command: make: " in shown
    assert "file: a: odd" in shown, "what no row explains is shown as it is"
    assert "4 of 5" in explain(ProofNeeded(key, **{**fields, "failed": "4 of 5"}), "en")


def test_x8_an_empty_list_has_a_word_of_its_own() -> None:
    error = InvalidArgument("wrong_type", argument="a", expected=[], got="list")
    assert text("nothing") in explain(error)


def test_x8_topics_may_be_loaded_before_others() -> None:
    load_topics("hosts", "agenda")
    assert text(next(iter(topic("hosts"))), "zh")


def test_x8_a_value_that_explains_nothing_is_shown_as_it_is() -> None:
    key = next(key for key, row in EN.items() if re.fullmatch(r"[^{}]*\{path\}[^{}]*", row))
    assert "None" in text(key, path=None)


def test_x8_what_ran_out_is_named_in_the_language_of_the_reader() -> None:
    plan = make_plan("a")
    plan.budget.set(Budget(tokens=10))
    with pytest.raises(OutOfBudget) as raised:
        plan.core.read(lambda state: refuse_overrun(state, Spend(tokens=11), 0))
    assert "tokens" in explain(raised.value, "en")
    assert text("unit_tokens", "zh") in explain(raised.value, "zh")
