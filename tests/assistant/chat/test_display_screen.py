"""Lines on a terminal and in a pipe."""

import io

import pytest

from outlast.assistant.chat.display import Screen, ScreenGone
from outlast.language.columns import text_width


class Paper(io.StringIO):
    """A stream that is a terminal or none."""

    def __init__(self, *, is_terminal: bool = True) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("TERM", "xterm")


def test_a4_control_characters_never_reach_the_terminal() -> None:
    paper = Paper(is_terminal=False)
    Screen(paper).print("a\x1b[2Jb\u202e\r\nc\x07\td", "answer")
    assert paper.getvalue() == "a\\x1b[2Jb\\u202e\nc\\x07  d\n"


def test_a_pipe_gets_lines_as_they_are() -> None:
    paper = Paper(is_terminal=False)
    screen = Screen(paper)
    screen.show_status("thinking")
    screen.print("word " * 100)
    assert paper.getvalue().count("\n") == 1
    assert screen.width == 0


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize(
    "words", ["one two three four five six seven", "请确认：周五还是周六，上午还是下午？"]
)
def test_x8_lines_fit_a_narrow_terminal(words: str) -> None:
    paper = Paper()
    Screen(paper).print(words)
    lines = paper.getvalue().splitlines()
    assert len(lines) > 1
    assert all(text_width(line) <= 24 for line in lines)


@pytest.mark.usefixtures("narrow")
def test_u10_a_status_line_is_drawn_over_and_stays_below_the_lines() -> None:
    paper = Paper()
    screen = Screen(paper)
    screen.show_status("1.0 s  thinking 思考中思考中思考中")
    assert paper.getvalue() == "\r\x1b[K1.0 s  thinking 思考中"
    screen.print("Planned: 1 item")
    screen.show_status("")
    shown = paper.getvalue().split("\r\x1b[K")
    assert shown[2] == "Planned: 1 item\n"
    assert shown[3].startswith("1.0 s  thinking")
    assert shown[4] == ""


@pytest.mark.usefixtures("narrow")
def test_u10_a_terminal_that_cannot_redraw_shows_the_status_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    paper = Paper()
    screen = Screen(paper)
    for status in ("0.5 s  thinking", "1.0 s  thinking", ""):
        screen.show_status(status)
    assert paper.getvalue() == "0.5 s  thinking\n"


@pytest.mark.usefixtures("narrow")
def test_colours_are_those_of_the_style_or_none() -> None:
    painted, plain = Paper(), Paper()
    Screen(painted, colours=True).print("Done\n\nmore", "answer")
    Screen(plain).print("Done", "answer")
    assert painted.getvalue() == "\x1b[1mDone\x1b[0m\n\n\x1b[1mmore\x1b[0m\n"
    assert plain.getvalue() == "Done\n"


def test_a_closed_stream_is_reported() -> None:
    paper = Paper()
    screen = Screen(paper)
    paper.close()
    with pytest.raises(ScreenGone):
        screen.print("x")
