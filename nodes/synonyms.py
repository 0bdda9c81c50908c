"""Other words for what a question asks, for searches that found nothing: English and Chinese.

A short list of what people call things and what documents call them. It is a hint for a second
search, never a part of a judgement.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..stores.text import has_cjk, stem

GROUPS = (
    "price cost fee charge",
    "begin start launch",
    "end finish close",
    "delete remove erase",
    "buy purchase order",
    "fix repair solve",
    "error failure exception fault",
    "change modify update edit",
    "show display print",
    "make create build",
    "use apply employ",
    "get obtain fetch",
    "send submit post",
    "allow permit enable",
    "forbid prohibit ban",
    "set configure",
    "setting configuration option parameter",
    "login sign-in authentication",
    "password credential secret",
    "doctor physician",
    "car vehicle automobile",
    "film movie picture",
    "song track single",
    "company firm corporation",
    "job occupation profession",
    "wife spouse husband partner",
    "kid child son daughter",
    "country nation state",
    "born birthplace birth",
    "die death dead",
    "leader president chief head",
    "author writer",
    "big large huge",
    "fast quick speed",
    "illness disease disorder",
    "refund reimbursement return",
    "holiday vacation leave",
    "salary pay wage",
    "rule regulation policy",
    "law statute act",
    "meaning definition",
    "reason cause",
    "result effect outcome",
    "help support assistance",
)
GROUPS_ZH = (
    "价格 费用 多少钱 价钱 收费",
    "开始 启动 起始",
    "结束 终止 完成",
    "删除 移除 清除",
    "购买 订购 买",
    "修复 解决 修理",
    "错误 故障 异常 报错",
    "修改 更改 更新 变更",
    "显示 展示 输出",
    "创建 新建 建立",
    "使用 应用 采用",
    "设置 配置 选项 参数",
    "登录 登陆 认证 鉴权",
    "密码 口令 凭证",
    "医生 大夫 医师",
    "汽车 轿车 车辆",
    "电影 影片",
    "歌曲 单曲",
    "公司 企业",
    "职业 工作",
    "妻子 丈夫 配偶 老婆 老公",
    "国家 国",
    "出生地 出生于 生于",
    "去世 逝世 死亡",
    "领导人 总统 主席 首脑",
    "作者 作家",
    "疾病 病症",
    "退款 退货 退费",
    "假期 休假 放假",
    "工资 薪水 薪资",
    "规定 规则 条例 制度",
    "原因 缘由 起因",
    "结果 后果 影响",
    "帮助 支持 协助",
)


@lru_cache(maxsize=1)
def _by_stem() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for group in GROUPS:
        words = tuple(group.split())
        for word in words:
            known.setdefault(stem(word), tuple(other for other in words if other != word))
    return known


def reworded(question: str) -> list[str]:
    """The question with each word that has another name replaced by it; at most two versions."""
    versions = [_swapped(question, which) for which in (0, 1)]
    return [version for version in dict.fromkeys(versions) if version != question]


def _swapped(question: str, which: int) -> str:
    if has_cjk(question):
        text = question
        for group in GROUPS_ZH:
            words = group.split()
            used = next((word for word in words if len(word) > 1 and word in text), None)
            if used:
                others = [word for word in words if word != used]
                text = text.replace(used, others[which % len(others)])
        return text

    def other(match: re.Match[str]) -> str:
        others = _by_stem().get(stem(match.group().casefold()), ())
        return others[which % len(others)] if others else match.group()

    return re.sub(r"[A-Za-z][A-Za-z-]*", other, question)
