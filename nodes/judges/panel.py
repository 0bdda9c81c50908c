"""The judges of the loop: one question a call, all at once, by the offline judge or by a model.

Each function is steps (see nodes/steps.py): what a model would be asked is yielded, and what the
replies mean is concluded here. Declared policy for a reply that says nothing: the verdict is
`unclear`, and a warning says why. With `Settings.cascade` the offline judge answers first and a
model is asked only where the offline judge is unsure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from ...graph.prompts import EXAMPLES, fill, with_examples
from ...stores.passage import Passage
from ...stores.text import in_known_script, language
from ..steps import Ask, Reply, Steps
from . import replies, verdict
from .facts import gaps
from .fence import fence
from .support_features import without_marks
from .verdict import UNCLEAR, How, Verdict

if TYPE_CHECKING:
    from ...graph.settings import Settings
    from ..run import Run

PARTLY = 0.5
"""What a partly supported sentence counts, as in Self-RAG's support score (section 3.3)."""


def retrieve(run: Run, question: str, history: Sequence[str]) -> Steps[Verdict]:
    """Say whether sources are needed: yes, no, or continue with what the conversation holds."""
    if not run.has_model("judge"):
        return run.judge.retrieve(question, history)
    prompt = fill(
        run.settings.decide_retrieval_prompt,
        history=fence("history", "\n".join(history)),
        question=fence("question", question),
    )
    found = yield from _asked(run, [prompt], replies.Retrieval, verdict.RETRIEVE)
    return found[0]


def relevant(run: Run, question: str, passages: Sequence[Passage]) -> Steps[list[Verdict]]:
    """Judge each passage alone: does it help to answer the question?"""
    offline = None
    if not run.has_model("judge") or run.settings.cascade:
        offline = run.judge.relevant_many(question, passages)
    if not run.has_model("judge"):
        return offline or []
    unsure = _unsure(run, offline, "relevance") if offline else list(range(len(passages)))
    prompts = [_grading_prompt(run, question, passages[at]) for at in unsure]
    asked = yield from _asked(run, prompts, replies.Relevance, verdict.RELEVANT)
    found = list(offline) if offline else [Verdict(UNCLEAR)] * len(passages)
    for at, said in zip(unsure, asked, strict=True):
        found[at] = _fitted(run, "relevance", said, question)
    return found


NODES = {
    "retrieve": "decide_retrieval",
    "relevance": "grade_passages",
    "suffices": "judge_sufficiency",
    "support": "check_grounding",
    "useful": "check_usefulness",
}
"""The node whose prompt each judge has."""


def prompt_of(settings: Settings, judge: str) -> str:
    """What a judge asks, its slots unfilled, with worked examples where they are set and exist."""
    node = NODES[judge]
    template: str = getattr(settings, f"{node}_prompt")
    wanted = settings.worked_examples and node in EXAMPLES
    return with_examples(node, template) if wanted else template


def _grading_prompt(run: Run, question: str, passage: Passage) -> str:
    template = prompt_of(run.settings, "relevance")
    asked = fence("question", question)
    room = run.settings.context_window - run.count_tokens(template + asked) - 200
    room = min(room, run.settings.context_tokens)  # more than the answer's context could hold
    text = cut_to(run, passage["text"], room, f"passage {passage['id']}")
    shown = fence("passage", text, title=passage.get("title"), section=passage.get("section"))
    return fill(template, question=asked, passage=shown)


def cut_to(run: Run, text: str, room: int, what: str) -> str:
    """Cut a text to a number of tokens, with a warning when anything goes."""
    tokens = run.count_tokens(text)
    if tokens <= room:
        return text
    run.warn(f"{run.node}: {what} was cut to fit the context window ({tokens} tokens, {room} fit).")
    while text and (tokens := run.count_tokens(text)) > room:
        text = text[: max(0, min(len(text) - 1, int(len(text) * room / tokens)))]
    return text


