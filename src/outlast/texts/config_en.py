"""What people and models read about settings, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "setting_unknown": "{where}: there is no setting {key}; the nearest is {nearest}",
    "setting_wrong": "{where}: {key} takes a value of another type: expected {expected}, got {got}",
    "setting_choice": "{where}: {key} is one of: {choices}",
    "setting_range": "{where}: {key} cannot be {value}: the number is too small or too large",
    "setting_amount": (
        "{where}: {key} cannot be {value}; write an amount such as 200k, 1.5M, $2, 30m or 2h"
    ),
    "setting_file_broken": "{where} cannot be understood as TOML: {problem}",
    "setting_file_unreadable": "{where} cannot be read: {problem}",
    "setting_file_odd": "{where} is not a regular file of at most {limit} bytes",
    "settings_not_taken": (
        "{where} comes with the project and may not set {keys}; if you want that, set it in {file}"
    ),
    "budget_unclear": (
        "the budget {part} is not understood; write for example "
        "tokens=200k,money=$2,seconds=30m. There are: {known}"
    ),
    "config_default": "default",
}
