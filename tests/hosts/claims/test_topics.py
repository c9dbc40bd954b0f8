"""R4.08: whether a message names the same thing as the name of a task."""

import pytest

from outlast.hosts.claims.topics import is_chinese, share_topic


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the parser is done", "improve parsing"),
        ("i have migrated the tables", "run the migration"),
        ("all queries are cached", "cache each query"),
        ("mapped the fields", "add a map"),
        ("the deployment is done", "deploy the site"),
        ("the documentation is written", "write the docs"),
        ("wrote it", "write it"),
        ("登录回调已经写完", "编写登录回调"),
        ("已编写诗", "编写诗"),
        ("已修复 oauth", "修复 oauth 回调"),
        ("修复完成", "完成修复"),
        ("文本已清理", "清理文本"),
    ],
)
def test_r4_08_a_text_names_a_topic_in_whatever_form(text: str, name: str) -> None:
    assert share_topic(text, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("i've fixed the logging", "add login"),
        ("fixed the author field", "add auth"),
        ("fixed the status line", "add state"),
        ("fixed the format", "build the form"),
        ("fixed the typo", "fix the parser"),
        ("已修复拼写错误", "修复登录错误"),
        ("fixed the typo", ""),
        ("", ""),
    ],
)
def test_r4_08_other_words_are_another_topic(text: str, name: str) -> None:
    assert not share_topic(text, name)


def test_r4_08_a_text_is_chinese_if_it_has_chinese_words() -> None:
    assert is_chinese("修复 README")
    assert not is_chinese("Prüfe das README")
