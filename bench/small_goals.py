"""Ten small goals for a small model, five in each language, and how to see that one is reached."""
# ruff: noqa: RUF001 - half of the goals are Chinese

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.language import Language

if TYPE_CHECKING:
    from pathlib import Path


class Goal(Struct, frozen=True):
    """What is to be done, the files that exist before, and what must be there afterwards.

    `wanted` are the lines of each file; their order counts, blank lines and spaces around do not.
    `answer` must occur in the last answer.
    """

    name: str
    text: str
    language: Language
    before: dict[str, str] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    answer: str = ""

    def prepare(self, workspace: Path) -> None:
        """Write the files that exist before."""
        for name, content in self.before.items():
            (workspace / name).write_text(content, "utf-8")

    def is_reached(self, workspace: Path, answer: str) -> bool:
        """Return whether the files hold what is wanted, and the answer says it."""
        return self.answer in answer and all(
            _lines(workspace / name) == lines for name, lines in self.wanted.items()
        )


def _lines(file: Path) -> tuple[str, ...]:
    content = file.read_text("utf-8", "replace") if file.is_file() else ""
    return tuple(line.strip() for line in content.splitlines() if line.strip())


GOALS: Final = (
    Goal(
        "write a file",
        "Write a file hello.txt that contains the line: Hello from a small model",
        "en",
        wanted={"hello.txt": ("Hello from a small model",)},
    ),
    Goal(
        "write a file (zh)",
        "写一个文件 greeting.txt，内容是：你好，世界",
        "zh",
        wanted={"greeting.txt": ("你好，世界",)},
    ),
    Goal(
        "look something up",
        "Read server.conf and tell me the port number of the server",
        "en",
        before={"server.conf": "host = localhost\nport = 8471\nworkers = 4\n"},
        answer="8471",
    ),
    Goal(
        "look something up (zh)",
        "读取 team.txt，告诉我谁负责测试",
        "zh",
        before={"team.txt": "设计：王芳\n开发：李强\n测试：赵敏\n"},
        answer="赵敏",
    ),
    Goal(
        "copy a file",
        "Copy the content of draft.txt into a new file final.txt",
        "en",
        before={"draft.txt": "The meeting is on Monday.\n"},
        wanted={"final.txt": ("The meeting is on Monday.",)},
    ),
    Goal(
        "copy a file (zh)",
        "把 草稿.txt 的内容复制到新文件 定稿.txt",
        "zh",
        before={"草稿.txt": "会议在星期一。\n"},
        wanted={"定稿.txt": ("会议在星期一。",)},
    ),
    Goal(
        "select lines",
        "Read fruits.txt and write the names of the red fruits into red.txt, one on each line",
        "en",
        before={"fruits.txt": "apple red\nbanana yellow\ncherry red\n"},
        wanted={"red.txt": ("apple", "cherry")},
    ),
    Goal(
        "add numbers (zh)",
        "读取 numbers.txt，把其中两个数字的和写入 sum.txt，只写结果",
        "zh",
        before={"numbers.txt": "30\n12\n"},
        wanted={"sum.txt": ("42",)},
    ),
    Goal(
        "three files",
        "Write three files: one.txt with the line: first, then two.txt with the line: second, "
        "then three.txt with the line: third",
        "en",
        wanted={"one.txt": ("first",), "two.txt": ("second",), "three.txt": ("third",)},
    ),
    Goal(
        "follow a list (zh)",
        "读取 待办.txt，完成里面写的每一件事",
        "zh",
        before={"待办.txt": "1. 写文件 a.txt，内容是：一\n2. 写文件 b.txt，内容是：二\n"},
        wanted={"a.txt": ("一",), "b.txt": ("二",)},
    ),
)


def find_goal(name: str) -> Goal:
    """Return the goal with a name."""
    (goal,) = (goal for goal in GOALS if goal.name == name)
    return goal
