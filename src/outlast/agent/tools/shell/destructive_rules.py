"""Rules for destructive commands, about which a person is asked first.

A rule matches if the program is one of `programs` (`mkfs.*` is a prefix), all of `requires` are
among its words, none of `unless`, and one of `triggers`, if there are any. `-r` also matches `-fr`,
and `--force` also matches its abbreviations. With `is_expansion_trigger` a word that the shell may
expand to anything counts as a trigger.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.agent.tools.shell.parser import Word


class DestructiveRule(NamedTuple):
    """One rule; see the module docstring."""

    programs: tuple[str, ...]
    triggers: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    is_expansion_trigger: bool = False


def _git(command: str, *marks: str, unless: tuple[str, ...] = ()) -> DestructiveRule:
    return DestructiveRule(("git",), marks, (command,), unless, is_expansion_trigger=True)


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
    DestructiveRule(
        ("rm",), ("-r", "-R", "--recursive", "--no-preserve-root"), is_expansion_trigger=True
    ),
    DestructiveRule(("sudo",), ("-s", "-i", "--shell", "--login")),
    DestructiveRule(("env",), ("-S", "--split-string")),
    DestructiveRule(_DISKS),
    DestructiveRule(_MACHINE),
    DestructiveRule(("dd",), ("of=*",)),
    DestructiveRule(("find",), ("-delete", "-fprint*", "-fls")),
    DestructiveRule(("fuser",), ("-k", "--kill")),
    DestructiveRule(
        ("systemctl", "service"), ("poweroff", "reboot", "halt", "kexec", "stop", "disable")
    ),
    DestructiveRule(("systemctl",), ("mask", "kill", "isolate", "rescue", "emergency", "suspend")),
    DestructiveRule(("chmod", "chown", "chgrp", "setfacl"), _RECURSIVE, ("/*",)),
    DestructiveRule(("chmod", "chown", "chgrp", "setfacl"), _RECURSIVE, ("~*",)),
    DestructiveRule(("mv", "cp", "install"), ("/dev/null",)),
    DestructiveRule(("rsync",), ("--delete*", "--remove-source-files")),
    DestructiveRule(
        ("tar", "zip", "7z"), ("--remove-files", "-m", "--move", "-sdel"), unless=("-*x*",)
    ),
    DestructiveRule(("rclone",), ("delete", "purge", "deletefile", "rmdirs", "sync", "cleanup")),
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
    DestructiveRule(("hg", "svn"), ("strip", "purge", "revert", "--clean", "-C", "delete")),
    DestructiveRule(("docker", "podman", "nerdctl"), ("prune", "rm", "rmi", "kill")),
    DestructiveRule(
        ("docker", "docker-compose", "podman"), ("-v", "--volumes", "--rmi"), ("down",)
    ),
    DestructiveRule(("kubectl", "oc", "helm"), ("delete", "drain", "uninstall", "--force")),
    DestructiveRule(("terraform", "tofu", "terragrunt", "pulumi"), ("destroy", "-destroy")),
    DestructiveRule(
        _CLOUDS, ("rm", "rb", "delete", "delete-*", "terminate-*", "destroy", "*:destroy")
    ),
    DestructiveRule(("npm", "yarn", "pnpm", "cargo"), ("unpublish", "yank")),
    DestructiveRule(
        (*_PACKAGES, "pacman"), ("remove", "purge", "autoremove", "erase", "uninstall", "-R*", "-e")
    ),
    DestructiveRule(("dropdb", "dropuser")),
    DestructiveRule(("mysqladmin",), ("drop",)),
    DestructiveRule(("redis-cli",), ("flushall", "flushdb", "FLUSHALL", "FLUSHDB")),
    DestructiveRule(("crontab",), ("-r", "-")),
    DestructiveRule(
        ("iptables", "ip6tables", "nft", "ufw"), ("-F", "--flush", "flush", "reset", "disable")
    ),
    DestructiveRule(("history",), ("-c",)),
    DestructiveRule(("alias",), ("*=*",)),
)

_BY_PROGRAM: Final[dict[str, list[DestructiveRule]]] = {}
for _rule in RULES:
    for _program in _rule.programs:
        _BY_PROGRAM.setdefault(_program, []).append(_rule)

BATCH_PROGRAMS: Final = frozenset({"xargs", "find", "parallel", "fd", "fdfind"})
DESTRUCTIVE_IN_BATCH: Final = frozenset({"rm", "unlink", "rmdir", "kill"})  # harmless for one file

DESTRUCTIVE_SQL: Final = re.compile(
    r"\b(?:drop|truncate)\s+(?:table|database|schema|view|index|user|role|owned|tablespace)\b"
    r"|\btruncate\s+\w|\bdelete\s+from\s+[\w.\"`\[\]]+\s*(?:;|['\"]|$)"
    r"|dropDatabase|\.drop\(|deleteMany|\.remove\(\s*\{?\s*\}?\s*\)",
    re.IGNORECASE,
)
DESTRUCTIVE_CODE: Final = re.compile(
    r"rmtree|rmdir|removedirs|os\.remove|unlink|rmSync|rm_r|remove_tree|FileUtils\.rm|truncate"
    r"|\bsystem\b|popen|subprocess|child_process|\bexec(?!ut)|spawn|\bkill|\brm\b|write_bytes\(b?''\)"
    r"|drop\s+(?:table|database|schema)|delete\s+from|`",
    re.IGNORECASE,
)


def is_destructive(name: str, words: Sequence[Word]) -> bool:
    """Return whether a rule matches a program with these words."""
    if name == "git" and words and words[0].is_expanded:
        return True
    rules = (*_BY_PROGRAM.get(name, ()), *_BY_PROGRAM.get(f"{name.partition('.')[0]}.*", ()))
    return any(_is_rule_match(rule, words) for rule in rules) or (
        name == "kill" and _is_foreign_kill(words)
    )


def _is_rule_match(rule: DestructiveRule, words: Sequence[Word]) -> bool:
    if not all(any(_is_word_match(word, wanted) for word in words) for wanted in rule.requires):
        return False
    if any(_is_word_match(word, mark) for word in words for mark in rule.unless):
        return False
    return not rule.triggers or any(_is_trigger(rule, word) for word in words)


def _is_trigger(rule: DestructiveRule, word: Word) -> bool:
    return (rule.is_expansion_trigger and word.may_split) or any(
        _is_word_match(word, mark) for mark in rule.triggers
    )


def _is_word_match(word: Word, mark: str) -> bool:
    text = word.text
    if mark[:2] == "--" and len(mark) > len("--"):
        option = text.partition("=")[0]
        short = option[:2] == "--" and len(option) > len("--") and mark.startswith(option)
        return short or fnmatchcase(option, mark)
    if mark[:1] == "-" and len(mark) == len("-r") and mark != "--":
        return text[:1] == "-" and text[:2] != "--" and mark[1] in text[1:]
    return fnmatchcase(text, mark)


def _is_foreign_kill(words: Sequence[Word]) -> bool:
    """Return whether `kill` targets more than jobs of this shell."""
    texts = [word.text for word in words]
    if texts[:1] in (["-l"], ["-L"]):
        return False
    signal = 2 if texts[:1] in (["-s"], ["-n"]) else 1 if texts[:1] and texts[0][:1] == "-" else 0
    targets = [text for text in texts[signal:] if text != "--"]
    return not all(text in ("$!", "$$") or text.startswith("%") for text in targets)
