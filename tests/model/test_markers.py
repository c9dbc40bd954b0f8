"""R0.04, R0.05, R0.07: what a model's reply says about the plan."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model.limits import check_name
from outlast.model.markers import (
    WORDS_EN,
    WORDS_ZH,
    DoneMark,
    closing_question,
    declared_tasks,
    done_marks,
    find_named_task,
    find_progress,
    has_word,
    lines_outside_fences,
    remarks,
    reports_open_parts,
    without_markers,
)
from outlast.model.model import Progress, Task

WORDS = (*WORDS_EN, *WORDS_ZH)
FENCES = ("```", "~~~", "````", "  ```python", "\t~~~~ sh")
names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda name: name[0] not in ":：" and not {"**", "__"} & {name[:2], name[-2:]}
)


def test_r0_04_each_line_declares_a_task_in_any_case_and_indented() -> None:
    reply = "I begin.\n[Step] 下载2024年财报PDF\n  [STEP] Read it\n\t[step]Write\r\n> [Step] no\n"
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
        ("- [Step] a", ("a",)),
        ("* [Step] a\n+ [Step] b\n• [Step] c", ("a", "b", "c")),
        ("1. [Step] a\n2) [Step] b\n3、[Step] c", ("a", "b", "c")),
        ("**[Step]** a", ("a",)),
        ("**[Step] a**", ("a",)),
        ("- **[Step]**: a", ("a",)),
        ("[Step] **a**", ("a",)),
        ("[Step 1] a\n[step2]: b", ("a", "b")),
        ("[步骤] 读\n[步骤 1] 写\n【步驟2】：印", ("读", "写", "印")),
        ("### [Step] a", ("a",)),
        ("- [ ] [Step] a", ("a",)),
        ("- [x] [Step] a", ()),
        ("`[Step] a`", ()),
        ("[Step 1 Done]", ()),
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
    assert done_marks(reply) == ()
    assert not has_word(reply, WORDS)
    assert find_progress(reply, "task") is None
    assert not reports_open_parts(reply)
    assert closing_question(f"Well.\n{fence}\nWhy?\n{closing}") == ""


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
    assert all(isinstance(mark, DoneMark) for mark in done_marks(reply))
    assert isinstance(reports_open_parts(reply), bool)
    assert isinstance(closing_question(reply), str)
    assert isinstance(has_word(reply, WORDS), bool)
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
        "[Done] No errors, nothing is missing.",
        "没有错误。[完成]",
    ],
)
def test_r0_05_a_marker_says_that_a_task_is_done(reply: str) -> None:
    assert len(done_marks(reply)) == 1


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
        "[Not Done]",
        "[Step] Done",
        "```\n[Done]\n```",
        "[未完成]",
        "Sort is not [Done]",
        "Sort isn't yet **[Done]**",
        "[Done]? Not yet.",
        "Is it [Done]?",
        "[Done] is not reached yet",
        "还没有[完成]",
        "[完成]？还没",
        "When all is there I write [Done]",
        "做完后我会写[完成]",
    ],
)
def test_r0_05_what_is_no_marker(reply: str) -> None:
    assert done_marks(reply) == ()


@pytest.mark.parametrize(
    ("reply", "mark"),
    [
        ("[Done]", DoneMark("")),
        ("- **[Done]** Sort", DoneMark("Sort")),
        ("1. [完成] 排序", DoneMark("排序")),
        ("Sort is [Done].", DoneMark("Sort is")),
        ("[Step 2 Done]", DoneMark("#2")),
        ("[步骤 2 完成]：三个文件", DoneMark("#2 三个文件")),
        ("[步驟2已完成]", DoneMark("#2")),
        ("- [Step] Sort [Done]", DoneMark("Sort", must_name=True)),
        ("[步骤 1] 排序 [完成]", DoneMark("排序", must_name=True)),
    ],
)
def test_r0_05_what_a_marker_is_about(reply: str, mark: DoneMark) -> None:
    assert done_marks(f"Well.\n{reply}\nGood.") == (mark,)


TASKS = (
    Task(1, "Sort", status="completed"),
    Task(2, "Sort the reports", status="in_progress"),
    Task(3, "Print"),
    Task(4, "下载所有PDF文件"),
    Task(5, "Sort"),
    Task(6, "…"),
)


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Print", 3),
        ("  **PRINT**. ", 3),
        ("Sort", 5),
        ("Sort the reports: all five", 2),
        ("Print - on paper", 3),
        ("Print (on paper)", 3),
        ("The reports: sort the reports is what I did", 2),
        ("I finished step two", 2),
        ("- [x] Print", 3),
        ("✅ Print", 3),
        ("☑️ **Print**", 3),
        ("| Print | |", 3),
        ("● Print →", 3),
        ("step 3", 3),
        ("Step #4: it is there", 4),
        ("第3步", 3),
        ("任务 4", 4),
        ("#2 Print", 2),
        ("3", 3),
        ("3. Printed", 3),
        ("下载所有PDF文件：到本地", 4),
        ("第三步", 3),
        ("第3份文件", None),
        ("Printed everything", None),
        ("3 files are printed", None),
        ("", None),
        ("All of it", None),
    ],
)
def test_r0_05_a_marker_can_name_its_task(text: str, task: int | None) -> None:
    found = find_named_task(text, TASKS)
    assert found.is_clear
    assert (found.task and found.task.id) == task


@pytest.mark.parametrize(
    "text",
    [
        *("step 9", "#9", "9", "task 12: write", "第九步", "finished step 9", "#9 Print"),
        *(
            "Print is ready",
            "Print, and all is there",
            "Prints are ready, print it",
            "all of 下载所有PDF文件",
        ),
        *("Print-outs and print", "Print from what step 2 sorted"),
    ],
)
def test_r0_05_it_is_not_clear_which_task_is_meant(text: str) -> None:
    assert not find_named_task(text, TASKS).is_clear


@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        ("现在下载第2个。… (2/5)", True),
        ("（2／5）", True),
        ("(2/5 已下载)", True),
        ("已下载2/5个文件", True),
        ("[Progress] 0/5 Anything", True),
        ("2 of 5 are here", True),
        ("2 out of the 5", True),
        ("第2个，共5个", True),
        ("2份（共5份）", True),
        ("(5/5)", False),
        ("5 of 5", False),
        ("共5个", False),
        ("2024/12 and 1.2/3 and a/b/2/5/c and x2/5", False),
        ("```\n(2/5)\n```", False),
        ("Now step 2 of 4.", False),
        ("(Step 2/4) comes next", False),
        ("接下来是第2步，共4步", False),
        ("接下来：步骤 2/4", False),
        ("This step (2/5)", True),
        ("Step 2 of 4, file 1 of 5", True),
        ("步骤进度: 2/5", True),
        ("现在下载第二份，共五份", True),
        ("现在下载第2份（共5份）", True),
        ("第十二份财报，一共二十份", True),
        ("三份，共五份", True),
        ("共五份，现在下载第二份", True),
        ("五份中的第二份", True),
        ("Now two of five", True),
        ("Next: report 2 (of 5)", True),
        ("现在还剩3份", True),
        ("还有两份", True),
        ("Now 3 left", True),
        ("three more files to go", True),
        ("Remaining: 3", True),
        ("0 left", False),
        ("还剩0份", False),
        ("第五份，共五份", False),
        ("共五份，第五份也好了", False),
        ("一共五份", False),
        ("five of five", False),
        ("接下来是第二步，共四步", False),
        ("Now step two of four", False),
        ("the report of 2024/2025", False),
        ("Print (2/5)", False),
        ("Print (2/5)\nand (1/5)", True),
        ("", False),
    ],
)
def test_r0_05_a_reply_can_say_that_parts_are_open(reply: str, is_open: bool) -> None:  # noqa: FBT001
    assert reports_open_parts(reply, ("Print", " ")) is is_open


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Which colour?", "Which colour?"),
        ("I looked.\n\nThere are two.\n**Which one?** \n", "There are two.\n**Which one?**"),
        ("需要我继续吗", "需要我继续吗"),
        ("用哪一个？”", "用哪一个？”"),
        ("Which one?\n1. the old\n2. the new", "Which one?\n1. the old\n2. the new"),
        ("Which one?:\n\n- the old\n- the new", "Which one?:\n- the old\n- the new"),
        ("May I proceed? (yes/no)", "May I proceed? (yes/no)"),
        ("可以吗（是/否）", "可以吗（是/否）"),
        ("Do you approve? 🙂", "Do you approve? 🙂"),
        ("Should I go on? Let me know.", "Should I go on? Let me know."),
        ("**Which one?** Please confirm. Thanks 🙏", "**Which one?** Please confirm. Thanks 🙏"),
        ("What do you think?\n\nThanks!", "What do you think?"),
        ("Shall I?\nThank you!", "Shall I?"),
        ("Which one?\n\n\n1. a\n2. b\n\nLet me know which you prefer.", "Which one?\n1. a\n2. b"),
        ("要继续吗？请告诉我。谢谢！", "要继续吗？请告诉我。谢谢！"),
        ("用哪一个？期待您的回复。", "用哪一个？期待您的回复。"),
        ("Done? Yes, all done.", ""),
        ("Is it slow? No. Thanks!", ""),
        ("It is done. Let me know.", ""),
        ("It is done (all of it).", ""),
        ("做完了。谢谢！", ""),
        ("The parser is done. Any questions? Thanks!", ""),
        ("Done.\n\nDo you have any further questions?", ""),
        ("Done. OK? 🎉", ""),
        ("做完了。还有问题吗？", ""),
        ("Shall I go on? Any questions?", "Shall I go on? Any questions?"),
        ("I would drop the table. OK?", "I would drop the table. OK?"),
        ("Thanks!", ""),
        ("Which one? I take the old one.", ""),
        ("- a\n- b", ""),
        ("", ""),
        ("`x?`", ""),
        ("```\nwhy?\n```", ""),
    ],
)
def test_r4_08_a_reply_can_end_in_a_question(reply: str, question: str) -> None:
    assert closing_question(reply) == question


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
    assert has_word(reply, WORDS)


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
    assert not has_word(reply, WORDS)


def test_r0_05_the_words_can_be_chosen() -> None:
    assert has_word("Weiter geht es", ["weiter"])
    assert not has_word("now", ["weiter"])
    assert not has_word("now", [])
    assert not has_word("now", [" ", ""])
    assert has_word("a (c++) b", ["(c++)"])
    assert has_word("就这样吧，换一个", ("换一个", "so much for that"))
    assert not has_word("就这样吧", ("换一个", "so much for that"))


@given(st.sampled_from(WORDS_EN), st.sampled_from(["", " ", ", ", "(", "。"]))
def test_r0_05_an_english_word_counts_alone_and_not_within_another(word: str, by: str) -> None:
    assert has_word(f"{by}{word.upper()}{by}", WORDS_EN)
    assert not has_word(f"x{word}", [word])
    assert not has_word(f"{word}x", [word])


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
    assert not has_word(f"All is well.\n{reply}", (*WORDS_EN, *WORDS_ZH))
    assert has_word(f"{reply}\nNow the rest.", WORDS_EN)


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


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("All sorted.\n", "All sorted."),
        ("[Done]", ""),
        ("[Done] All sorted.", "All sorted."),
        ("两份都写好了。[完成]", "两份都写好了。"),
        ("First\n\n[Step] Next\n[Progress] 2/5 Sort\n\nLast", "First\n\n\nLast"),
        ("It is:\n```\n[Done]\n```\n[Done]", "It is:\n```\n[Done]\n```"),
        ("- [a] link\n- [b](x)", "- [a] link\n- [b](x)"),
    ],
)
def test_r0_06_people_read_a_reply_without_its_markers(reply: str, shown: str) -> None:
    assert without_markers(reply) == shown


@pytest.mark.parametrize(
    "part",
    [
        *(
            "- ",
            "* ",
            "[",
            "[Done",
            "not ",
            "[x]",
            "✅",
            "|",
            "第2",
            "共五",
            "2 of ",
            "two ",
            "还剩",
            "#1 ",
        ),
        *("step 1 ", "1.", "(", "(2/", "`", "**", "「", "余", "一"),
    ],
)
def test_f15_no_reply_takes_long_to_read(part: str) -> None:
    reply = f"{part * (20_000 // len(part))}\nx{part * 1_000}x [Done]"
    signal.alarm(60)
    try:
        done_marks(reply)
        reports_open_parts(reply)
        find_progress(reply, "Sort")
        find_named_task(reply, TASKS)
    finally:
        signal.alarm(0)
