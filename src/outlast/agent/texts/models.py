"""Models: their failures, and what is wrong with the data that they send."""

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
        "{module} needs the extra {extra}; in a clone: pip install '.[{extra}]' ({problem})",
        "{module} 需要附加组件 {extra}；在克隆的目录中运行：pip install '.[{extra}]'（{problem}）",
    ),
    "model_extra": (
        "{name} needs the extra llm; in a clone: pip install '.[llm]'",
        "{name} 需要附加组件 llm；在克隆的目录中运行：pip install '.[llm]'",
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
    "models_extra": (
        "in a clone: pip install '.[llm]'",
        "在克隆的目录中运行：pip install '.[llm]'",
    ),
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
    # contracts: what is wrong with the data that a model sent, and what to send instead
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
    "contract_not_finite": ("line {line}: not a finite number", "第 {line} 行：不是有限的数字"),
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
    "fit_not_empty": ("must be empty here; send null", "此处必须为空；请发送 null"),
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
    "thought_has_no_item": (
        'no plan item is left, so only "done" and "ask_user" are possible',
        '没有剩余的计划项，只能是 "done" 或 "ask_user"',
    ),
    "action_takes_text": ("{tool} takes a text: {needs}", "{tool} 的输入是一段文本：{needs}"),
    "action_takes_object": (
        "{tool} takes a JSON object with {takes}; required: {needs}",
        "{tool} 的输入是 JSON 对象，字段有 {takes}；必填：{needs}",
    ),
    "thought_tool_unknown": (
        "there is no tool {tool}; available: {known}",
        "没有工具 {tool}；可用：{known}",
    ),
}
