"""What people and models read about settings, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "setting_unknown": "{where}：没有设置项 {key}；最接近的是 {nearest}",
    "setting_wrong": "{where}：{key} 的值类型不对：应为{expected}，实际是{got}",
    "setting_choice": "{where}：{key} 只能是：{choices}",
    "setting_range": "{where}：{key} 不能是 {value}：数值过小或过大",
    "setting_amount": "{where}：{key} 不能是 {value}；请写成 200k、1.5M、$2、30m 或 2h 这样的数量",
    "setting_file_broken": "{where} 不是可读懂的 TOML：{problem}",
    "setting_file_unreadable": "无法读取 {where}：{problem}",
    "setting_file_odd": "{where} 不是不超过 {limit} 字节的普通文件",
    "settings_not_taken": "{where} 随项目而来，不能设置 {keys}；如果需要，请写在 {file} 中",
    "budget_unclear": (
        "看不懂预算 {part}；例如可写 tokens=200k,money=$2,seconds=30m。可用的有：{known}"
    ),
    "config_default": "默认",
}
