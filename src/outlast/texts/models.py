"""Models."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # answers and failures
    "model_busy": ("{model} is busy (HTTP {status})", "{model} 正忙（HTTP {status}）"),
    "model_timed_out": (
        "{model} did not answer within {seconds} seconds",
        "{model} 在 {seconds} 秒内没有回答",
    ),
    "model_unreachable": ("{model} cannot be reached: {problem}", "无法连接 {model}：{problem}"),
    "model_garbled": (
        "{model} returned an unreadable answer: {problem}",
        "{model} 的回答无法解析：{problem}",
    ),
    "model_declined": ("{model} declined to answer: {problem}", "{model} 拒绝回答：{problem}"),
    "model_cut": (
        (
            "{model} ran out of room after {written:token}, before its answer was finished; raise "
            "limits.max_tokens, or the budget if little of it is left"
        ),
        (
            "{model} 的回答写了 {written:,} 个 token 后被截断；请调高 limits.max_tokens，"
            "预算所剩不多时请增加预算"
        ),
    ),
    "model_too_much": (
        "{model} sent more than {most:byte}",
        "{model} 发送的内容超过 {most:,} 字节",
    ),
    "model_quota": ("{model}: the quota of this account is used up", "{model}：此账户的额度已用完"),
    "model_key_refused": (
        "{model} rejected the API key (HTTP {status})",
        "{model} 拒绝了 API 密钥（HTTP {status}）",
    ),
    "model_not_there": (
        "{model} does not exist (HTTP {status}); check its name and address",
        "{model} 不存在（HTTP {status}）；请检查名称和地址",
    ),
    "model_refused": (
        "{model} refused the request (HTTP {status}): {problem}",
        "{model} 拒绝了请求（HTTP {status}）：{problem}",
    ),
    "model_name": (
        "{name} is not a model name; expected one of these forms: {forms}",
        "{name} 不是模型名；应为以下形式之一：{forms}",
    ),
    "model_url": (
        "The address of {kind} must be an http:// or https:// URL without user name, key or query",
        "{kind} 的地址必须是 http:// 或 https:// URL，不带用户名、密钥和查询参数",
    ),
    "extra_missing": (
        "{module} needs the extra {extra}: pip install 'outlast[{extra}]' ({problem})",
        "{module} 需要附加组件 {extra}：pip install 'outlast[{extra}]'（{problem}）",
    ),
    "model_extra": (
        "{name} needs the extra llm: pip install 'outlast[llm]'",
        "{name} 需要附加组件 llm：pip install 'outlast[llm]'",
    ),
    "model_key_missing": (
        "{name} needs an API key in the environment variable {variable}",
        "{name} 需要在环境变量 {variable} 中设置 API 密钥",
    ),
    # scripts
    "script_reference": (
        "The script refers to {reference}, which is not in the conversation",
        "脚本引用了 {reference}，但对话中没有",
    ),
    "script_wrong": (
        (
            "{where}, line {line}: {problem}. A script is a list of turns; each has some of: when, "
            "unless, after_tool, times, say, calls"
        ),
        (
            "{where} 第 {line} 行：{problem}。脚本是回合的列表，每个回合可以有：when、unless、"
            "after_tool、times、say、calls"
        ),
    ),
    "script_unreadable": ("{where} cannot be read: {problem}", "无法读取 {where}：{problem}"),
    "script_too_large": ("{where} is larger than {most:byte}", "{where} 超过 {most:,} 字节"),
    "script_alias": (
        "aliases and deep nesting are not allowed in a script",
        "脚本不能使用别名，嵌套也不能太深",
    ),
    "script_exhausted": (
        "None of the script's {turns:turn} fits the conversation",
        "脚本的 {turns:,} 个回合都不符合当前对话",
    ),
    # models without tool calls
    "prompted_head": (
        (
            "You work with tools. Answer with one JSON object and nothing else. To call a tool: "
            "{call}. When everything is done, or to tell the user something: {answer}. You see "
            "what a tool returned before you answer again."
        ),
        (
            "你使用工具工作。只用一个 JSON 对象回答，不要写别的内容。调用工具：{call}。全部完成后，"
            "或要对用户说话时：{answer}。你会先看到工具返回的内容，然后再回答。"
        ),
    ),
    "prompted_tools": ("The tools, one per line:", "可用的工具，每行一个："),
    # outlast models
    "models_usable": ("Available here:", "此处可用："),
    "models_others": ("To use others:", "要使用其他模型："),
    "models_scripted": (
        "plays the turns of a YAML file; no API key, no network",
        "按 YAML 文件中的脚本回答；不需要 API 密钥和网络",
    ),
    "models_key_found": ("{variable} is set", "已设置 {variable}"),
    "models_key_wanted": ("set {variable}", "设置 {variable}"),
    "models_extra": ("pip install 'outlast[llm]'", "安装：pip install 'outlast[llm]'"),
    "models_answers": ("running at {url}", "{url} 正在运行"),
    "models_none": (
        "running at {url}, but without a model: ollama pull NAME",
        "{url} 正在运行，但还没有模型：ollama pull NAME",
    ),
    "models_silent": (
        "nothing is running at {url}; start it, or set {variable}",
        "{url} 没有响应；请启动它，或设置 {variable}",
    ),
    "models_any_server": (
        "any server with an OpenAI-compatible API; its key in {variable}",
        "任何兼容 OpenAI API 的服务器；密钥放在 {variable} 中",
    ),
    "models_prompt": (
        "append ?tools=prompt to the name of a model that cannot call tools",
        "不会调用工具的模型，请在名称后加 ?tools=prompt",
    ),
}
