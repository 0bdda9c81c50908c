"""Questions that need no sources, settled by rules before any model is asked.

Precision first: a question for a fact must never be caught. A rule says what it saw, so that the
answer can say why nothing was searched. All rules together take well under a millisecond on an
ordinary question. (Routing decides direction only; METHODS of the design: operating the loop.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...stores.text import fold

_LONGEST = 4000
"""Characters of a question that the rules look at: enough for any of them."""


@dataclass(frozen=True)
class Rule:
    """One readable rule: `id` for programs and records, `why` for people."""

    id: str
    why: str
    pattern: re.Pattern[str]
    never: re.Pattern[str] | None = None
    """Where this is seen, too, the rule keeps silent."""


_END = r"[\s,.!?~。！？，～、:;)(😀-🙏]*"
_FACT = re.compile(
    r"\b(?:who|whom|whose|when|where|why|which|how (?:many|much|long|old|far|often|does|do|did|is|"
    r"was|are|were)|according to|latest|current|documentation|policy|in our|our)\b|"
    r"谁|何时|哪[一里年个位些家座]|什么时候|为什么|多少|根据(?:资料|文档|规定)|最新|文档|资料|政策|规定"
)
_OWN_TEXT = r"(?:this|the following|these|below|my|it|the (?:sentence|text|paragraph|passage|word|phrase)s?)"
_QUOTED = r"[\"“'‘「『《:：\n]"


def _rule(id: str, why: str, pattern: str, never: re.Pattern[str] | None = None) -> Rule:
    return Rule(id, why, re.compile(pattern, re.DOTALL), never)


RULES = (
    _rule(
        "greeting",
        "it is a greeting",
        rf"^(?:(?:hi|hello|hey|hiya|howdy|greetings|yo|good (?:morning|afternoon|evening|day|night)|"
        rf"what'?s up|how(?: are| r) (?:you|things|ya)(?: doing)?(?: today)?|how's it going|"
        rf"nice to meet you|how do you do|there|everyone|all|again|friend|buddy)(?:\b|{_END})[\s,.!?]*)+{_END}$|"
        rf"^(?:你好|您好|嗨|哈喽|哈囉|早上好|早安|早|下午好|晚上好|晚安|大家好|在吗|在么|在嗎|你好吗|你好嗎|"
        rf"最近怎么样|很高兴(?:认识|见到)你|hello|hi|呀|啊|哦)+{_END}$",
    ),
    _rule(
        "thanks",
        "it thanks, agrees or takes leave",
        rf"^(?:(?:(?:ok|okay|great|cool|perfect|nice|awesome|alright|wonderful|yes|yeah|no|sure|oh|well|"
        rf"so|very|much|really|a lot|for (?:(?:all|your|the|that|everything|it|this) ?)*(?:help(?:ing)?(?: me)?|time|info(?:rmation)?|"
        rf"answer|assistance)?|that(?:'s| was| is)?|helpful|"
        rf"thanks|thank you|thank u|thx|ty|cheers|i appreciate (?:it|that|this|your help)|appreciated|"
        rf"bye(?:[- ]bye)?|goodbye|good bye|see you|see ya|later|soon|take care|good night|"
        rf"have a (?:good|nice|great) (?:one|day|night|evening|weekend)|got it|you|again|again soon|"
        rf"(?:it was )?(?:good|nice) (?:talking|chatting|speaking) (?:to|with) you)(?:\b|{_END})[\s,.!?]*)+){_END}$|"
        rf"^(?:(?:非常|十分|太|好的|好|行|嗯|哦|明白了?|知道了|了解了?|收到|没问题|可以|谢谢|多谢|感谢|谢了|谢谢你|"
        rf"谢谢您|你|您|的|帮助|回答|再见|拜拜|拜|回头见|回见|下次见|不客气|辛苦了?|了|啦|哈|吧|!|！|，|,|。| )+){_END}$",
    ),
    _rule(
        "about the assistant",
        "it is about the assistant itself",
        r"^(?:(?:hey|hi|so|and|ok|please|can you|could you|would you|tell me|do you mind telling me|"
        r"i(?:'d| would) like to know|say|let me know|may i ask|a bit about|do you know),?\s+)*"
        r"(?:(?:what(?:'s| is| are)?|who|where|how|when|which|are|do|did|can|tell|have|were|is|am i)\b)?"
        r"[^.?!\n]{0,24}?\b(?:"
        r"(?:you (?:a (?:real )?(?:bot|robot|human|person|machine|computer|ai|program)|human|real|an? ai|alive)"
        r"|am i (?:talking|speaking|chatting) (?:to|with) (?:a |an )?(?:\w+ )?(?:bot|human|person|robot|machine|ai|computer))"
        r"|your (?:name|age|hobby|hobbies|pets?|birthday|creator|maker|boss|favou?rite \w+|parents|job|origin|birthplace)"
        r"|(?:made|created|built|programmed|designed|invented|developed) you|you (?:made|created|built) by"
        r"|old are you|are you (?:from|called|doing|feeling|made|located)|you (?:were )?(?:come from|born|live|get made|go by)"
        r"|(?:can|should|could|may) i (?:ask|call|say to) you|do i call you|should i call you"
        r"|you (?:have|own|got|keep|like) (?:any |a )?(?:pets?|hobbies|friends|dogs?|cats?|feelings|fun)"
        r"|(?:can|could) you (?:do|help(?: me)? with|answer|assist)|you (?:do|know how to do|like to do|enjoy)(?: for (?:fun|me))?"
        r"|topics (?:can|do) you|(?:subjects|things|questions|stuff) (?:can|do|could) (?:i|you))\b[^\n]{0,30}$|"
        r"^(?:请问)?(?:你|您)(?:是谁|叫什么|是什么|几岁|多大|是不是(?:人|机器)|是(?:人|机器人|男|女|ai)|会(?:做)?什么|能(?:做)?什么|"
        r"喜欢|爱|有(?:没有)?(?:朋友|宠物|感情|爱好|女朋友|男朋友)|从哪里?来|住在?哪|来自|在(?:做|干)什么|吃|怎么样|好吗|认识我|生气|高兴|开心|"
        r"难过|聪明|害怕|会)[^\n]{0,12}$|^(?:谁(?:创造|制造|开发|发明)了?你|你的(?:名字|爱好|生日|年龄|性别|父母|主人)[^\n]{0,8})"
        + _END
        + "$",
    ),
    _rule(
        "arithmetic",
        "it is a sum",
        r"^(?:(?:please|calculate|compute|what(?:'s| is| does)|how much is|work out|evaluate|solve|tell me|the|value|of|"
        r"请|计算|算一下|求|帮我算(?:一下)?|equals?|answer|to|result|can you|could you|for me)[\s:：]*)*"
        r"(?=[^\n]*\d)(?:[\d\s.,()+\-*/×÷^=%xX·加减乘除以的等于和]|plus|minus|times|divided by|multiplied by|over|"
        r"squared|cubed|percent of|square root of|to the power of|and|mod|sum of|product of|the)+"
        r"(?:equals?|equal to|is what|等于)?(?:多少|几|what|什么|是)*" + _END + "$",
    ),
    _rule(
        "dice or coin",
        "it asks for a random throw",
        r"^(?:(?:please|can you|could you|will you|would you|i (?:want|need) you to|go ahead and|now|let's|i'd like you to|just|"
        r"you|help me),?\s+)*(?:roll|flip|toss|throw|cast)\b[^.\n]{0,24}\b(?:die|dice|coin|quarter|penny|nickel)s?\b"
        r"[^\n]{0,50}$|^(?:heads or tails|掷|抛|扔)(?:一?[个枚颗次])?(?:骰子|硬币)?" + _END + "$",
        re.compile(r"\b(?:probability|odds|chance|history|invented)\b|概率"),
    ),
    _rule(
        "joke or story",
        "it asks for something made up",
        r"^(?:(?:please|can you|could you|would you|will you|i want you to|i need you to|i'd like you to|help me(?: to)?|"
        r"请|请你|帮我|麻烦|你能|能不能|给我|为我),?\s*)*"
        r"(?:(?:tell|give|know|share|say|do you know|do you have|let me hear|hear|make up|come up with)\b[^.?!\n]{0,24}\b(?:jokes?|riddles?|puns?|bedtime stor(?:y|ies))\b|"
        r"(?:write|compose|draft|create|generate|make up|invent|come up with|brainstorm|design|make)\b\s+(?:me |us |up |out )?"
        r"(?:a|an|some|the|one|two|three|four|five|ten|\d+|another|your|my)?\s*(?:[\w'-]+\s){0,4}?"
        r"(?:poems?|haikus?|sonnets?|limericks?|songs?|lyrics|story|stories|essay|novel|jokes?|slogans?|tagline|captions?|tweets?|"
        r"blog posts?|posts?|cover letter|letter|e-?mails?|reply|speech|dialogue|script|screenplay|advert(?:isement)?|"
        r"toast|invitation|resume|review|title|titles|names|ideas|paragraph|sentences?|headline|bio|message|post)\b|"
        r"(?:写|创作|编|作|撰写|起草|续写|讲|设计|生成|拟|构思|创建)(?:出|写|造)?(?:一|几|两|三|五|\d+)?(?:个|篇|首|段|封|则|份|条|句|些|下|副|部|种)?"
        r"[^，。？！\n]{0,24}?(?:诗|故事|笑话|文章|作文|歌词|歌|邮件|信|演讲稿|演讲|文案|广告|标语|口号|对话|剧本|短文|散文|小说|"
        r"祝福语|情书|日记|评论|段落|句子|谜语|对联|文|计划|简历|标题|报告|台词|描述|宣传语|推文|说明|介绍))",
        re.compile(
            r"\b(?:who|when|which year|wrote|written by|what year)\b|谁|哪一?年|何时|作者|根据(?:资料|文档|规定)|"
            r"\b(?:according to|based on (?:the|our)|documentation)\b"
        ),
    ),
    _rule(
        "text given",
        "the text to work on is in the question itself",
        r"^(?:(?:please|can you|could you|would you|i want you to|i need you to|help me(?: to)?|kindly|your task is to|"
        r"请|请你|请将|将|把|帮我|帮忙|麻烦|你能|能不能|给我|为|对|以下是?|请把|根据),?\s*)*"
        rf"(?:(?:translate|rewrite|rephrase|paraphrase|summari[sz]e|proofread|correct|edit|shorten|simplify|"
        rf"classify|categori[sz]e|extract|fix|polish|improve|reword|convert|change|turn|sort|identify|find|"
        rf"highlight|complete|fill in|detect|suggest)\b[^\n]{{0,60}}?(?:{_OWN_TEXT}|{_QUOTED})|"
        r"(?:翻译|改写|重写|改成|改为|润色|总结|概括|缩写|扩写|摘要|校对|纠正|修改|分类|提取|抽取|归纳|归类|转换|转化|重新|替换|"
        r"生成摘要|找出|补全|填空|判断|识别|造句|下面|下列|以下|给定|这[段句篇个])[^\n]{0,60}?"
        rf"(?:以下|下面|下列|这[段句篇个]|给定|{_QUOTED}))",
        _FACT,
    ),
    _rule(
        "text given, long",
        "the text to work on is in the question itself",
        r"(?:以下|下面|下列|给定|这[段句篇]|上述|根据)(?:是|为)?[^\n：:]{0,30}?(?:文本|文字|段落|句子|文章|内容|对话|新闻|评论|数据|材料|信息|列表|短文|话)"
        r"[^\n]{0,60}[：:\n].{15,}|"
        r"^(?:请|请将|将|把|对|从|为)[^\n]{0,60}(?:翻译|改写|重写|改成|改为|润色|总结|概括|摘要|分类|提取|转换|替换|修改)[^\n]{0,40}[：:\n“\"「].{4,}|"
        r"(?:翻译|改写|重写|润色|总结|概括|摘要|分类|提取)[^\n：:]{0,30}[：:\n].{8,}",
    ),
    _rule(
        "how to say or spell",
        "it asks about words, not about a topic",
        r"^(?:(?:please|can you|could you|tell me|do you know|i need to know|show me|let me know|how do (?:you|i)|how would (?:you|i)|how to|how is|what is|what's),?\s*)*"
        r"(?:spell|the (?:correct )?spelling (?:of|for)|translate|(?:i |you |one )?say|pronounce|how do (?:you|i|they|people) (?:say|spell))\b[^?\n]{1,60}"
        r"(?:\b(?:in|to|into) (?:english|french|spanish|german|italian|chinese|japanese|korean|portuguese|russian|latin|hindi|"
        r"arabic|swahili|danish|dutch|swedish|turkish|vietnamese|thai|polish|greek|hawaiian)\b)?"
        + _END
        + "$|"
        r"^[^\n]{1,24}(?:用|的)(?:英语|英文|法语|日语|德语|韩语|中文)(?:怎么说|怎么讲|怎么拼写?|是什么)"
        + _END
        + "$",
        re.compile(r"\b(?:who|when|where|why|say about|says? that|according|did)\b"),
    ),
    _rule(
        "code",
        "it asks for code to be written",
        r"^(?:(?:please|can you|could you|help me(?: to)?|i (?:need|want)(?: you to)?|given [^.\n]{1,120}[,.]|请|请你|帮我|用|使用|给我),?\s*)*"
        r"(?:(?:write|implement|create|code|generate|debug|refactor|develop|build|design)\b[^.?!\n]{0,60}\b(?:functions?|programs?|scripts?|class|code|"
        r"regex|regular expression|query|queries|snippet|algorithm|method|html|css|sql|python|java(?:script)?|latex|macro|webpage)\b|"
        r"(?:(?:python|java|c\+\+|c#|c语言|javascript|js|sql|go|php|html|shell|r语言|matlab|ruby)[^\n]{0,8})?(?:编写|写|实现|编程|设计|创建)[^。？\n]{0,40}(?:代码|程序|函数|脚本|算法|类|sql|"
        r"正则(?:表达式)?|python|java|c\+\+|c#|javascript|html|网页))|```|^\s*(?:def |class |#include|import |select .+ from )",
        re.compile(
            r"\b(?:who|when|which)\b|根据(?:文档|资料)|\b(?:according to|documentation|our)\b"
        ),
    ),
    _rule(
        "sum in a story",
        "it is a sum told as a story; all its figures are given",
        r"^(?=(?:[^\d]*\d+){3,})(?=.*(?:how (?:many|much|long|far|old)|what (?:is|was|will be) (?:the|his|her|their) (?:total|average|age)|多少|几[个只条本岁天元]))"
        r"(?=.*(?:\b(?:each|every|twice|half|times|total|altogether|left|remaining|if|per|then|gives?|buys?|has|had|spends?|"
        r"more than|less than|pays?|costs?|sells?|sold)\b.*){3,}|.*(?:如果|每|共|一共|还剩|买|卖|比|多|少|给)"
        r".*(?:如果|每|共|一共|还剩|买|卖|比|多|少|给))[^\n]{40,}|"
        r"^(?=.*\d.*\d)(?=.*(?:一共|还剩|剩下|平均|总共|求))(?=.*(?:多少|几))(?:一个|有|小|如果|某|已知|计算|求)[^\n]{12,}",
        re.compile(
            r"根据(?:资料|文档)|\b(?:according to|world cup|population|census|gdp|founded|born)\b"
        ),
    ),
)


def match(question: str) -> Rule | None:
    """The first rule that settles the question without sources, or None: then sources decide."""
    text = fold(question[:_LONGEST]).replace("’", "'").strip()
    if not text:
        return None
    for rule in RULES:
        if rule.pattern.search(text) and not (rule.never and rule.never.search(text)):
            return rule
    return None
