"""Which commands need permission: a corpus of both kinds."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.agent.tools.shell.bash import Bash
from outlast.agent.tools.shell.inspection import find_destructive, find_outside_paths
from outlast.agent.tools.shell.parser import ShellParseError, parse_commands
from outlast.system.patterns import is_permitted
from tests.agent.tools.shell.command_corpus import ASK, FINE

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
    assert [command for command in ASK if not find_destructive(command)] == []


def test_an_ordinary_command_is_not() -> None:
    assert [command for command in FINE if find_destructive(command)] == []


def test_the_corpus_is_large_enough() -> None:
    assert len(set(ASK)) > 150
    assert len(set(FINE)) > 120


@pytest.mark.parametrize("command", AWAY)
def test_a_path_outside_is_asked_about(command: str) -> None:
    assert find_outside_paths(command, ROOT, ROOT) == AWAY[command]


@pytest.mark.parametrize(
    "command", ["cd", "cd ~", "cat ~/x", "ls $HOME/x", "cd -", "pushd $X", "~/x"]
)
def test_a_home_is_outside(command: str) -> None:
    [found] = find_outside_paths(command, ROOT, ROOT)
    assert found.startswith(os.path.expanduser("~"))  # noqa: PTH111 - as a shell does


@pytest.mark.parametrize("command", HERE)
def test_a_path_inside_or_no_path_is_not(command: str) -> None:
    assert find_outside_paths(command, ROOT, ROOT) == []


def test_a4_links_out_of_the_workspace_are_resolved(work: Path) -> None:
    away = work.parent / "away"
    away.mkdir()
    (work / "inside").mkdir()
    (work / "link").symlink_to(away)
    (work / "python").symlink_to("/bin/sh")
    (away / "back").symlink_to(work)

    def found(command: str) -> list[str]:
        return find_outside_paths(command, str(work), str(work))

    assert found("cat link/secret") == [f"{away}/secret"]
    assert found("cat <link/secret; cp a --to=link") == [f"{away}/secret", f"{away}"]
    assert found("cat link/../secret inside/../x") == [f"{work.parent}/secret"]
    assert found(f"cat {away}/back/x inside") == []
    assert found("./python x.py") == []
    request = Bash(str(work)).permission_request({"command": "cat link/secret /etc/hosts"})
    assert request is not None
    assert request.subject == f"cat link/secret /etc/hosts → path:{away}/secret"


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
def test_a1_an_unparsable_command_is_not_allowed_by_its_first_words(
    script: str, work: Path
) -> None:
    request = Bash(str(work)).permission_request({"command": script})
    assert request is not None
    assert not all(is_permitted("bash:git push", one) for one in request.items)


def test_a_request_lists_each_permission(work: Path) -> None:
    tool = Bash(str(work))
    request = tool.permission_request(
        {"command": "ls && rm -rf build; sudo git push -f > /etc/x; rm -rf build"}
    )
    assert request is not None
    assert request.kind == "destructive"
    assert request.items == ("bash:rm -rf build", "bash:git push -f > /etc/x", "path:/etc/x")
    away = tool.permission_request({"command": "ls /etc", "cwd": "."})
    assert away is not None
    assert (away.kind, away.subject, away.items) == ("outside", "ls /etc", ("path:/etc",))
    assert tool.permission_request({"command": "ls"}) is None
    assert tool.permission_request({}) is None


def test_a1_a_destructive_part_cannot_hide_in_a_long_command(work: Path) -> None:
    command = f"echo {'x' * 5_000}; rm -rf src; echo {'y' * 5_000}"
    request = Bash(str(work)).permission_request({"command": command})
    assert request is not None
    assert request.subject == "bash:rm -rf src"


@given(st.text("rm -f'\"\\$(){}<>|&;`#\n*x=E~/", max_size=60))
def test_any_text_is_read_or_asked_about(script: str) -> None:
    find_destructive(script)
    find_outside_paths(script, ROOT, ROOT)


WORDS = st.lists(
    st.sampled_from(["a", "'b c'", '"d"', "\\e", "x\\ y", '"q\\"r"', "f''g"]), max_size=5
)


@given(words=WORDS, sign=st.sampled_from([";", "&&", "|", "\n"]))
def test_words_are_read_as_a_shell_reads_them(words: list[str], sign: str) -> None:
    first, second = parse_commands(f"printf {' '.join(words)} {sign} true {' '.join(words)}")
    shell = subprocess.run(  # noqa: S603 - our own words
        ["/bin/sh", "-c", f"printf '%s\\0' {' '.join(words)}"], capture_output=True, check=True
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
def test_f15_no_command_takes_forever_to_inspect(script: str) -> None:
    find_destructive(script)
    find_outside_paths(script, ROOT, ROOT)


def test_a_script_that_no_shell_accepts_is_not_parsed() -> None:
    for script in ("'", '"', "$(", "`", "${", "cat <<E", "(", "$'", "cat <<EF\nE\\\nF\nrm x\nEF"):
        with pytest.raises(ShellParseError):
            parse_commands(script)
