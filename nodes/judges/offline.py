"""The judge that needs no model: readable features, a small fitted logistic model, milliseconds.

It is the embedded engine's judge, the cheap first judge of the cascade and a yardstick for models.
What it looks at stands in `features.py` and `support_features.py`; how much each counts stands in
`coefficients/*.json`, made by `python -m ragloop.evals.fit --data DIR`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...stores.passage import Passage
from ...stores.protocols import Embedder
from ...stores.text import content_terms, language, sentences, words
from .facts import gaps_in
from .features import Asked, read_question, relevance_features
from .logistic import FOLDER, logistic, read
from .rules import match, works_on_answer
from .support_features import NO_ANSWER, read_evidence, support_features, without_marks
from .verdict import Verdict

Text = str | Passage
PARTIAL = 0.3
"""A sentence that scores below 0.5 but at least this is called partly supported."""


class OfflineJudge:
    """Grades passages, sentences, answers and questions without a model or a network.

    `embed` adds the cosine of question and passage, with the coefficients fitted for that embedder
    (`embed.name`); an embedder nobody fitted is not used. `coefficients`: a file, or what one
    holds, in place of the shipped ones. Deterministic; scores are 0 to 1, and yes from 0.5 on.
    """

    def __init__(
        self,
        embed: Embedder | None = None,
        coefficients: str | Path | Mapping[str, Any] | None = None,
    ) -> None:
        name = str(getattr(embed, "name", "") or "").replace("/", "-")
        own = FOLDER / f"offline_{name}.json"
        self._embed = embed if name and own.exists() else None
        if coefficients is None:
            coefficients = own if self._embed else FOLDER / "offline.json"
        table = coefficients if isinstance(coefficients, Mapping) else read(coefficients)
        self._relevant = {lang: logistic(table, f"relevant_{lang}") for lang in ("en", "zh")}
        self._supported = {lang: logistic(table, f"supported_{lang}") for lang in ("en", "zh")}

    def relevant(self, question: str, passage: Text) -> Verdict:
        """Does the passage help to answer the question? yes or no."""
        return self.relevant_many(question, [passage])[0]

    def relevant_many(self, question: str, passages: Sequence[Text]) -> list[Verdict]:
        """One verdict a passage, in order; the question is read once."""
        asked = read_question(question)
        cosines = self._cosines(question, passages)
        return [self._grade(asked, p, c) for p, c in zip(passages, cosines, strict=True)]

    def supported(
        self, sentence: str, evidence: Text | Sequence[Text], before: Sequence[str] = ()
    ) -> Verdict:
        """Is the sentence borne out by the evidence? full, partial or none.

        `before`: the sentences (or the question) it follows, used for sentences too short to be
        judged alone. Without evidence nothing is supported.
        """
        texts = [_plain(t) for t in _as_list(evidence)]
        if not any(t.strip() for t in texts):
            return Verdict("none", 0.0, "offline", "there is no evidence")
        plain = without_marks(sentence)
        if not words(plain):
            return Verdict("none", 0.0, "offline", "there is no sentence")
        if not content_terms(plain):
            return Verdict("partial", PARTIAL, "offline", "nothing in it can be looked up")
        held = read_evidence(tuple(texts))
        if held.facts.says(plain):
            return Verdict("full", 1.0, "offline", "it stands in the evidence word for word")
        values = support_features(plain, held, " ".join(before))
        score = self._supported[language(plain)].score(values)
        found = gaps_in(plain, held.facts) if score >= PARTIAL else []
        if found:
            score = min(score, 0.49)
        label = "full" if score >= 0.5 else "partial" if score >= PARTIAL else "none"
        why = f"{_percent(values['covered'])} of its terms are in the evidence"
        if found:
            why += "; not in the evidence: " + ", ".join(found[:4])
        return Verdict(label, score, "offline", why, tuple(found))

    def useful(self, question: str, answer: str) -> Verdict:
        """How well does the answer meet the question? 1 to 5, by overlap and kind of answer."""
        if not answer.strip():
            return Verdict("1", 0.0, "offline", "there is no answer")
        asked = read_question(question)
        values = relevance_features(asked, answer)
        score = 0.15 + 0.4 * values["covered"] + 0.3 * (1 - values["no_candidate"])
        score += 0.15 * min(1.0, len(content_terms(answer)) / 12)
        if says_nothing(answer):
            return Verdict("2" if score > 0.5 else "1", 0.1, "offline", "it says it cannot answer")
        label = str(1 + min(4, int(score * 5)))
        return Verdict(
            label,
            score,
            "offline",
            f"it takes up {_percent(values['covered'])} of the question's terms",
        )

    def retrieve(self, question: str, history: Sequence[str] = ()) -> Verdict:
        """Does the question need sources? yes, no, or continue with what was found already.

        Rules say no; a wish to have the last answer put another way continues; all else says yes.
        """
        rule = match(question)
        if rule is not None:
            return Verdict("no", 0.0, "rule", f"{rule.id}: {rule.why}")
        if history and works_on_answer(question):
            return Verdict(
                "continue", 0.3, "rule", "follow-up: it is about how the last answer is put"
            )
        return Verdict("yes", 1.0, "offline", "no rule says that it needs no sources")

    def suffices(self, question: str, passages: Sequence[Text]) -> Verdict:
        """Do the passages together hold what the question asks for? yes or no, and what lacks."""
        if not passages:
            return Verdict("no", 0.0, "offline", "there are no passages", (question,))
        asked = read_question(question)
        best = max(v.score or 0.0 for v in self.relevant_many(question, passages))
        held = set(content_terms(" ".join(_plain(p) for p in passages)))
        lacking = [t for t in asked.weights if t not in held]
        weight = sum(asked.weights[t] for t in lacking) / asked.total
        score = best * (1 - weight)
        words = tuple(sorted(lacking, key=lambda t: -asked.weights[t])[:5])
        why = f"{_percent(1 - weight)} of the question's terms are held; best passage {best:.2f}"
        return Verdict("yes" if score >= 0.4 else "no", score, "offline", why, words)

    def _grade(self, asked: Asked, passage: Text, cosine: float | None) -> Verdict:
        if isinstance(passage, str):
            values = relevance_features(asked, passage)
        else:
            values = relevance_features(
                asked, passage["text"], passage.get("title", ""), passage.get("section", "")
            )
        if cosine is not None:
            values["cosine"] = cosine
        model = self._relevant["zh" if asked.zh else "en"]
        parts = model.parts(values)
        score = model.score_of(parts)
        return Verdict("yes" if score >= 0.5 else "no", score, "offline", _reasons(parts))

    def _cosines(self, question: str, passages: Sequence[Text]) -> Sequence[float | None]:
        if self._embed is None or not passages:
            return [None] * len(passages)
        return cosines(self._embed, question, [_plain(p) for p in passages])


def cosines(embed: Embedder, question: str, texts: Sequence[str]) -> list[float]:
    """Cosine of the question with each text; 0 where a vector is zero."""
    import numpy as np

    asked = np.asarray(embed.embed_query(question))
    held = np.asarray(embed.embed_documents(list(texts)))
    norms = np.linalg.norm(held, axis=1) * np.linalg.norm(asked)
    return [float(c) for c in held @ asked / np.where(norms > 0, norms, 1.0)]


def says_nothing(answer: str) -> bool:
    """True when the answer is a refusal: that it cannot say, or that the sources do not."""
    first = [answer[a:b] for a, b in sentences(answer)][:1]
    return bool(first and NO_ANSWER.search(first[0].casefold()))


def _as_list(evidence: Text | Sequence[Text]) -> list[Text]:
    if isinstance(evidence, str):
        return [evidence]
    if isinstance(evidence, Mapping):
        return [evidence]
    return list(evidence)


def _plain(text: Text) -> str:
    if isinstance(text, str):
        return text
    return "\n".join(filter(None, (text.get("title", ""), text["text"])))


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _reasons(parts: Mapping[str, float]) -> str:
    """The three features that moved the log-odds most, and by how much."""
    most = sorted(parts.items(), key=lambda item: -abs(item[1]))[:3]
    return ", ".join(f"{name.replace('_', ' ')} {part:+.1f}" for name, part in most)