def suffices(run: Run, question: str, passages: Sequence[Passage]) -> Steps[Verdict]:
    """Say whether the passages together hold all that is needed, and what is missing."""
    if not run.has_model("judge"):
        return run.judge.suffices(question, passages)
    shown = "\n".join(fence("passage", p["text"], title=p.get("title")) for p in passages)
    prompt = fill(
        run.settings.judge_sufficiency_prompt,
        question=fence("question", question),
        passages=cut_to(run, shown, run.settings.context_window // 2, "the passages"),
    )
    found = yield from _asked(run, [prompt], replies.Sufficiency, verdict.SUFFICES)
    return found[0]


def supported(
    run: Run, sentences: Sequence[tuple[str, str]], evidence: Sequence[Sequence[Passage]]
) -> Steps[list[Verdict]]:
    """Judge each sentence against its evidence; `sentences` are pairs of (before, sentence).

    A sentence without evidence is never supported. What code finds against a judge's yes counts
    more than the yes: numbers, dates and names of the sentence must occur in the evidence.
    """
    offline = supported_offline(run, sentences, evidence)
    if not run.has_model("judge"):
        return offline
    unsure = [at for at, shown in enumerate(evidence) if shown]
    if run.settings.cascade:
        unsure = [at for at in _unsure(run, offline, "support") if evidence[at]]
    prompts = [_support_prompt(run, *sentences[at], evidence[at]) for at in unsure]
    asked = yield from _asked(run, prompts, replies.Support, verdict.SUPPORTED)
    found = list(offline)
    for at, said in zip(unsure, asked, strict=True):
        if said.why == NOT_ASKED:
            continue  # the offline verdict stands, and the warning says so
        fitted = _fitted(run, "support", said, sentences[at][1])
        found[at] = cross_check(fitted, sentences[at][1], evidence[at])
    return found


def supported_offline(
    run: Run, sentences: Sequence[tuple[str, str]], evidence: Sequence[Sequence[Passage]]
) -> list[Verdict]:
    """The same by the offline judge and the code, whatever judge is set."""
    return [
        cross_check(
            run.judge.supported(sentence, shown, before=[before] if before else ()), sentence, shown
        )
        for (before, sentence), shown in zip(sentences, evidence, strict=True)
    ]


NOT_ASKED = "a limit was reached before the call"


def _support_prompt(run: Run, before: str, sentence: str, evidence: Sequence[Passage]) -> str:
    shown = "\n".join(fence("evidence", p["text"], title=p.get("title")) for p in evidence)
    return fill(
        prompt_of(run.settings, "support"),
        evidence=cut_to(run, shown, run.settings.context_window - 800, "the evidence"),
        before=fence("context", before) if before else "",
        statement=fence("sentence", sentence),
    )


def cross_check(said: Verdict, sentence: str, evidence: Sequence[Passage]) -> Verdict:
    """Let code overrule a judge: a fact that the evidence does not hold is no support."""
    shown = "\n".join(passage["text"] for passage in evidence)
    if said.label not in ("full", "partial") or not in_known_script(shown):
        return said
    lacking = gaps(without_marks(sentence), shown)
    if not lacking:
        return said
    why = f"not in the evidence: {', '.join(lacking)}"
    return Verdict("none", 0.0, "code", why, tuple(lacking))


def useful(run: Run, question: str, answer: str) -> Steps[Verdict]:
    """Rate the answer, 1 to 5; truth is not part of it."""
    found = yield from useful_many(run, question, [answer])
    return found[0]


def useful_many(run: Run, question: str, answers: Sequence[str]) -> Steps[list[Verdict]]:
    """Rate several answers to one question, each alone."""
    if not run.has_model("judge"):
        return [run.judge.useful(question, answer) for answer in answers]
    prompts = [
        fill(
            run.settings.check_usefulness_prompt,
            question=fence("question", question),
            answer=fence("answer", answer),
        )
        for answer in answers
    ]
    return (yield from _asked(run, prompts, replies.Usefulness, verdict.USEFUL[::-1]))


def _asked(
    run: Run, prompts: Sequence[str], shape: type[BaseModel], scale: tuple[str, ...]
) -> Steps[list[Verdict]]:
    """Ask single questions and read the verdicts; what could not be read leaves one warning."""
    if not prompts:
        return []
    answers: list[Reply] = yield Ask(run.node, "judge", tuple(prompts), shape, scale)
    found = [_verdict(reply) for reply in answers]
    faults = Counter(said.why for said in found if said.unclear)
    for why, count in faults.items():
        run.warn(f"{run.node}: {count} of {len(found)} verdicts could not be read ({why})")
    return found


def _verdict(reply: Reply) -> Verdict:
    if reply.finish == "not asked":
        return Verdict(UNCLEAR, why=NOT_ASKED)
    if reply.finish != "stop" or not reply.label or reply.label == UNCLEAR:
        return Verdict(UNCLEAR, why=reply.error or f"reply {reply.finish}, verdict unreadable")
    missing = str(reply.fields.get("missing") or "")
    how: How = "label" if reply.score is None else "logprobs"
    return Verdict(reply.label, reply.score, how, missing=(missing,) if missing else ())


def _fitted(run: Run, judge: str, said: Verdict, text: str) -> Verdict:
    """The verdict under the threshold that was fitted for this model, where there is one."""
    return run.calibration.apply(judge, said, run.model_name("judge"), language(text))


UNSURE = (0.2, 0.8)
"""Offline scores between which a cascade asks the model, until `calibrate` has fitted a band."""


def _unsure(run: Run, offline: Sequence[Verdict], judge: str) -> list[int]:
    low, high = run.calibration.band(judge, run.model_name("judge")) or UNSURE
    return [at for at, said in enumerate(offline) if low <= (said.score or 0.0) <= high]
