"""Hints: substrings that a text must contain to contain a secret. Most texts have none."""

from __future__ import annotations

from typing import Final

# Each stands before the first secret character, so that a stream can be released up to it.
_FORM_HINTS_WITH_DASH: Final = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "-----BEGIN", "xox", "xapp-"),
    *("sk_", "rk_", "whsec_", "hf_", "gsk_", "xai-", "pplx-", "r8_", "dop_v1_", "npm_", "pypi-"),
    *("glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glsoat-", "glagent-", "gloas-"),
    *("glimt-", "GOCSPX-"),
)
NAME_HINTS: Final = (
    *("pass", "pwd", "token", "secret", "key", "credential", "authorization", "_auth", "cookie"),
    *("密码", "口令", "密钥", "令牌"),
)


def has_hint(text: str) -> bool:
    """Return whether a text may contain a secret."""
    return has_form_hint(text) or (
        # a name and its value are joined by one of these
        (":" in text or "=" in text or "-" in text or ">" in text or "\uff1a" in text)
        and has_name_hint(lowercase(text))
    )


def has_form_hint(text: str) -> bool:
    """Return whether a text may contain a secret that is recognized by its form."""
    return (  # written out: every text passes here
        "earer" in text
        or "asic" in text
        or "eyJ" in text
        or (":" in text and ("://" in text or ":AA" in text))
        or ("A" in text and ("AKIA" in text or "ASIA" in text or "AIza" in text or "EAA" in text))
        or (
            "." in text
            and ("ya29." in text or "SG." in text or "hvs." in text or "hooks.slack" in text)
        )
        or (("-" in text or "_" in text) and _has_any(_FORM_HINTS_WITH_DASH, text))
    )


def _has_any(hints: tuple[str, ...], text: str) -> bool:
    for hint in hints:  # noqa: SIM110 - a generator would cost more than the search
        if hint in text:
            return True
    return False


def has_name_hint(low: str) -> bool:
    """Return whether a lowercase text may contain the name of a secret."""
    return _has_any(NAME_HINTS, low)


def lowercase(text: str) -> str:
    """Lowercase a text without changing its length: `İ` would become two characters."""
    return text.replace("İ", "i").lower()
