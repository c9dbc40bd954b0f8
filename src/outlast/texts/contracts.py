"""Contracts: what is wrong with the data that a model sent, and what to send instead."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # the text
    "contract_nothing": ("no JSON object in the reply", "回复中没有 JSON 对象"),
    "contract_too_long": (
        "longer than {limit:character}; send less at once",
        "超过 {limit:,} 个字符；请分次发送",
    ),
    "contract_too_deep": (
        "line {line}: nested more than {limit} levels deep",
        "第 {line} 行：嵌套超过 {limit} 层",
    ),
    "contract_expected": ("line {line}: expected {expected}", "第 {line} 行：此处应为 {expected}"),
    "contract_twice": ("line {line}: the key {key} occurs twice", "第 {line} 行：键 {key} 重复"),
    "contract_torn": (
        "line {line}: a text without its closing quote",
        "第 {line} 行：缺少结束引号",
    ),
    "contract_value_missing": ("line {line}: a value is missing", "第 {line} 行：缺少值"),
    "contract_unquoted": (
        "line {line}: a text must stand in double quotes",
        "第 {line} 行：文本必须放在双引号中",
    ),
    "contract_not_finite": (
        "line {line}: not a finite number",
        "第 {line} 行：不是有限的数字",
    ),
    "contract_surrogate": (
        "line {line}: half of a surrogate pair is no character",
        "第 {line} 行：不成对的代理项不是字符",
    ),
    "contract_yaml": (
        "line {line}: not valid YAML: {problem}",
        "第 {line} 行：不是有效的 YAML：{problem}",
    ),
    "contract_yaml_form": (
        "line {line}: no aliases, merges or deep nesting, please send JSON",
        "第 {line} 行：不支持别名、合并键或过深的嵌套，请发送 JSON",
    ),
    # its values
    "fit_missing": ("missing; send {example}", "缺少；请发送 {example}"),
    "fit_type": (
        "expected {expected}, got {got}; send {example}",
        "应为{expected}，实际是{got}；请发送 {example}",
    ),
    "fit_choice": ("expected one of {choices}", "应为以下之一：{choices}"),
    "fit_unknown": ("unknown; expected {takes}", "未知；可用的有 {takes}"),
    "fit_least": ("expected {least:,} or more", "不能小于 {least:,}"),
    "fit_most": ("expected {limit:,} or less", "不能大于 {limit:,}"),
    "fit_empty": ("must not be empty; send {example}", "不能为空；请发送 {example}"),
    "fit_too_short": ("expected at least {limit:character}", "至少应有 {limit:,} 个字符"),
    "fit_too_long": ("expected at most {limit:character}", "最多 {limit:,} 个字符"),
    "fit_too_few": ("expected at least {limit:item}", "至少应有 {limit:,} 项"),
    "fit_too_many": ("expected at most {limit:item}", "最多 {limit:,} 项"),
    "fit_too_deep": ("nested more than {limit} levels deep", "嵌套超过 {limit} 层"),
    "fit_too_large": (
        "more than {limit:value}; send less at once",
        "超过 {limit:,} 个值；请分次发送",
    ),
    "fit_other": ("{problem}", "不符合要求（{problem}）"),
    "contract_repair": (
        "Your reply cannot be used:\n{problems}\nSend the whole JSON again, corrected and alone.",
        "你的回复无法使用：\n{problems}\n请重新发送改正后的完整 JSON，不要写别的内容。",
    ),
}
