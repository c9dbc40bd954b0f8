"""R3.09: `internet_search` through a provider that can be replaced."""

import json
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from outlast.assistant.search.port import SearchHit
from outlast.assistant.search.providers import FileSearch, SearxngSearch
from outlast.errors import InvalidSetting, ToolFailed
from outlast.language import explain

RESULTS = [
    {"url": f"https://example.org/{number}", "title": f"Page {number}", "content": "About it"}
    for number in range(9)
]


class SearchServer(BaseHTTPRequestHandler):
    """Answers as SearXNG does; the word searched for chooses what goes wrong."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        assert parts.path == "/base/search"
        assert self.headers["User-Agent"] == "outlast"
        query = parse_qs(parts.query)
        assert query["format"] == ["json"]
        (words,) = query["q"]
        status = {"forbidden": 403, "busy": 429, "moved": 301, "nowhere": 302, "broken": 500}
        self.send_response(status.get(words, 200))
        if words == "moved":
            self.send_header("Location", f"https://new.example/base/search?{parts.query}")
        self.end_headers()
        answers = {"html": "<html>", "huge": " " * 4_000_001, "odd": '{"results": [1]}'}
        bare = [{"url": "x"}, {"url": "y", "title": None, "content": None, "score": 1}, {}]
        whole = json.dumps({"query": words, "results": [*RESULTS, *bare]})
        self.wfile.write(answers.get(words, whole).encode())
        if words == "endless":
            with suppress(OSError):  # until the client has enough
                while True:
                    self.wfile.write(b" " * 1_000_000)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), SearchServer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/base/"
        server.shutdown()


def test_r3_09_the_best_pages_come_with_title_summary_and_link(url: str) -> None:
    hits = SearxngSearch(url).search("天气 & weather", 3)
    assert hits == tuple(
        SearchHit(f"Page {number}", "About it", f"https://example.org/{number}")
        for number in range(3)
    )
    *_, first, second, third = SearxngSearch(f"{url}search").search("x", 99)
    assert (first, second) == (SearchHit("", "", "x"), SearchHit("", "", "y"))
    assert third == SearchHit("", "", ""), "one odd page does not spoil the others"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("forbidden", r"is not JSON \(HTTP 403 Forbidden\); enable the format json"),
        ("html", "is not JSON .*; enable the format json in that server's settings.yml"),
        ("busy", r"refuses more searches for now \(HTTP 429 Too Many Requests\); try again"),
        ("moved", "has moved to https://new.example/base; set search.url to the new address"),
        ("nowhere", "does not answer: HTTP 302 Found"),
        ("broken", "does not answer: HTTP 500"),
        ("huge", "more than 4,000,000 bytes"),
        ("endless", "more than 4,000,000 bytes"),
        ("odd", "cannot be read"),
    ],
)
def test_r3_09_a_search_that_fails_says_why(url: str, words: str, problem: str) -> None:
    with pytest.raises(ToolFailed, match=problem) as failed:
        SearxngSearch(url).search(words, 3)
    assert str(failed.value) != explain(failed.value, "zh")


def test_r3_09_an_answer_that_is_too_large_is_refused_in_the_language_of_the_user(url: str) -> None:
    with pytest.raises(ToolFailed) as failed:
        SearxngSearch(url).search("huge", 3)
    assert explain(failed.value, "zh").endswith("：超过 4,000,000 字节")


def test_r3_09_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(ToolFailed, match=r"127\.0\.0\.1:9 does not answer: Connection refused$"):
        SearxngSearch("http://127.0.0.1:9").search("x", 3)


def test_r3_09_a_server_that_hangs_is_given_up() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SearchServer) as silent:  # nobody serves
        where = f"http://127.0.0.1:{silent.server_port}"
        with pytest.raises(ToolFailed, match=r"no answer within 0\.05 s|timed out"):
            SearxngSearch(where, 0.05).search("x", 3)


class SlowServer(SearchServer):
    """Sends a byte now and then, so that no socket ever times out."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while not self.server.over.wait(0.01):  # type: ignore[attr-defined]
                self.wfile.write(b" ")


def test_r3_09_a_server_that_never_comes_to_an_end_is_given_up() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowServer) as server:
        server.over = Event()  # type: ignore[attr-defined]
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(ToolFailed, match=r"no answer within 0\.1 s$") as failed:
            SearxngSearch(f"http://127.0.0.1:{server.server_port}", 0.1).search("x", 3)
        assert explain(failed.value, "zh").endswith("没有响应：0.1 秒内没有响应")
        server.over.set()  # type: ignore[attr-defined]
        server.shutdown()


@pytest.mark.parametrize(
    "value",
    [
        "search.example.org",
        "file:///etc/passwd",
        "https://",
        "http://[",
        "http://x:y",
        "http://x:0",
    ],
)
def test_r3_09_an_address_must_be_one(value: str) -> None:
    with pytest.raises(InvalidSetting, match=r"search\.url must be an address such as https://"):
        SearxngSearch(value)


def test_r3_09_a_file_stands_in_for_the_internet(tmp_path: Path) -> None:
    file = tmp_path / "pages.json"
    pages = [
        {"title": "Cats", "summary": "small", "link": "a"},
        {"title": "Dogs and cats", "summary": "both", "link": "b"},
        {"title": "Birds", "summary": "", "link": "c"},
    ]
    file.write_text(json.dumps(pages))
    assert [hit.link for hit in FileSearch(str(file)).search("CATS dogs", 3)] == ["b", "a"]
    assert FileSearch(str(file)).search("fish", 3) == ()
    for broken in ("{}", "[", '[{"title": 1}]'):
        file.write_text(broken)
        with pytest.raises(ToolFailed, match="cannot be read"):
            FileSearch(str(file)).search("x", 3)
    file.unlink()
    with pytest.raises(ToolFailed, match="No such file or directory"):
        FileSearch(str(file)).search("x", 3)
