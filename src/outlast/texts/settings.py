"""Settings."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "setting_unknown": (
        "{where}: there is no setting {key}; the nearest is {nearest}",
        "{where}：没有设置项 {key}；最接近的是 {nearest}",
    ),
    "setting_wrong": (
        "{where}: {key} takes a value of another type: expected {expected}, got {got}",
        "{where}：{key} 的值类型不对：应为{expected}，实际是{got}",
    ),
    "setting_choice": ("{where}: {key} is one of: {choices}", "{where}：{key} 只能是：{choices}"),
    "setting_range": (
        "{where}: {key} cannot be {value}: the number is too small or too large",
        "{where}：{key} 不能是 {value}：数值过小或过大",
    ),
    "setting_amount": (
        "{where}: {key} cannot be {value}; write an amount such as 200k, 1.5M, $2, 30m or 2h",
        "{where}：{key} 不能是 {value}；请写成 200k、1.5M、$2、30m 或 2h 这样的数量",
    ),
    "setting_file_broken": (
        "{where} cannot be understood as TOML: {problem}",
        "{where} 不是可读懂的 TOML：{problem}",
    ),
    "setting_file_unreadable": ("{where} cannot be read: {problem}", "无法读取 {where}：{problem}"),
    "setting_file_odd": (
        "{where} is not a regular file of at most {limit} bytes",
        "{where} 不是不超过 {limit} 字节的普通文件",
    ),
    "settings_not_taken": (
        "{where} comes with the project and may not set {keys}; if you want that, set it in {file}",
        "{where} 随项目而来，不能设置 {keys}；如果需要，请写在 {file} 中",
    ),
    "budget_unclear": (
        (
            "the budget {part} is not understood; write for example "
            "tokens=200k,money=$2,seconds=30m. There are: {known}"
        ),
        "看不懂预算 {part}；例如可写 tokens=200k,money=$2,seconds=30m。可用的有：{known}",
    ),
    "config_default": ("default", "默认"),
}
