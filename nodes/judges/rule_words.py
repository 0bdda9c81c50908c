"""The words that the rules look for. Longer phrases are tried before shorter ones."""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    """Phrases, parted by "|" or line ends, longest first."""
    found = (part.strip() for line in text.splitlines() for part in line.split("|"))
    return tuple(sorted(filter(None, found), key=len, reverse=True))


POLITE = _lines("""
    please|can you|could you|would you|will you|can you please|could you please|i want you to
    i need you to|i would like you to|i'd like you to|help me|help me to|kindly|your task is to
    go ahead and|just|now|let's|hey|hi|hello|ok|so|and|i need to know|i want to know|tell me
    let me know
    do you know|i would like to know|i'd like to know|may i ask|say|show me|you need to|you should
    i want to|i would like to|i'd like to|can i|could i|i need|i want
    请你|请问|请|帮我|帮忙|麻烦你|麻烦|你能|能不能|你可以|给我|为我|想请你|您能|请您|能否
""")
GREETING = _lines("""
    hi|hello|hey|hiya|howdy|greetings|yo|good morning|good afternoon|good evening|good day
    what's up|whats up|sup|how are you|how are you doing|how are you today|how are you doing today
    how is it going|how's it going|how are things|how do you do|nice to meet you
    pleased to meet you
    is everything ok|how you doing|i need to know how you are doing today
    你好|您好|嗨|哈喽|哈囉|哈罗|早上好|早安|早|下午好|晚上好|中午好|大家好|在吗|在么|在嗎|你好吗|你好嗎
    最近怎么样|最近好吗|很高兴认识你|很高兴见到你|吃了吗|你怎么样
""")
THANKS = _lines("""
    thanks|thank you|thank u|thx|ty|cheers|i appreciate it|i appreciate that
    i appreciate your help
    much appreciated|bye|bye bye|goodbye|good bye|see you|see ya|see you later|talk to you later
    take care|good night|goodnight|have a good one|have a nice day|have a great day
    have a good day
    have a good evening|have a good weekend|got it|that is all|that's all|that will be all
    farewell
    it was great talking to you|nice talking to you|nice chatting with you
    it was nice talking to you
    谢谢你|谢谢您|谢谢|多谢|感谢你|感谢|谢了|再见|拜拜|拜|回头见|回见|下次见|不客气|辛苦了|明白了
    知道了|了解了|收到|晚安|好的|没问题|没什么|没啥|挺好的|挺好|我很好|还不错|喜欢|不用谢
""")
FILLER = _lines("""
    there|everyone|all|again|friend|buddy|ok|okay|great|cool|perfect|nice|awesome|alright
    wonderful
    yes|yeah|no|sure|oh|well|so|very|much|really|a lot|then|for|your|the|help|helping|me|time
    answer
    information|info|assistance|that|was|is|helpful|it|you|ai|and|today|too|now|later|soon
    everything
    you do|all your help|to|of|my|dear|bot|this
    非常|十分|太|好|行|嗯|哦|你|您|的|帮助|回答|了|啦|哈|吧|呀|啊|也|一样|呢|都|各位|朋友|可以
""")
SELF = _lines("""
    your name|your age|your hobby|your hobbies|your pet|your pets|your birthday|your creator
    your maker
    your boss|your favorite|your favourite|your parents|your job|your home country|your origin
    your given name|made you|created you|built you|programmed you|designed you|developed you
    invented you|are you a bot|are you a robot|are you a human|are you human|are you real
    are you an ai
    you are a human|you are human|you're human|you are a bot|you a bot|you a robot
    you a real person
    you a real|how old are you|old are you|old you are|old will you be|where are you from
    are you from|you come from|were you born|you were born|do you live|you call home
    you are called
    are you called|you be called|should i call you|do i call you|can i call you|i talking to a
    i speaking to a|i chatting with a|do you have pets|you have any pets|you have pets
    you have hobbies
    pets do you have|you have any hobbies|can you do|you can do|can you help me|you help me with
    can i ask you|i can ask you|can you answer|you designed by|you made by|do you do for fun
    who are you|what are you|you like to do|this ai|the ai has|the ai's|you cats or dogs
    you prefer cats|yourself a cat
""")
"""A short message that holds one of these is about the assistant."""
SELF_END = _lines("""
    bot|human|person|robot|machine|computer|real|live|living|or|a|an|are|called|from|with|by|about
    for fun|in your free time|exactly|then|please|designed|made|topics|things|as an ai|old
    doing|year
    cat|dog|cats|dogs|more|any|pets|hobbies|some|examples|what|kind|of|color|food|movie|born|in|i
""")
SELF_ZH = _lines("""
    你是谁|你叫什么|你是什么|你几岁|你多大|你是人|你是机器人|你是男|你是女|你是ai|你会什么|你会做什么
    你能做什么|你喜欢|你爱|你有朋友|你有宠物|你有感情|你有爱好|你从哪|你来自|你住|你在做什么|你在干什么
    你在作什么|你最喜欢|你吃|你的名字|你的爱好|你的生日|你的年龄|你的性别|你的父母|你的主人|创造了你|制造了你
    开发了你|发明了你|您是谁|您叫什么|你是不是|你是一个|你还好吗|你使用什么语言|你好吗
""")
THROWS, THROWN = _lines("roll|flip|toss|throw|cast|掷|抛|扔"), _lines("die|dice|coin|骰子|硬币")
CHANCE = _lines("probability|odds|chance|chances|概率|几率")
WRITE = _lines("""
    write|compose|draft|create|generate|make up|invent|come up with|brainstorm|design|prepare
    写|创作|编一|编个|作一|作首|撰写|起草|续写|讲一|讲个|设计|生成|拟一|构思|创建|编写|创造|想出|提供一
""")
WRITTEN = _lines("""
    poem|poems|haiku|sonnet|limerick|song|lyrics|story|stories|essay|novel|joke|jokes|riddle
    pun|slogan
    slogans|tagline|caption|captions|tweet|tweets|blog post|cover letter|letter|email|e-mail
    emails|mail
    speech|dialogue|screenplay|advert|advertisement|toast|invitation|headline|bio|bedtime story
    something funny|rejection letter|to-do list|template|introduction
    诗|故事|笑话|文章|作文|歌词|邮件|推荐信|感谢信|演讲稿|文案|广告|标语|口号|对话|剧本|短文|散文|小说|祝福语|情书
    日记|谜语|对联|议论文|随笔|求职信|贺词|推文|品牌名称|宣传语|封信|写信|简历|台词|段子
""")
WORK = _lines("""
    translate|rewrite|rephrase|paraphrase|summarize|summarise|proofread|correct|edit|shorten
    simplify
    classify|categorize|extract|fix|polish|improve|reword|convert|expand|reorder|sort|change
    analyze
    assess|decide|respond|complete
    翻译|改写|重写|改成|改为|润色|总结|概括|缩写|扩写|摘要|校对|纠正|修改|分类|提取|抽取|归纳|归类|转换|转化|重新
    替换|补全|填空|标注|续写|造句|找出|列出|改编|转述|生成|判断
""")
OWN_TEXT = _lines("""
    this|the following|these|below|my|the given|given|the sentence|the text|the paragraph
    the email
    the tweet|the code|the word|the phrase|the description
    以下|下面|下列|下文|给定|这段|这句|这篇|这个|上述|文本|句子|段落|文字|文章|短文|新闻|报道|评论
""")
SPELL = _lines(
    "spell|the spelling of|how do you say|how do i say|how would you say|pronounce|how to say"
)
SPELL_ZH = _lines("怎么说|怎么讲|怎么拼|怎么写|怎么翻译")
TONGUES = _lines("""
    english|french|spanish|german|italian|chinese|japanese|korean|portuguese|russian|latin
    hindi|arabic
    dutch|swedish|turkish|vietnamese|thai|polish|greek|英语|英文|法语|日语|德语|韩语|中文
""")
CODE = _lines("""
    function|program|script|class|regex|regular expression|sql|snippet|algorithm|html|css
    python|java
    javascript|c++|latex|macro|code|函数|代码|程序|脚本|算法|正则|编程|sql语句|网页
""")
CODE_VERBS = _lines("""
    write|implement|create|generate|code|debug|refactor|build|provide|编写|写|实现|设计|创建|给出|用|使用|编程
""")
SUM_ASK = _lines("""
    how many|how much|how long|how far|how old|what is the total|what was the total
    what is the average
    多少|几个|几只|几条|几本|几岁|几天|几元|几袋|几张|百分之几|几颗|几块|几人|几次
""")
SUM_WORDS = _lines("""
    each|every|twice|half|times|total|altogether|left|remaining|per|gives|give|buys|bought
    spends|spent
    more than|less than|fewer|pays|costs|cost|sells|sold|earned|earns|eats|has|had|took|needs
    older
    younger|%|percent
    每|一共|还剩|剩下|买|卖|比|平均|共|少|多|分给|给|节约|如果|够|倍|全长
""")
ADD = _lines("""
    what is|what's|what does|how much is|calculate|compute|work out|evaluate|solve|plus|minus
    times
    divided by|multiplied by|divide|multiply|add|subtract|by|over|squared|cubed|percent of
    square root of
    to the power of|and|from|mod|sum of|product of|average of|the|value|result|of|equals|equal
    is|to|what
    请|计算|算一下|求|等于|是|加上|加|减去|减|乘以|乘|除以|除|的|和|多少|几|平方|得|一下|结果
""")
FACTS = _lines("""
    who|whom|whose|when|where|why|according to|latest|current|currently|documentation|policy
    in our|our
    谁|何时|哪一年|哪年|什么时候|为什么|根据资料|根据文档|最新|文档|资料|政策|法规|手册
""")
"""Signs of a question for facts: a rule that may be mistaken keeps silent."""
AGAIN = _lines("""
    shorter|longer|simpler|briefly|in short|in one sentence|in a few words|in bullet points
    as a list
    as a table|again|repeat that|say that again|say it again|rephrase that|rephrase it
    summarize that
    summarize it|translate that|translate it|into|in|in simple words|more simply|explain that
    make it|make that|english|chinese|french|german|spanish|a bit|little|can|could|and|one
    简短一点|简单一点|详细一点|短一点|再说一遍|再说|重复一遍|换个说法|总结一下|翻译成|用|英文|中文|英语|列表|表格|一句话
    概括|一下|说|再|简短|一点|些|把它|它
""")
"""Wishes about the form of the last answer."""
