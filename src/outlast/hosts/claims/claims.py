"""Claims: whether the last message of an agent says that the work is done.

A claim may block the stop of an agent whose checks are red, so in doubt a message claims nothing. A
sentence counts if it is neither negated nor partial, planned, asked or quoted, and only if nothing
else in the message failed or is still to do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

from outlast.hosts.claims.open_work import says_open, says_planned
from outlast.hosts.claims.topics import COMMON_ZH, is_chinese, share_topic
from outlast.language.lazy_pattern import compile_lazily
from outlast.model.markers import (
    closing_question,
    done_marks,
    lines_outside_fences,
    reports_open_parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


_LONGEST_MESSAGE: Final = 200_000  # characters; what stands before them is not read
_WINDOW: Final = 12_000  # characters at the end of a message, without code
_LONGEST_SENTENCE: Final = 600  # characters; a longer one claims nothing
_LONGEST_PART: Final = 2_000  # characters; a longer sentence is read in parts
_SIMPLIFIED: Final = str.maketrans(
    "務試過實現復計劃對錯誤驗證測還沒無後續開發構編譯檢剩餘問題絕處進準備總結個項們這裡壞斷階報",
    "务试过实现复计划对错误验证测还没无后续开发构编译检剩余问题绝处进准备总结个项们这里坏断阶报",
)

# The parts of a message

_CODE: Final = compile_lazily(r"``[^`\n]{1,300}``|`[^`\n]{1,300}`")
_QUOTED: Final = compile_lazily(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|『[^』\n]{1,300}』|«[^»\n]{1,300}»"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)|(?<!\w)‘[^’\n]{1,80}’(?!\w)"
)
_NOT_WORD: Final = compile_lazily(r"[\W_]+")
_CAMEL_CASE: Final = compile_lazily(r"(?<=[a-z0-9])(?=[A-Z])")
_LINK: Final = compile_lazily(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,300}\)")
_EMPHASIS: Final = compile_lazily(r"[*~]+|(?<!\w)_+|_+(?!\w)")
_ITEM: Final = compile_lazily(r"\s*(?:[-+*•·–—]\s+|[0-9]{1,3}[.)、]\s*|\[[xX]\]\s*)+")
_ICON_ITEM: Final = compile_lazily(r"\s*[✓✔✅☑🔹🔸▪▸]")
_HEADING: Final = compile_lazily(r"\s*#{1,6}\s+")
_OPEN_BOX: Final = compile_lazily(
    r"^[ \t]{0,20}(?:[-+*•][ \t]+|[0-9]{1,3}[.)][ \t]+)?\[ ?\]|[❌⬜🔲☐⏳🚧]", re.MULTILINE
)
_BREAK: Final = compile_lazily(
    r"(?<=[.!?;。])[\"')\]]{0,3}\s+|(?<=[。!?;])(?=[^\s!?])|(?<=:)(?:\s+|(?=[^\x00-\x7f]))"
    r"|\s[–—-]{1,2}\s|[—–]{1,2}"
)
_LEAD: Final = compile_lazily(r"^[^\w#(]+")
_LABEL: Final = compile_lazily(  # it heads a list, such as "Done:"; a sentence has a verb
    r"(?!.*(?:\b(?:i|we|is|are|has|have|been)\b|'ve\b)|(?:fixed|implemented"
    r"|resolved) ).*[\x00-\x7f]:$"
    r"|[^\x00-\x7f]{1,4}:$"
)
_POLITE: Final = compile_lazily(
    r"(?:(?:please|just|and|so|always) ){0,3}(?:let me know|tell me|feel free|happy to|glad to"
    r"|i'm happy to|reach out|don't hesitate|if you(?:'d)? (?:want|like|need|have|prefer|notice"
    r"|see|hit))\b"
    r"|(?:如果?|若)(?:你|您)?(?:还|后续|之后)?(?:有|需要?|想|发现|希望|遇到)"
    r"|(?:有|还有)(?:任何|其他|什么)?(?:问题|需要|疑问)(?:\w{0,8}(?:告诉|联系|随时|说|叫)|吗)"
    r"|(?:请|欢迎|可以)?随时|需要(?:的话|我)"
)
_THE_REST: Final = compile_lazily(
    r"\b(completed|finished|fixed|resolved|implemented|migrated|converted"
    r"|addressed) (?:all )?(?:of )?(?:the |its |both )?remaining\b"
)

# Claims

_DONE: Final = (
    r"(?:done|complete|completed|finished|finalized|implemented|fixed|resolved|solved|in place"
    r"|wrapped up|good to go|all set|shipped|merged|deployed|live|landed|addressed|migrated"
    r"|refactored|accomplished|taken care of"
    r"|ready (?:to (?:go|merge|ship|use|commit|deploy|be merged)"
    r"|for (?:review|use|merge|merging|production|prod|testing|you))"
    r"|(?:working|functional|operational)(?: (?:now|again|correctly|properly"
    r"|end[ -]to[ -]end)))(?![\w-])"
)
_ADVERBS: Final = (
    r"(?:(?:now|all|fully|successfully|completely|both|just|finally|officially|100%|entirely|also"
    r"|then|thus|therefore|each|correctly|properly|cleanly) ){0,3}"
)
_END: Final = (  # "The width is fixed at 3" and "Sorting is done in C" claim nothing
    r"(?=(?: (?:now|again|as (?:requested|asked|planned|specified)|successfully|here))?(?:[\W_]*$"
    r"|[.!,;:)]"
    r"| [^\w\s]|,? and (?:tested|verified|working|works|passing|green|committed|covered|documented"
    r"|all|the|tests?|checks?"
    r"|everything|it|i|we|ready|live|deployed|merged|pushed|reviewed|fully|in place)\b"
    r"| with (?:no|all|the tests|zero|full|tests)\b| without ))"
)
_IS: Final = r"(?:(?: is| are| has been| have been| has| have)|'s|'re)"
_FILLER: Final = (
    r"(?:(?:ok|okay|great|perfect|excellent|alright|all right|good news|great news|so|and|now|yes"
    r"|yep|right|finally|well|phew|there|awesome|nice|that's it|there (?:we|you) go|status|result"
    r"|update|tl;dr|final status|in summary|in short|to summarize|overall|success)[,:!.]? ){0,3}"
)
_WORK: Final = (
    r"(?:tasks?|work|plan|implementation|feature|refactor(?:ing)?|migration|fix(?:es)?"
    r"|bug ?fix(?:es)?"
    r"|bugs?|issues?|crash|changes|update|upgrade|setup|integration|conversion|clean-?up|rewrite"
    r"|project|goal|steps|todos|to-dos|items|phases|everything|job|port|rename|request|mission"
    r"|ticket"
    r"|objectives?|step)"
)
_FINISHED_VERB: Final = (
    r"(?:gone ahead and (?:implemented|fixed)|completed|finished|finalized|implemented|fixed"
    r"|resolved|solved|delivered|wrapped up|refactored|migrated|addressed|shipped|rewrote"
    r"|rewritten|ported|converted|integrated|got (?:it|everything|this) working)"
)
_CHANGED_VERB: Final = (
    r"(?:added|updated|created|changed|removed|renamed|replaced|moved|wrote|written|made|extended"
    r"|extracted|introduced|switched|deleted|adjusted|cleaned up|wired|configured|improved"
    r"|documented"
    r"|split|hooked|built|set up|dropped|bumped|corrected|restored|simplified|optimized|covered"
    r"|registered|enabled|disabled|patched|hardened|upgraded|applied|tightened|reworked)"
)
_OBJECT: Final = (  # after a verb without a subject: "Finished jobs are deleted" claims nothing
    r"(?=(?:the|all|your|this|that|these|those|both|an?|every|everything|it|each"
    r"|code(?:_\w+)?|[0-9]+|support"
    r"|end-to-end|in|by|and|as|per)\b|[#\[])"
)
_CLAIM: Final = compile_lazily(
    rf"^{_FILLER}(?:(?:it|that|this|everything|all){_IS} |all |we're |we are |i'm "
    rf"|i am )?{_ADVERBS}{_DONE}"
    r"(?: (?:now|here|and dusted|as (?:requested|asked|planned|specified)|successfully"
    r"|with (?:the|this|that|all|everything|your)\b.{0,60}))?[\W_]*$"
    rf"|^{_FILLER}{_ADVERBS}(?:done|all set|all done), ?(?=\S)"
    rf"|^{_FILLER}(?:[\w#./'-]+ ){{0,6}}{_WORK} (?:(?:is|are) )?{_ADVERBS}{_DONE}{_END}"
    rf"|^[^,;:]{{1,100}}?(?<! that)(?<! which)(?<! who){_IS} {_ADVERBS}{_DONE}{_END}"
    rf"|^[^,;:]{{1,100}}? (?:has|have) been {_ADVERBS}(?:{_DONE}|(?:executed|carried out)\b)"
    r"(?! (?:by|upstream|in (?:version|newer|v?[0-9])))"
    rf"|\b(?:i|we)(?:'ve| have)? {_ADVERBS}{_FINISHED_VERB} (?=\S)"
    rf"|^{_FILLER}{_ADVERBS}{_FINISHED_VERB} {_OBJECT}"
    r"|\b(?:this|that) (?:completes|concludes|finishes|wraps up) "
    r"|\b(?:everything|all|it|both|they|[\w-]+) (?:now works?|works? (?:now|again)"
    r"|is working now)\b"
    r"|\beverything works\b|\b(?:mission|task) accomplished\b|\bjob done\b"
    r"|\bnothing (?:is )?(?:left|remains)(?: to (?:do|be done))?\b"
    rf"|\b(?P<n>[0-9]{{1,4}}) ?(?:/|of|out of) ?(?P=n) (?:{_WORK} )?(?:are )?{_DONE}"
)
_CLAIM_ZH: Final = compile_lazily(
    r"已经?(?:全部|全都|都|成功|顺利|按要求|按计划|彻底|完全|正式|圆满)*(?:完成|实现|修复|解决"
    r"|搞定|做完|改完|写完|修好|改好|弄好|做好|落地|上线|交付|处理完|就绪"
    r"|完工|结束|重构|迁移)"
    r"|(?:全部|全都|都|均|一切|统统)(?:已经?|成功|顺利|处理)*(?:完成|搞定|做完|改完|写完|修好|改好"
    r"|弄好|做好|就绪|修复|实现|解决|完毕)"
    r"|(?:任务|工作|计划|需求|功能|重构|迁移|修复|开发|改造|实现|升级|整理|优化|清理|替换|接入"
    r"|适配|部署|配置|编写|目标)(?:全部|均|都|已经?|顺利|圆满|也)*(?:完成|完毕|做完|搞定|达成)"
    r"|(?:搞定|完成|做完|修好|改好|弄好|写好|做好|改完|写完|处理好|收工|完工|大功告成|齐活"
    r"|完事)[了啦咯]"
    r"|(?:^|[\s!。,;:])(?:搞定|完成|做完|修好|改好|收工|完工|大功告成|齐活)(?:[!。.,\s~✅🎉]|$)"
    r"|(?:完成|实现|修复|解决|修正|重构|迁移)了|(?:修复|处理|实现|编写|添加|改造|部署|执行"
    r"|开发)完毕"
    r"|现在.{0,24}(?:正常|可以|能).{0,8}了|可以正常(?:使用|工作|运行)了"
)
_CHANGED: Final = (
    rf"\b(?:i|we)(?:'ve| have)? {_ADVERBS}(?:{_CHANGED_VERB}|{_FINISHED_VERB})\b"
    rf"|^{_FILLER}{_ADVERBS}(?:{_CHANGED_VERB}|{_FINISHED_VERB})(?: |$)"
    rf"|\b(?:has|have) been {_ADVERBS}{_CHANGED_VERB}\b"
    r"|(?:添加|新增|更新|修改|创建|删除|重命名|替换|调整|增加|补充|移动|加上|重写|改成|改为|抽取"
    r"|封装|优化|接入|已将|已把)[了完]?"
)
_CHANGE: Final = compile_lazily(
    rf"{_CHANGED}|\b(?:is|are) now \w+|\bnow \w+s\b"
    r"|\bhere's (?:a (?:quick |brief )?summary of )?what (?:i|was|changed|we)\b"
    r"|\b(?:summary of (?:the )?changes|changes made|you can now)\b"
)
_PROVED: Final = compile_lazily(
    r"\b(?:all|every|[0-9]{1,6}(?:/[0-9]{1,6})?|full|entire|whole|the|existing|new|unit"
    r"|both) (?:[\w-]+ ){0,4}(?:tests?|checks?|suites?|specs?|builds?|lint(?:er|ing)?"
    r"|type-?checks?|ci) (?:[\w/]+ ){0,3}(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|clean"
    r"|successful(?:ly)?)\b"
    r"|^(?:tests?|checks?|build|lint|type-?checks?|ci|code(?:_\w+)?)\b.{0,40}\b(?:pass(?:es|ed|ing)?|green"
    r"|succeed(?:s|ed)?|clean)\b"
    r"|\b[0-9]{1,6} (?:tests? )?pass(?:ed|ing)\b|\beverything (?:is )?(?:pass(?:es|ing)|green"
    r"|builds)"
    r"|\b(?:no|zero|0|without(?: any)?) (?:\w+ ){0,2}(?:errors|failures|regressions)\b"
    r"|\bworks (?:as (?:expected|intended)|correctly|end[ -]to[ -]end|fine|perfectly)\b"
    r"|(?:测试|用例|单测|构建|编译|检查|校验|lint|ci|类型).{0,14}(?:通过|成功|全绿|正常)|一切正常"
    r"|全绿|验证通过"
)

# What makes a claim none

_CONDITION: Final = compile_lazily(
    r"\b(?:once|when(?:ever)?|if|until|till|unless|before|while|assuming|whether|provided"
    r"|as soon as"
    r"|after(?! \w+ing\b)|should|would|could|might|may|must|needs?|needed|want|wants|will|cannot"
    r"|to be|to get|be (?:done|finished|complete)|what|how|why|which|who|where|supposed|expect"
    r"|think|believe|hope|hopefully|seems?|looks? like|appears?|probably|likely|perhaps|maybe"
    r"|presumably|you(?! (?:gave|assigned|asked for)\b)|they|previous(?:ly)?|earlier|already|says?"
    r"|said|claims?|consider(?:ed)?|mark(?:ed)?|called|named|in theory|in principle|supposedly"
    r"|according to)\b|'(?:ll|d)\b"
)
_CONDITION_AFTER: Final = compile_lazily(
    r"[ ,]*(?:once|when|if|until|unless|after|as soon as|by (?!default)|only|tasks?\b|items?\b)"
)
_PARTIAL: Final = compile_lazily(
    r"\b(?:first|second|third|fourth|fifth|one of|some|most|mostly|half|halfway|part(?:s|ly|ial"
    r"|ially)?"
    r"|so far|almost|nearly|initial|basic|drafts?|skeleton|scaffold(?:ing)?|stub(?:s|bed)?|except"
    r"|apart|aside|however|but|although|though|yet|only|temporar(?:y|ily)|workaround|for now"
    r"|just the|pre-?requisites?|preparations?|groundwork|preliminary|minus|the following"
    r"|what i can|as (?:much|far) as)\b"
    r"|\b(?:steps?|phases?|stages?|tasks?|parts?|items?|milestones?|iterations?|chunks?"
    r"|batch(?:es)?"
    r"|days?) (?:#?[0-9]+|one|two|three|four|[a-d])\b"
    r"|(?<![0-9])[0-9]{1,2}(?:\.[0-9]+)? ?%"
    r"|\b(?:analysis|analy[sz]ing|investigat\w+|explor\w+|reading|review(?:ing)?|research\w*"
    r"|search(?:ing)?|audit(?:ing)?|planning|design|looking|download(?:ing)?|install(?:ing|ation)?"
    r"|scan(?:ning)?|backup|script|command|server|process|query|reproduc\w+|diagnos\w+) (?:(?:is"
    r"|has|are|of|the|now|been) )*(?:done|complete|completed|finished|running)\b"
    r"|\b(?:completed|finished|finalized|wrapped up|done with) (?:(?:the|my|an?|initial|full"
    r"|code) )*(?:analysis|analy[sz]ing|investigat\w+|explor\w+|reading|review\w*|research\w*"
    r"|search\w*"
    r"|audit\w*|planning|plan\b|looking|download\w*|install\w*|scan\w*|reproduc\w+|diagnos\w+"
    r"|gathering|writing|drafting|todo list|list\b|specs?\b)"
    r"|\b(?:understanding|lists?|specs?|specification|overview|summary) (?:\w+ ){0,4}(?:is|are) "
    r"|第[一二两三四五六七八九十0-9]+|部分|一半|大半|基本|差不多|几乎|快[要完好]|即将|初步|初版"
    r"|草稿|暂时|其中"
    r"|(?:阶段|步骤) ?[一二三四五六七八九0-9]|除了|除此|只有|仅|目前为止|但|不过|可是|然而|只是"
    r"|虽然|尽管"
    r"|(?:分析|调研|阅读|探索|梳理|审查|调查|搜索|检索|下载|安装|备份|排查|定位|规划"
    r"|设计)(?:工作)?(?:已经?|都|全部)*完[成毕]"
    r"|完成了?(?:对?\S{0,12})?(?:分析|调研|阅读|探索|梳理|审查|调查|搜索|检索|排查|规划)"
    r"|[如若]果|假如|一旦|等[到我你]?|待|当(?!前)|可能|应该|也许|大概|估计|似乎|好像|希望|预计|是否"
    r"|有没有|怎么|什么|吗|呢$"
    r"|需要|必须|(?<![按照据所])要求|早已|之前|原本|本来|以前|[别他她]人?|你(?!给的)"
    r"|您(?!的|给的)|显示|标记|算|由|上一?[个次]|今天|昨天|刚才|目前|用户[说认称]|日志|状态[为改变是]|改为|变为|环境"
    r"|文档[里中]"
    r"|(?:计划|方案).{0,6}(?:请?审阅|制定|编写|拟定)|完成了?\S{0,12}设计"
)
_AFTER_ZH: Final = compile_lazily(
    r"[之以]?[后时前]|的话|再|度|情况|率|条件|标准|状态|标志|定义|通知|不了|的"
)


class _Sentence(NamedTuple):
    """A sentence in lower case, and whether it is an item of a list or a heading."""

    text: str
    is_item: bool
    is_heading: bool


_EVERYTHING: Final = compile_lazily(
    r"\b(?:everything|all (?:of (?:the|it|this) ?)?(?:the )?(?:[a-z]+ )?(?:tasks?|steps?|items?"
    r"|to-?dos?|work|phases?|changes|parts|done|set|complete)|(?:whole|entire) (?:plan|job|work)"
    r"|(?:the|this|your) (?:plan|job|project)\b)|全部|所有|整个|都已?(?:完成|做完|搞定)|计划"
)


_NUMBERED: Final = compile_lazily(
    r"(?:\b(?:the )?(?:task|step|item)|任务|步骤?) ?#?([0-9]{1,9})(?![0-9]|\.[0-9]| ?/| of)"
    r"(?: ?\([^()\n]{0,100}\))?"
)
_SENTENCE: Final = compile_lazily(r"[^.!?;。\n]+[.!?。]?")
# Whether a claim is about the task at hand

_CLAUSE: Final = compile_lazily(
    r"[,;()、]|\b(?:and|so|while|with(?= (?:all|no|zero|full|the (?:full |whole )?tests?)\b))\b"
    r"|而且|并且"
)
_TOLD: Final = compile_lazily(  # what was done, to something that is named
    rf"{_CHANGED}|^.{{1,100}} {_CHANGED_VERB}\W*$|\b(?:i|we)(?:'ve| have)? (?:answered|explained) "
    r"|(?:回答|回复|解释)了"
)
_NO_TOPIC: Final = compile_lazily(  # a file is one only after a bug: "the bug in `a.py`"
    r"(?<!bug )(?<!bugs )(?<!issue )(?<!issues )(?<!crash )(?<!fix )"
    r"\b(?:in|to|at|with|using|via) (?:code\w*|[\w/-]{1,80}\.[a-z]{1,4}\b)"
    rf"|\b(?:on (?:the|my|your) (?:to-?do |task )?list|at hand|in-progress|to-do"
    rf"|{_DONE}|{_FINISHED_VERB}|{_CHANGED_VERB}|{_WORK}"
    r"|i|we|you|me|it|its|they|them|this|that|these|those|there|here|what|all|both|each|every"
    r"|the|an?|my|our|your|is|are|was|were|be|been|has|have|had|of|to|in|on|at|by|for|with|as|per"
    r"|and|or|so|too|up|no|nothing|left|go|gone|ahead|got|'(?:ve|s|re|m)"
    r"|now|also|then|thus|therefore|just|fully|successful(?:ly)?|completely|finally|officially"
    r"|entirely|correctly|properly|cleanly|again|already|100%|fine|well|new|whole|entire"
    r"|requested|asked|planned|specified|remaining|ok|okay|great|perfect|excellent|alright|right"
    r"|good|news|yes|yep|phew|awesome|nice|status|final|result|summary|short|overall|success"
    r"|works?|working|ready|tested|verified|approved|committed|pushed|code|features?|functionality"
    r"|change|one|two|three|four|five|else|todos?|gave"
    r"|current|given|assigned|listed|described|last|main|actual|original|active|open|above|full"
    r"|required|necessary|expected|intended|coding)\b"
)
_DETAIL: Final = r"(?:bugs?|issues?|crash|(?:bug ?)?fix(?:es)?|rename|update|clean-?up)\b"
_SMALL: Final = compile_lazily(  # the work itself, unless its sentence names something
    rf"\b{_DETAIL}|问题|错误|bug"
)
_WHOLE: Final = compile_lazily(  # the work itself, as the subject or the object
    rf"\b(?!{_DETAIL})(?:it|this|that|them|they|everything|all|both|change|features"
    rf"|functionality|{_WORK})\b"
    r"|任务|工作|计划|需求|功能|目标|全部|全都|所有|一切|[都均该]|这个"
    r"|(?:实现|修复|重构|迁移|开发|修改|改动)(?:已经?|都|全部)*完"
)
_TESTS: Final = compile_lazily(r"\b(?:(?:unit|regression|existing) )*tests?\b|测试")
_OWN_WORK: Final = r"(?:(?:sub-?)?tasks?|steps?|work|plan|to-?dos?|assignments?)(?![\w-])"
_OWN_DONE: Final = (
    rf"{_IS} {_ADVERBS}(?:done|completed?|finished|implemented|accomplished)(?![\w-])"
)
_OF_IT: Final = compile_lazily(  # "Fixed it in the parser", "The feature is complete for now"
    rf"^{_FILLER}(?:it|this|that|everything|all)(?:{_IS}| now works?| works now)\b"
    rf"|^{_FILLER}(?:(?:the|all|this|your|my|of|whole|entire|requested|new) ){{0,4}}{_WORK}"
    rf"(?:{_IS}\b| and\b|$)"
    r"|\b(?:this|that) (?:completes|concludes|finishes|wraps up)\b|^(?:there (?:is|are) )?nothing\b"
    r"|^(?:the |your )?(?:pr|branch|pull request) is\b"
    rf"|\b(?:{_FINISHED_VERB}|{_CHANGED_VERB}) (?:(?:it|them|everything|all of (?:it|them|this))\b"
    r"|(?:this|that|all)(?=\W*$| (?:in|by|with|using|for|now|as|too|to|on|at)\b))"
    rf"|\b(?:i'm|i am|we're|we are) {_ADVERBS}(?:done|finished|all set)\b"
    rf"|\b{_OWN_WORK}{_OWN_DONE}"
    rf"|^{_FILLER}(?:[\w-]+ ){{0,4}}{_OWN_WORK} (?:you|we|i|that|on|in|of|from|for|above|below)\b"
    rf".{{0,60}}{_OWN_DONE}"
    r"|\b(?:completed|finished|accomplished|wrapped up|done with) (?:all of )?"
    rf"(?:(?!(?:of|for|in|on|to|with|from|at|by|that|so|as)\b)[\w'-]+ ){{0,4}}{_OWN_WORK}"
    rf"|\bimplemented (?:(?:the|your|this|all|of|current) ){{0,3}}{_OWN_WORK}"
    r"(?= (?:in|as|by|with|using|for|on|from|you)\b)"
    r"|(?:任务|步骤|工作|计划)(?:已经?|都|均|全部|顺利|成功)*(?:完成|做完|搞定|完毕)"
    r"|(?:完成|做完|搞定)了?(?:\w{0,8}的)?(?:任务|步骤|工作|计划)(?!\w)"
)


def claims_done(message: str) -> bool:
    """Return whether a message claims that a task or the whole plan is done.

    A done marker counts, and so do plain English and Chinese words. A message that asks something,
    reports a problem or names something that is still to do claims nothing.
    """
    message = message[-_LONGEST_MESSAGE:]
    text = _fold("\n".join(lines_outside_fences(message)))
    sentences = [*_sentences(text)]
    if not done_marks(message):
        # Few messages claim anything, so what makes a claim none is looked for afterwards.
        if not (any(map(_is_claim, sentences)) or _is_proved_change(sentences)):
            return False
        if any(says_planned(sentence.text) for sentence in sentences):
            return False
    if closing_question(text) or _OPEN_BOX.search(text) or reports_open_parts(text):
        return False
    return not any(says_open(sentence.text) for sentence in sentences)


def claims_everything(message: str) -> bool:
    """Return whether a message claims that not only a task, but all of the work is done."""
    if not claims_done(message):
        return False
    text = _fold("\n".join(lines_outside_fences(message)))
    claims = [sentence.text for sentence in _sentences(text) if _is_claim(sentence)]
    clauses = [clause for claim in claims for clause in _clauses(claim)]
    named = [clause for clause in clauses if _has_topic(clause)]
    if not named and any("everything works" in claim for claim in claims):
        return True
    whole = (clause for clause in clauses if clause not in named and _says_done(clause))
    return any(map(_EVERYTHING.search, whole))


def claims_task(message: str, name: str) -> bool:
    """Return whether a message claims that the task of this name is done.

    In doubt it does. It does not if all that it says was done was done to something else: what is
    named shares no word with the name, and neither "it" nor the work as a whole is said to be done.
    A name in Chinese and a message in English cannot be compared, nor the reverse.
    """
    if not claims_done(message):
        return False
    if done_marks(message):
        return True
    text = _fold("\n".join(lines_outside_fences(message[-_LONGEST_MESSAGE:])), keeps_code=True)
    told, has_object = [], False
    for sentence in _sentences(text):
        is_told = _is_claim(sentence) or _TOLD.search(sentence.text) is not None
        if not (is_told or _CHANGE.search(sentence.text)):
            continue
        clauses = _clauses(sentence.text)
        is_whole = any(map(_is_about_whole, (sentence.text, *clauses)))
        is_small = any(_tells(clause) and _SMALL.search(clause) for clause in clauses)
        has_topic = any(
            _has_topic(clause if _SMALL.search(clause) else _TESTS.sub(" ", clause))
            for clause in clauses
        )
        if not sentence.is_item and (is_whole or (is_small and not has_topic)):
            return True
        told += clauses
        has_object |= is_told and (any(map(_tells_topic, clauses)) or (is_small and has_topic))
    words, folded_name = " ".join(told), _fold(name, keeps_code=True)
    if not has_object or is_chinese(words) != is_chinese(folded_name):
        return True
    return share_topic(words, folded_name)


def _clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence, but for those that only say that tests pass."""
    clauses = (clause.strip() for clause in _CLAUSE.split(sentence))
    return [clause for clause in clauses if not _PROVED.search(clause) or _tells(clause)]


