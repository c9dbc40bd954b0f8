"""R0.04, R0.05, R0.07: what a model's reply says about the plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.domain.limits import check_name
from outlast.domain.model import Progress
from outlast.domain.reply_markers import (
    WORDS_EN,
    WORDS_ZH,
    declared_tasks,
    find_progress,
    has_done_marker,
    has_transition,
    lines_outside_fences,
    remarks,
)

WORDS = (*WORDS_EN, *WORDS_ZH)
FENCES = ("```", "~~~", "````", "  ```python", "\t~~~~ sh")
names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda name: name[0] not in ":："
)


def test_r0_04_each_line_declares_a_task_in_any_case_and_indented() -> None:
    reply = "I begin.\n[Step] 下载2024年财报PDF\n  [STEP] Read it\n\t[step]Write\r\n- [Step] no\n"
    assert declared_tasks(reply) == ("下载2024年财报PDF", "Read it", "Write")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("[Step]", ()),
        ("[Step]   ", ()),
        ("[Step] a\n[Step] a\n[Step]  a ", ("a",)),
        ("[Step] a [Step] b", ("a [Step] b",)),
        ("see [Step] a", ()),
        ("[Steps] a", ()),
        ("[Step Done]", ()),
        ("[Step] Read it [Done]\n【Step】读 [完成]。\n[Step] Write it", ("Write it",)),
        ("【Step】读", ("读",)),
        ("[Step]: a", ("a",)),
        ("[Step]：读", ("读",)),
        ("[Step] a\ud800b", ("ab",)),
        ("[Step] \ud800", ()),
        ("[Step] " + "x" * 5_000, ("x" * 1_000,)),
        ("[Step] one\u2028[Step] two\x0b[Step] three", ("one", "two", "three")),
    ],
)
def test_r0_04_what_is_a_declaration(reply: str, found: tuple[str, ...]) -> None:
    assert declared_tasks(reply) == found


@pytest.mark.parametrize("fence", FENCES)
def test_r0_04_a_code_fence_declares_and_completes_nothing(fence: str) -> None:
    closing = fence.strip().split("p")[0].split()[0]
    reply = f"[Step] a\n{fence}\n[Step] b\n[Done]\nnow task (1/2)\n  {closing}\n[Step] c\n"
    assert declared_tasks(reply) == ("a", "c")
    assert not has_done_marker(reply, "One")
    assert not has_transition(reply, WORDS)
    assert find_progress(reply, "task") is None


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("a\n```\nb", ["a"]),
        ("a\n```\nb\n``` not the end\nc\n````\nd", ["a", "d"]),
        ("~~~\n```\n~~~\nb", ["b"]),
        ("````\n```\n````\nb", ["b"]),
        ("```one``` line\nb", ["```one``` line", "b"]),
        ("``\nb", ["``", "b"]),
        ("", []),
    ],
)
def test_r0_04_where_a_code_fence_begins_and_ends(reply: str, lines: list[str]) -> None:
    assert [*lines_outside_fences(reply)] == lines


@given(st.lists(names, max_size=5))
def test_r0_04_every_declared_name_is_one_that_a_task_can_have(given_names: list[str]) -> None:
    found = declared_tasks("\n".join(f"[Step] {name}" for name in given_names))
    assert [*found] == [*dict.fromkeys(name[:1_000] for name in given_names)]


@given(st.text(st.characters() | st.sampled_from("[]`~\n step done完成(/)12"), max_size=200))
def test_r0_04_whatever_a_model_says_what_is_found_can_be_kept(reply: str) -> None:
    for name in declared_tasks(reply + "\n[Step] " + reply):
        check_name(name, "name")
    assert isinstance(has_done_marker(reply, "One"), bool)
    assert isinstance(has_transition(reply, WORDS), bool)
    found = find_progress(reply + "\n[Progress] " + reply, "step")
    assert found is None or 0 <= found.current <= found.total > 0


@pytest.mark.parametrize(
    "reply",
    [
        "[Done]",
        "[done]",
        "  [Step Done]  ",
        "[STEP DONE] The file is there",
        "The file is there. [Done]",
        "[完成]",
        "[步骤完成]。",
        "【完成】",
        "**[Done]**",
        "- [Done] all of it",
        "first\nsecond [Done].\nthird",
        "[Step] Two\n[Step]  one  **[Done]**",
    ],
)
def test_r0_05_a_marker_says_that_the_task_is_done(reply: str) -> None:
    assert has_done_marker(reply, "One")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "done",
        "I will write [Done] when it is",
        "I will write `[Done]`",
        "[Done](https://example.org)",
        'When it is there I will write "[Done]".',
        "“[完成]”是做完时写的",
        "做完时我会写「[完成]」。",
        "> [Done]",
        "[Step] Another one [Done]",
        "[Not Done]",
        "[Step] Done",
        "```\n[Done]\n```",
        "[未完成]",
    ],
)
def test_r0_05_what_is_no_marker(reply: str) -> None:
    assert not has_done_marker(reply, "One")


@pytest.mark.parametrize(
    "reply",
    [
        "Now the second file.",
        "THEN I write it",
        "let  me\tlook",
        "ok; proceed",
        "'next'",
        "接下来我读第二份",
        "好的，现在让我看看",
        "我next一步",
        "```\nx\n```\nnow",
    ],
)
def test_r0_05_a_transition_word_turns_to_what_follows(reply: str) -> None:
    assert has_transition(reply, WORDS)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I know the nowhere of context",
        "Nextcloud, Next.js and next-generation",
        "a well-now",
        "it's then's",
        "outlet meter",
        "在现场",
        "run `next build`",
        "```\nnow\n```",
        "~~~\n现在\n~~~",
        "    ```\n    now\n    ```",
    ],
)
def test_r0_05_what_is_no_transition_word(reply: str) -> None:
    assert not has_transition(reply, WORDS)


def test_r0_05_the_words_can_be_chosen() -> None:
    assert has_transition("Weiter geht es", ["weiter"])
    assert not has_transition("now", ["weiter"])
    assert not has_transition("now", [])
    assert not has_transition("now", [" ", ""])
    assert has_transition("a (c++) b", ["(c++)"])
    assert has_transition("就这样吧，换一个", ("换一个", "so much for that"))
    assert not has_transition("就这样吧", ("换一个", "so much for that"))


@given(st.sampled_from(WORDS_EN), st.sampled_from(["", " ", ", ", "(", "。"]))
def test_r0_05_an_english_word_counts_alone_and_not_within_another(word: str, by: str) -> None:
    assert has_transition(f"{by}{word.upper()}{by}", WORDS_EN)
    assert not has_transition(f"x{word}", [word])
    assert not has_transition(f"{word}x", [word])


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Download files (2/5)", Progress(2, 5)),
        ("download  FILES: ( 2 / 5 ) so far", Progress(2, 5)),
        ("（2／5）Download files", Progress(2, 5)),
        ("[Progress] 3/5 Download files", Progress(3, 5)),
        ("[progress] 3/5", Progress(3, 5)),
        ("[Progress] 0/5\nDownload files (5/5)", Progress(5, 5)),
        ("Download files (9/5)\nDownload files (1/5)\nDownload files (7/5)", Progress(1, 5)),
        ("[Progress] 3/5 Upload files", None),
        ("(2/5)", None),
        ("Download files 2/5", None),
        ("Download files (2/0)", None),
        ("Download files (6/5)", None),
        ("Download files (-1/5)", None),
        ("Download files (1/5/9)", None),
        ("[Progress] 1/5/9", None),
        ("Download files (1/" + "9" * 5_000 + ")", None),
        ("```\nDownload files (2/5)\n```", None),
        ("", None),
    ],
)
def test_r0_07_progress_is_read_beside_the_name_of_the_task(
    reply: str, found: Progress | None
) -> None:
    assert find_progress(reply, "Download files") == found


def test_r0_07_figures_in_the_name_itself_are_not_progress() -> None:
    assert find_progress("Part (1/2) goes well", "Part (1/2)") is None
    assert find_progress("Part (1/2) is at (3/4)", "Part (1/2)") == Progress(3, 4)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_r0_07_progress_is_possible_or_not_there(current: int, of: int) -> None:
    wanted = Progress(current, of) if current <= of and of else None
    assert find_progress(f"下载 ({current}/{of})", "下载") == wanted
    assert find_progress(f"[Progress] {current}/{of}", "下载") == wanted


@pytest.mark.parametrize(
    "reply",
    [
        "[Step] Then look at the next file",
        "  【step】 现在开始下载",
        "[Progress] 2/5 Now read the next",
        "Load the next (all) [Progress] 2/5",
    ],
)
def test_r0_05_words_in_declarations_and_progress_do_not_count(reply: str) -> None:
    assert not has_transition(f"All is well.\n{reply}", (*WORDS_EN, *WORDS_ZH))
    assert has_transition(f"{reply}\nNow the rest.", WORDS_EN)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("[Done] Wrote a.txt.", ["Wrote a.txt."]),
        ("All good.\n**[完成]**", ["All good.", ""]),
        ("【步骤完成】：三个文件", ["三个文件"]),
        ("[完成]。", [""]),
        ("[Step] One\nI say [Done] so\n[Progress] 1/2", ["I say [Done] so"]),
        ("```\ncode\n```\nplain", ["plain"]),
    ],
)
def test_r0_06_what_a_reply_says_beside_its_marks(reply: str, said: list[str]) -> None:
    assert [*remarks(reply)] == said
