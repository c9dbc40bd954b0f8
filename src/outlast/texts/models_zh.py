"""What people and models read about models, in Chinese."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "model_busy": "{model} 正忙（HTTP {status}）",
    "model_timed_out": "{model} 在 {seconds} 秒内没有回答",
    "model_unreachable": "无法连接 {model}：{problem}",
    "model_garbled": "{model} 的回答无法读取：{problem}",
    "model_declined": "{model} 拒绝回答：{problem}",
    "model_cut": (
        "{model} 的回答只有 {written} 个 token 可用，没有写完；"
        "请调高 limits.max_tokens，预算所剩不多时请增加预算"
    ),
    "model_too_much": "{model} 发送的内容超过 {most} 字节",
    "model_quota": "{model} 不再回答此账户：额度已用完",
    "model_key_refused": "{model} 不接受该密钥（HTTP {status}）",
    "model_not_there": "没有 {model}（HTTP {status}）；请检查名称和地址",
    "model_refused": "{model} 拒绝了请求（HTTP {status}）：{problem}",
    "model_name": "{name} 不是模型名；名称的形式是：{forms}",
    "model_url": "{kind} 的地址必须是 http:// 或 https://，不带用户名、密钥和查询参数",
    "model_extra": "{name} 需要附加组件 llm：pip install 'outlast[llm]'",
    "model_key_missing": "{name} 需要在环境变量 {variable} 中设置密钥",
    "script_reference": "脚本需要 {reference}，但对话中没有",
    "script_wrong": (
        "{where} 第 {line} 行：{problem}。脚本是回合的列表，"
        "每个回合可以有：when、unless、after_tool、times、say、calls"
    ),
    "script_unreadable": "无法读取 {where}：{problem}",
    "script_too_large": "{where} 超过 {most} 字节",
    "script_alias": "脚本不能使用别名，嵌套也不能太深",
    "prompted_head": (
        "你使用工具工作。只用一个 JSON 对象回答，不要写别的内容。调用工具：{call}。"
        "全部完成后，或要对用户说话时：{answer}。你会先看到工具返回的内容，然后再回答。"
    ),
    "prompted_tools": "可用的工具，每行一个：",
    "models_usable": "此处可用：",
    "models_others": "要使用其他模型：",
    "models_scripted": "按 YAML 文件中的回合回答；不需要密钥和网络",
    "models_key_found": "已设置 {variable}",
    "models_key_wanted": "设置 {variable}",
    "models_extra": "安装：pip install 'outlast[llm]'",
    "models_answers": "{url} 有回应",
    "models_none": "{url} 有回答，但还没有模型：ollama pull NAME",
    "models_silent": "{url} 没有回应；请启动它，或设置 {variable}",
    "models_any_server": "任何使用 OpenAI 协议的服务器；密钥放在 {variable} 中",
    "models_prompt": "名称后加 ?tools=prompt：用于不会调用工具的模型",
}