def _tells(clause: str) -> bool:
    """Return whether a clause says that something is done or was changed, not that it works."""
    clause = _PROVED.sub(" ", clause)
    return _says_done(clause) or _TOLD.search(clause) is not None


def _has_topic(clause: str) -> bool:
    """Return whether a clause names something beside the work as a whole."""
    rest = COMMON_ZH.sub(" ", _NO_TOPIC.sub(" ", clause))
    return any(map(str.isalpha, rest))


def _tells_topic(clause: str) -> bool:
    return _tells(clause) and _has_topic(clause)


def _is_about_whole(clause: str) -> bool:
    if not _tells(clause):
        return False
    is_whole = _WHOLE.search(clause) and not _has_topic(clause)
    return bool(is_whole or _OF_IT.search(clause))


def claimed_numbers(message: str) -> tuple[int, ...]:
    """Return the numbers of the tasks that a message says are done, a sentence for each."""
    text = _fold("\n".join(lines_outside_fences(message[-_LONGEST_MESSAGE:])))
    numbers: dict[int, None] = {}
    for sentence in _SENTENCE.findall(text):
        named = [int(match[1]) for match in _NUMBERED.finditer(sentence)]
        if named and claims_done(_NUMBERED.sub("the task", sentence)):
            numbers |= dict.fromkeys(named)
    return tuple(numbers)


