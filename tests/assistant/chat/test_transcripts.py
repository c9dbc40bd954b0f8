"""The pages show conversations that took place."""

from pathlib import Path

import pytest

from tests.assistant.chat.transcripts import PAGES, draw, play_page, transcripts

AGAIN = "run python -m tests.assistant.chat.transcripts"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_r3_12_a_transcript_in_the_pages_is_what_a_person_sees(page: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    assert play_page(page, here) == transcripts(page), AGAIN


def test_r3_12_both_languages_have_the_same_transcripts() -> None:
    first, second = ([len(text.splitlines()) for text in transcripts(page)] for page in PAGES)
    assert first == second
    assert first


def test_a_terminal_is_drawn_as_a_person_sees_it() -> None:
    assert draw("one\r\ntwo\x1b[1A\rO\x1b[1B\x1b[?25l") == "One\ntwo"
    assert draw("waiting\r\x1b[Kdone\x08\x08ve") == "dove"
    assert draw("> 聚会\x1b[4D\x1b[J晚会\x1b[2Cx") == "> 晚会  x"
    assert draw("a\r\nb\r\nc\x1b[2A\r\x1b[Jd") == "d"
