"""Which commands may destroy something: a table, and how a command is held against it.

`programs` are names, `mkfs.*` all that begin so. All of `words` have to be among the words of the
command, and one of `marks`, if there are any: `-r` is also found in `-fr`, `--force` also when it
is cut short. If it is `wary`, a word that the shell may turn into anything counts as a mark. None
of `unless` may be there.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.adapters.tools.shell.parser import Word


class Rule(NamedTuple):
    """One row of the table."""

    programs: tuple[str, ...]
    marks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    wary: bool = False


def _git(command: str, *marks: str, unless: tuple[str, ...] = ()) -> Rule:
    return Rule(("git",), marks, (command,), unless, wary=True)


_RECURSIVE: Final = ("-R", "--recursive")
_CLOUDS: Final = ("aws", "gcloud", "az", "gsutil", "doctl", "heroku", "gh", "fly", "flyctl", "npm")
_PACKAGES: Final = ("apt", "apt-get", "yum", "dnf", "apk", "zypper", "snap", "brew", "dpkg", "rpm")
_DISKS: Final = (
    *("mkfs", "mkfs.*", "mke2fs", "mkswap", "wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk"),
    *("sgdisk", "parted", "blkdiscard", "badblocks", "hdparm", "lvremove", "vgremove", "pvremove"),
    *("zpool", "cryptsetup", "diskutil", "shred", "srm", "wipe", "scrub", "nwipe", "truncate"),
)
_MACHINE: Final = (
    *("shutdown", "reboot", "halt", "poweroff", "init", "telinit", "kexec", "swapoff", "userdel"),
    *("groupdel", "deluser", "delgroup", "pkill", "killall", "killall5", "skill", "xkill"),
)

RULES: Final = (
    Rule(("rm",), ("-r", "-R", "--recursive", "--no-preserve-root"), wary=True),
    Rule(("sudo",), ("-s", "-i", "--shell", "--login")),
    Rule(("env",), ("-S", "--split-string")),
    Rule(_DISKS),
    Rule(_MACHINE),
    Rule(("dd",), ("of=*",)),
    Rule(("find",), ("-delete", "-fprint*", "-fls")),
    Rule(("fuser",), ("-k", "--kill")),
    Rule(("systemctl", "service"), ("poweroff", "reboot", "halt", "kexec", "stop", "disable")),
    Rule(("systemctl",), ("mask", "kill", "isolate", "rescue", "emergency", "suspend")),
    Rule(("chmod", "chown", "chgrp", "setfacl"), _RECURSIVE, ("/*",)),
    Rule(("chmod", "chown", "chgrp", "setfacl"), _RECURSIVE, ("~*",)),
    Rule(("mv", "cp", "install"), ("/dev/null",)),
    Rule(("rsync",), ("--delete*", "--remove-source-files")),
    Rule(("tar", "zip", "7z"), ("--remove-files", "-m", "--move", "-sdel"), unless=("-*x*",)),
    Rule(("rclone",), ("delete", "purge", "deletefile", "rmdirs", "sync", "cleanup")),
    _git("push", "-f", "-d", "--force", "--force-*", "--mirror", "--delete", "--prune", "+*", ":*"),
    _git("reset", "--hard", "--merge"),
    _git("clean", "-f", "--force"),
    _git("checkout", "-f", "--force", ".", "--", "-B"),
    _git("switch", "-f", "--force", "--discard-changes", "-C"),
    _git("restore", unless=("--staged",)),
    _git("branch", "-D", "-f", "--force", "--delete"),
    _git("stash", "drop", "clear"),
    _git("reflog", "expire", "delete"),
    _git("gc", "--prune*"),
    _git("tag", "-d", "--delete"),
    _git("update-ref", "-d", "--stdin"),
    _git("worktree", "remove"),
    _git("remote", "remove", "rm"),
    _git("rm", "-r", "-f", "--force"),
    *map(_git, ("filter-branch", "filter-repo", "prune", "alias.*")),
    Rule(("hg", "svn"), ("strip", "purge", "revert", "--clean", "-C", "delete")),
    Rule(("docker", "podman", "nerdctl"), ("prune", "rm", "rmi", "kill")),
    Rule(("docker", "docker-compose", "podman"), ("-v", "--volumes", "--rmi"), ("down",)),
    Rule(("kubectl", "oc", "helm"), ("delete", "drain", "uninstall", "--force")),
    Rule(("terraform", "tofu", "terragrunt", "pulumi"), ("destroy", "-destroy")),
    Rule(_CLOUDS, ("rm", "rb", "delete", "delete-*", "terminate-*", "destroy", "*:destroy")),
    Rule(("npm", "yarn", "pnpm", "cargo"), ("unpublish", "yank")),
    Rule(
        (*_PACKAGES, "pacman"), ("remove", "purge", "autoremove", "erase", "uninstall", "-R*", "-e")
    ),
    Rule(("dropdb", "dropuser")),
    Rule(("mysqladmin",), ("drop",)),
    Rule(("redis-cli",), ("flushall", "flushdb", "FLUSHALL", "FLUSHDB")),
    Rule(("crontab",), ("-r", "-")),
    Rule(("iptables", "ip6tables", "nft", "ufw"), ("-F", "--flush", "flush", "reset", "disable")),
    Rule(("history",), ("-c",)),
    Rule(("alias",), ("*=*",)),
)

_BY_PROGRAM: Final[dict[str, list[Rule]]] = {}
for _rule in RULES:
    for _program in _rule.programs:
        _BY_PROGRAM.setdefault(_program, []).append(_rule)

MANY: Final = frozenset({"xargs", "find", "parallel", "fd", "fdfind"})  # for many files at once
ONE: Final = frozenset({"rm", "unlink", "rmdir", "kill"})  # which for one might be harmless

SQL: Final = re.compile(
    r"\b(?:drop|truncate)\s+(?:table|database|schema|view|index|user|role|owned|tablespace)\b"
    r"|\btruncate\s+\w|\bdelete\s+from\s+[\w.\"`\[\]]+\s*(?:;|['\"]|$)"
    r"|dropDatabase|\.drop\(|deleteMany|\.remove\(\s*\{?\s*\}?\s*\)",
    re.IGNORECASE,
)
CODE: Final = re.compile(
    r"rmtree|rmdir|removedirs|os\.remove|unlink|rmSync|rm_r|remove_tree|FileUtils\.rm|truncate"
    r"|\bsystem\b|popen|subprocess|child_process|\bexec(?!ut)|spawn|\bkill|\brm\b|write_bytes\(b?''\)"
    r"|drop\s+(?:table|database|schema)|delete\s+from|`",
    re.IGNORECASE,
)


def breaks(name: str, words: Sequence[Word]) -> bool:
    """Tell whether a program with these words is in the table."""
    if name == "git" and words and words[0].open:
        return True
    rules = (*_BY_PROGRAM.get(name, ()), *_BY_PROGRAM.get(f"{name.partition('.')[0]}.*", ()))
    return any(_is(rule, words) for rule in rules) or (name == "kill" and _kills(words))


def _is(rule: Rule, words: Sequence[Word]) -> bool:
    if not all(any(_has(word, wanted) for word in words) for wanted in rule.words):
        return False
    if any(_has(word, mark) for word in words for mark in rule.unless):
        return False
    return not rule.marks or any(_marks(rule, word) for word in words)


def _marks(rule: Rule, word: Word) -> bool:
    return (rule.wary and word.loose) or any(_has(word, mark) for mark in rule.marks)


def _has(word: Word, mark: str) -> bool:
    text = word.text
    if mark[:2] == "--" and len(mark) > len("--"):
        option = text.partition("=")[0]
        short = option[:2] == "--" and len(option) > len("--") and mark.startswith(option)
        return short or fnmatchcase(option, mark)
    if mark[:1] == "-" and len(mark) == len("-r") and mark != "--":
        return text[:1] == "-" and text[:2] != "--" and mark[1] in text[1:]
    return fnmatchcase(text, mark)


def _kills(words: Sequence[Word]) -> bool:
    """Tell whether somebody else's process is meant: neither a job of this shell nor the last."""
    texts = [word.text for word in words]
    if texts[:1] in (["-l"], ["-L"]):
        return False
    signal = 2 if texts[:1] in (["-s"], ["-n"]) else 1 if texts[:1] and texts[0][:1] == "-" else 0
    meant = [text for text in texts[signal:] if text != "--"]
    return not all(text in ("$!", "$$") or text.startswith("%") for text in meant)