def _fold(text: str, *, keeps_code: bool = False) -> str:
    """Return the end of a text, simplified, in lower case, without quotations and emphasis.

    Where code was stands `code`, or `code_` and the words of the code.
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(">"))
    text = "\n".join(lines)[-_WINDOW:]
    text = normalize("NFKC", text).translate(_SIMPLIFIED).replace("’", "'")
    code = _code_words if keeps_code else "code"
    text = _QUOTED.sub(code, _LINK.sub(r"\1", _CODE.sub(code, text)))
    return _EMPHASIS.sub("", text.casefold())


def _code_words(code: re.Match[str]) -> str:
    """Return the words of code as a single one: `OAuthCallback` has oauthcallback and callback."""
    words = _NOT_WORD.split(code[0])
    parts = _CAMEL_CASE.sub("_", "_".join(words))
    return "_".join(filter(None, ("code", *words, *parts.split("_"))))


def _sentences(text: str) -> Iterator[_Sentence]:
    """Yield the sentences of a text; a sentence that is only polite is left out."""
    lines = text.splitlines()
    has_icons = sum(_ICON_ITEM.match(line) is not None for line in lines) > 1
    for line in lines:
        item, heading = _ITEM.match(line), _HEADING.match(line)
        is_item = item is not None or (has_icons and _ICON_ITEM.match(line) is not None)
        mark = item or heading
        for part in _BREAK.split(line[mark.end() :] if mark else line):
            sentence = _THE_REST.sub(r"\1", " ".join(_LEAD.sub("", part).split()))
            if not _POLITE.match(sentence):
                for begin in range(0, len(sentence), _LONGEST_PART):
                    end = begin + _LONGEST_PART
                    yield _Sentence(sentence[begin:end], is_item, heading is not None)


def _is_claim(sentence: _Sentence) -> bool:
    text = sentence.text
    if sentence.is_item or not _may_claim(text) or not _says_done(text):
        return False
    return not _PARTIAL.search(text)


def _says_done(text: str) -> bool:
    match = _CLAIM.search(text)
    if match and not _CONDITION.search(text, 0, match.end()):
        return _CONDITION_AFTER.match(text, match.end()) is None
    match = None if text.isascii() else _CLAIM_ZH.search(text)
    return match is not None and _AFTER_ZH.match(text, match.end()) is None


def _may_claim(text: str) -> bool:
    is_short = len(text) <= _LONGEST_SENTENCE
    return is_short and not text.endswith("?") and "|" not in text and not _LABEL.match(text)


def _is_proved_change(sentences: list[_Sentence]) -> bool:
    """Return whether sentences tell what was changed, and that it works."""
    usable = [sentence for sentence in sentences if _may_claim(sentence.text)]
    return any(_PROVED.search(sentence.text) for sentence in usable) and any(
        _CHANGE.search(sentence.text) for sentence in usable if not sentence.is_heading
    )
