"""U2: a suggested command is for the same plan, language and actor."""

import shlex

import pytest

from outlast.console.call import BLANK, QUOTED_BLANK, Call, PlanContext, shell_word


def call_of(command: str, *, key: str = "", several: bool = False, **common: str) -> Call:
    return Call(command, {}, common, context=PlanContext(key, several))


def test_u2_one_plan_is_not_named() -> None:
    assert call_of("start", key="ship").suggest("done", "1") == "outlast done 1"
    assert call_of("start").suggest("resume", "--budget", BLANK).endswith("--budget …")


def test_u2_a_named_plan_is_named_by_its_whole_key() -> None:
    assert call_of("start", key="ship", plan="s").suggest("done").endswith("--plan ship")
    assert call_of("start", plan="s").suggest("done").endswith("--plan s")
    several = call_of("start", key="ship", several=True)
    assert several.suggest("done") == "outlast done --plan ship"
    assert several.suggest("show", key="two words").endswith("--plan 'two words'")
    assert several.suggest("show", "--plan", "b").endswith("show --plan b")
    assert several.suggest("list") == "outlast list"  # is about no plan


def test_u2_language_and_actor_are_kept_unless_a_person_is_to_act() -> None:
    call = call_of("start", key="ship", several=True, actor="bob", lang="zh")
    assert call.suggest("done") == "outlast done --plan ship --as bob --lang zh"
    for command in (["answer"], ["resume"], ["edit", "1", "--budget", "tokens=4k"]):
        words = " ".join(command)
        assert call.suggest(*command) == f"outlast {words} --plan ship --lang zh"
    assert call.suggest("restore", "x") == "outlast restore x --lang zh"


def test_u2_a_command_that_is_typed_later_names_its_plan() -> None:
    answer = call_of("show", key="ship").suggest("answer", "1", QUOTED_BLANK)
    assert answer == 'outlast answer 1 "…" --plan ship'
    assert call_of("show", key="ship").suggest("resume") == "outlast resume"
    for command in ("answer", "resume", "run"):
        call = call_of(command, key="ship", actor="bob")
        assert call.suggest("done") == "outlast done --plan ship --as bob"
        assert call.text("hint_start").endswith("outlast start --plan ship --as bob")
    assert call_of("run").suggest("run", "It") == "outlast run It"  # there is no plan yet


@pytest.mark.parametrize("word", ["", "a b", "it's", "$HOME", "=ls", "~", "a;b", "x\u3000y", "*"])
def test_a_word_is_quoted_for_the_shell(word: str) -> None:
    assert shlex.split(shell_word(word)) == [word]
    assert shell_word(word) != word


def test_a_plain_word_is_not_quoted() -> None:
    for word in ("ship-it", "发布-1", "a=b", "script:x.yaml", "50%"):
        assert shell_word(word) == word
    assert shell_word("a\x1b[2J") == "'a\\x1b[2J'"
