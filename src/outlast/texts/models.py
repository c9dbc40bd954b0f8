"""Models."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # answers and failures
    "model_busy": ("{model} is busy (HTTP {status})", "{model} 正忙（HTTP {status}）"),
    "model_timed_out": (
        "{model} gave no answer within {seconds} seconds",
        "{model} 在 {seconds} 秒内没有回答",
    ),
    "model_unreachable": ("{model} cannot be reached: {problem}", "无法连接 {model}：{problem}"),
    "model_garbled": (
        "{model} gave an answer that cannot be read: {problem}",
        "{model} 的回答无法读取：{problem}",
    ),
    "model_declined": ("{model} declined to answer: {problem}", "{model} 拒绝回答：{problem}"),
    "model_cut": (
        (
            "{model} had only {written} tokens for its answer, which was not finished; raise "
            "limits.max_tokens, or the budget if little of it is left"
        ),
        (
            "{model} 的回答只有 {written} 个 token 可用，没有写完；请调高 limits.max_tokens，"
            "预算所剩不多时请增加预算"
        ),
    ),
    "model_too_much": ("{model} sent more than {most} bytes", "{model} 发送的内容超过 {most} 字节"),
    "model_quota": (
        "{model} is not answered for this account any more: its quota is used up",
        "{model} 不再回答此账户：额度已用完",
    ),
    "model_key_refused": (
        "{model} does not accept the key (HTTP {status})",
        "{model} 不接受该密钥（HTTP {status}）",
    ),
    "model_not_there": (
        "There is no {model} (HTTP {status}); look at its name and its address",
        "没有 {model}（HTTP {status}）；请检查名称和地址",
    ),
    "model_refused": (
        "{model} refused the request (HTTP {status}): {problem}",
        "{model} 拒绝了请求（HTTP {status}）：{problem}",
    ),
    "model_name": (
        "{name} names no model; a name looks like one of these: {forms}",
        "{name} 不是模型名；名称的形式是：{forms}",
    ),
    "model_url": (
        "The address of {kind} has to be http:// or https://, without name, key and query",
        "{kind} 的地址必须是 http:// 或 https://，不带用户名、密钥和查询参数",
    ),
    "model_extra": (
        "{name} needs the extra llm: pip install 'outlast[llm]'",
        "{name} 需要附加组件 llm：pip install 'outlast[llm]'",
    ),
    "model_key_missing": (
        "{name} needs a key in the environment variable {variable}",
        "{name} 需要在环境变量 {variable} 中设置密钥",
    ),
    # scripts
    "script_reference": (
        "The script wants {reference}, which the conversation does not have",
        "脚本需要 {reference}，但对话中没有",
    ),
    "script_wrong": (
        (
            "{where}, line {line}: {problem}. A script is a list of turns, each with some of: "
            "when, unless, after_tool, times, say, calls"
        ),
        (
            "{where} 第 {line} 行：{problem}。脚本是回合的列表，每个回合可以有：when、unless、"
            "after_tool、times、say、calls"
        ),
    ),
    "script_unreadable": ("{where} cannot be read: {problem}", "无法读取 {where}：{problem}"),
    "script_too_large": ("{where} has more than {most} bytes", "{where} 超过 {most} 字节"),
    "script_alias": (
        "a script has no aliases, and nothing in it is nested so deeply",
        "脚本不能使用别名，嵌套也不能太深",
    ),
    "script_exhausted": (
        "None of the {turns} turns of the script fits the conversation",
        "脚本的 {turns} 个回合都不符合当前对话",
    ),
    # models without tool calls
    "prompted_head": (
        (
            "You work with tools. Answer with one JSON object and nothing else. To call a tool: "
            "{call}. When everything is done, or to say something to the user: {answer}. You see "
            "what a tool returned before you answer again."
        ),
        (
            "你使用工具工作。只用一个 JSON 对象回答，不要写别的内容。调用工具：{call}。全部完成后，"
            "或要对用户说话时：{answer}。你会先看到工具返回的内容，然后再回答。"
        ),
    ),
    "prompted_tools": ("These are the tools, one on each line:", "可用的工具，每行一个："),
    # outlast models
    "models_usable": ("Usable here:", "此处可用："),
    "models_others": ("To use others:", "要使用其他模型："),
    "models_scripted": (
        "plays the turns of a YAML file; no key, no network",
        "按 YAML 文件中的回合回答；不需要密钥和网络",
    ),
    "models_key_found": ("{variable} is set", "已设置 {variable}"),
    "models_key_wanted": ("set {variable}", "设置 {variable}"),
    "models_extra": ("pip install 'outlast[llm]'", "安装：pip install 'outlast[llm]'"),
    "models_answers": ("answers at {url}", "{url} 有回应"),
    "models_none": (
        "answers at {url}, but has no model yet: ollama pull NAME",
        "{url} 有回答，但还没有模型：ollama pull NAME",
    ),
    "models_silent": (
        "nothing answers at {url}; start it, or set {variable}",
        "{url} 没有回应；请启动它，或设置 {variable}",
    ),
    "models_any_server": (
        "any server that speaks the OpenAI protocol; its key in {variable}",
        "任何使用 OpenAI 协议的服务器；密钥放在 {variable} 中",
    ),
    "models_prompt": (
        "?tools=prompt behind a name: for models that cannot call tools",
        "名称后加 ?tools=prompt：用于不会调用工具的模型",
    ),
}
