"""Settings."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "setting_unknown": (
        "{where}: unknown setting {key}; the closest name is {nearest}",
        "{where}：没有设置项 {key}；最接近的是 {nearest}",
    ),
    "setting_wrong": (
        "{where}: {key}: expected {expected}, got {got}",
        "{where}：{key}：应为{expected}，实际是{got}",
    ),
    "setting_choice": (
        "{where}: {key}: expected one of {choices}",
        "{where}：{key} 应为以下之一：{choices}",
    ),
    "setting_range": (
        "{where}: {key}: {value} is out of range",
        "{where}：{key}：{value} 超出范围",
    ),
    "setting_path": (
        (
            "{where}: {key}: expected a directory inside the mailbox, such as commands/pending, "
            "got {value}"
        ),
        "{where}：{key}：应为信箱内的目录，例如 commands/pending，实际是 {value}",
    ),
    "setting_amount": (
        "{where}: {key}: {value} is not an amount; write for example 200k, 1.5M, 2, 30m or 2h",
        "{where}：{key}：{value} 不是有效的数量；例如 200k、1.5M、2、30m 或 2h",
    ),
    "setting_file_broken": (
        "{where} is not valid TOML: {problem}",
        "{where} 不是有效的 TOML：{problem}",
    ),
    "setting_file_unreadable": ("{where} cannot be read: {problem}", "无法读取 {where}：{problem}"),
    "setting_file_odd": (
        "{where} is not a regular file of at most {limit:byte}",
        "{where} 不是不超过 {limit:,} 字节的普通文件",
    ),
    "settings_ignored": (
        "{where} belongs to the project and may not set {keys}; to use that, set it in {file}",
        "{where} 属于项目，不能设置 {keys}；如果需要，请写在 {file} 中",
    ),
    "budget_unclear": (
        (
            "cannot parse the budget {part}; write for example tokens=200k,money=2,time=30m. "
            "Limits: {known}"
        ),
        "无法解析预算 {part}；例如 tokens=200k,money=2,time=30m。可用：{known}",
    ),
    "time_zone_unknown": (
        "{setting}: unknown time zone {value}; write for example {known}",
        "{setting}：本机没有时区 {value}；可以填写 {known} 等",
    ),
    "config_default": ("default", "默认"),
}
