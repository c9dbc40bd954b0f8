"""Which commands a person is asked about: a corpus both ways."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.adapters.tools.shell.bash import Bash
from outlast.adapters.tools.shell.parser import Unreadable, commands_of
from outlast.adapters.tools.shell.policy import dangers, outside
from outlast.formats.permit_pattern import permits
from tests.adapters.tools.commands import ASK, FINE

ROOT = "/home/me/work"
AWAY = {
    "ls /etc": ["/etc"],
    "cat /etc/passwd /etc/hosts": ["/etc/passwd", "/etc/hosts"],
    "cat //etc/passwd": ["/etc/passwd"],
    "cat '/etc/passwd'": ["/etc/passwd"],
    "cat < /etc/passwd": ["/etc/passwd"],
    "echo x > /new/file": ["/new/file"],
    "echo x >../out": ["/home/me/out"],
    "ls ..": ["/home/me"],
    "ls a/../../b": ["/home/me/b"],
    "cd /": ["/"],
    "grep -r x /": ["/"],
    "cut -d/ -f1 /etc/passwd": ["/etc/passwd"],
    "cd .. && ls": ["/home/me"],
    "gcc -I/usr/include a.c": ["/usr/include"],
    "./configure --prefix=/usr": ["/usr"],
    "../run.sh": ["/home/me/run.sh"],
    "tar -C /usr -xf a": ["/usr"],
    "for f in /etc/*; do echo $f; done": ["/etc/*"],
    "mkdir /top": ["/top"],
    "echo $(cat /etc/passwd)": ["/etc/passwd"],
    "cat /e*/passwd": ["/e*/passwd"],
    "cat /etc/passwd <<E": ["/"],
    f"cat {' '.join(f'a{number}' for number in range(2_001))}": ["/"],
}
HERE = [
    *("ls", "ls src", f"ls {ROOT}/src", "ls ./a/../b", "ls 2>/dev/null", "/usr/bin/ls", "ls >&2"),
    *("curl https://x.test/a/b", "grep /api/users src", "sed '/foo/d' x", "git log main..dev"),
    *("echo a/b", "PATH=/usr/bin:$PATH make", "grep '// TODO' x", "head /dev/zero", "cd src"),
    *("grep '/e*/x' src", "make $X", "ls $X/y", "cut -d/ -f2 x", "tr / _ <x", "sort -t / -k2 x"),
    *("ls | awk -F/ '{print $2}'", "/usr/bin/cut -d '/' -f 1"),
]


def test_a_command_that_may_destroy_something_is_asked_about() -> None:
    assert [command for command in ASK if not dangers(command)] == []


def test_an_ordinary_command_is_not() -> None:
    assert [command for command in FINE if dangers(command)] == []


def test_the_corpus_is_large_enough() -> None:
    assert len(set(ASK)) > 150
    assert len(set(FINE)) > 120


@pytest.mark.parametrize("command", AWAY)
def test_a_path_outside_is_asked_about(command: str) -> None:
    assert outside(command, ROOT, ROOT) == AWAY[command]


@pytest.mark.parametrize(
    "command", ["cd", "cd ~", "cat ~/x", "ls $HOME/x", "cd -", "pushd $X", "~/x"]
)
def test_a_home_is_outside(command: str) -> None:
    [found] = outside(command, ROOT, ROOT)
    assert found.startswith(os.path.expanduser("~"))  # noqa: PTH111 - as a shell does


@pytest.mark.parametrize("command", HERE)
def test_a_path_inside_or_no_path_is_not(command: str) -> None:
    assert outside(command, ROOT, ROOT) == []


def test_a4_links_out_of_the_workspace_are_seen_through(work: Path) -> None:
    away = work.parent / "away"
    away.mkdir()
    (work / "inside").mkdir()
    (work / "link").symlink_to(away)
    (work / "python").symlink_to("/bin/sh")
    (away / "back").symlink_to(work)

    def found(command: str) -> list[str]:
        return outside(command, str(work), str(work))

    assert found("cat link/secret") == [f"{away}/secret"]
    assert found("cat <link/secret; cp a --to=link") == [f"{away}/secret", f"{away}"]
    assert found("cat link/../secret inside/../x") == [f"{work.parent}/secret"]
    assert found(f"cat {away}/back/x inside") == []
    assert found("./python x.py") == []
    concern = Bash(str(work)).concern({"command": "cat link/secret /etc/hosts"})
    assert concern is not None
    assert concern.what == f"cat link/secret /etc/hosts → path:{away}/secret"


@pytest.mark.parametrize(
    "script",
    [
        "git push -f <<E; rm -r src",
        "git push -f $(cat <<E); rm -r src",
        "git push -f ((; rm -r src",
        f"git push -f {'x ' * 1_001}; rm -r src",
        "git push -f <<E\nE\\\n\nrm -r src\nE",
        "git push -f; psql -c 'drop table x'",
    ],
)
def test_a1_what_cannot_be_told_apart_is_not_allowed_by_how_it_begins(
    script: str, work: Path
) -> None:
    concern = Bash(str(work)).concern({"command": script})
    assert concern is not None
    assert not all(permits("bash:git push", one) for one in concern.each)


def test_what_is_asked_about_is_told_one_by_one(work: Path) -> None:
    tool = Bash(str(work))
    concern = tool.concern(
        {"command": "ls && rm -rf build; sudo git push -f > /etc/x; rm -rf build"}
    )
    assert concern is not None
    assert concern.kind == "destructive"
    assert concern.each == ("bash:rm -rf build", "bash:git push -f > /etc/x", "path:/etc/x")
    away = tool.concern({"command": "ls /etc", "cwd": "."})
    assert away is not None
    assert (away.kind, away.what, away.each) == ("outside", "ls /etc", ("path:/etc",))
    assert tool.concern({"command": "ls"}) is None
    assert tool.concern({}) is None


def test_a1_what_is_bad_in_a_long_command_cannot_be_hidden_in_its_middle(work: Path) -> None:
    command = f"echo {'x' * 5_000}; rm -rf src; echo {'y' * 5_000}"
    concern = Bash(str(work)).concern({"command": command})
    assert concern is not None
    assert concern.what == "bash:rm -rf src"


@given(st.text("rm -f'\"\\$(){}<>|&;`#\n*x=E~/", max_size=60))
def test_any_text_is_read_or_asked_about(script: str) -> None:
    dangers(script)
    outside(script, ROOT, ROOT)


WORDS = st.lists(
    st.sampled_from(["a", "'b c'", '"d"', "\\e", "x\\ y", '"q\\"r"', "f''g"]), max_size=5
)


@given(words=WORDS, sign=st.sampled_from([";", "&&", "|", "\n"]))
def test_words_are_read_as_a_shell_reads_them(words: list[str], sign: str) -> None:
    first, second = commands_of(f"printf {' '.join(words)} {sign} true {' '.join(words)}")
    shell = subprocess.run(  # noqa: S603 - our own words
        ["/bin/sh", "-c", f"printf '%s\\0' {' '.join(words)}"],
        capture_output=True,
        check=True,
    )
    expected = shell.stdout.decode().split("\0")[:-1] if words else []
    assert [word.text for word in first.words[1:]] == expected
    assert [word.text for word in second.words[1:]] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "(" * 5_000,
        "$(" * 5_000,
        "`" * 5_001,
        "${" * 5_000,
        "sudo " * 10_000,
        "sudo rm -r " * 5_000,
        "eval " * 5_000,
        "a" * 60_000,
        "a() { a" * 5_000,
        "<" * 5_000,
        "cat <<E\n" * 5_000,
        "psql " + "delete from " * 4_000,
        "\\" * 5_001,
        "$((" * 5_000,
    ],
)
def test_f15_no_command_takes_for_ever_to_look_at(script: str) -> None:
    dangers(script)
    outside(script, ROOT, ROOT)


def test_what_no_shell_would_read_either() -> None:
    for script in ("'", '"', "$(", "`", "${", "cat <<E", "(", "$'", "cat <<EF\nE\\\nF\nrm x\nEF"):
        with pytest.raises(Unreadable):
            commands_of(script)
