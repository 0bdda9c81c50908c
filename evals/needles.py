"""Needles in long documents, asked for in three forms, and a reader that knows where they are.

A needle test in one form misleads: asked in its own words, passages find it; asked in other words
they do not (Self-Route, section 5.3: 80.34 against 4.58 on the passkey task). So each needle comes
in the same words, paraphrased, and as two needles that must be compared.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from ..stores.passage import Document
from ..stores.text import language, sentences
from ..stores.tokens import count_tokens
from .datasets import Dataset, Task

Form = Literal["same words", "paraphrased", "two needles"]


class _Words(NamedTuple):
    """How needles are hidden and asked for in one language; slots are place, other, value."""

    places: tuple[str, ...]
    needle: str
    same: str
    paraphrased: str
    compared: str


_EN = _Words(
    ("north gate", "old mill", "harbour office", "stone bridge", "east tower", "glass house"),
    "The passkey of the {place} is {value}.",
    "What is the passkey of the {place}?",
    "Which secret digits unlock that entrance?",
    "Is the passkey of the {place} larger than the passkey of the {other}?",
)
_ZH = _Words(
    ("北门", "老磨坊", "港务室", "石桥", "东塔", "温室"),
    "{place}的口令是{value}。",
    "{place}的口令是什么？",
    "开锁要用哪串秘密数字？",
    "{place}的口令比{other}的口令大吗？",
)


def needle_set(documents: Sequence[Document], *, seed: int = 0) -> Dataset:
    """Hide needles in copies of documents and ask for them: one document and task a form.

    Numbers, places and positions are drawn from the seed and the document's id, so the same call
    gives the same set. Needles stand between sentences; the document is otherwise as it was.
    """
    tasks: list[Task] = []
    copies: dict[str, Document] = {}
    for document in documents:
        for form in ("same words", "paraphrased", "two needles"):
            chance = random.Random(f"{seed} {document['id']} {form}")
            copy, task = _hidden(document, form, chance)
            copies[copy["id"]] = copy
            tasks.append(task)
    return Dataset("needles", "qa", f"needles-{seed}", tasks=tuple(tasks), documents=copies)


def _hidden(document: Document, form: str, chance: random.Random) -> tuple[Document, Task]:
    """A copy of the document with its needles, and the question for them."""
    lang = language(document["text"][:5000])
    words = _ZH if lang == "zh" else _EN
    place, other = chance.sample(words.places, 2)
    values = chance.sample(range(10_000, 100_000), 2)
    pairs = [(place, values[0]), (other, values[1])]
    said = [words.needle.format(place=p, value=v) for p, v in pairs]
    needles = said if form == "two needles" else said[:1]
    asked = {
        "same words": words.same,
        "paraphrased": words.paraphrased,
        "two needles": words.compared,
    }[form].format(place=place, other=other)
    larger = values[0] > values[1]
    verdict = ("是" if larger else "不是") if lang == "zh" else ("yes" if larger else "no")
    answer = verdict if form == "two needles" else str(values[0])
    id = f"{document['id']}#{form}"
    copy: Document = {**document, "id": id, "text": hide(document["text"], needles, chance)}
    task = Task(
        id,
        asked,
        ((answer,),),
        evidence_ids=(id,),
        document_ids=(id,),
        language=lang,
        source="needles",
        kind=form,
    )
    return copy, task


def hide(text: str, needles: Sequence[str], chance: random.Random) -> str:
    """The text with each needle after one of its sentences, far apart when there are several."""
    ends = [span.end for span in sentences(text)] or [len(text)]
    share = len(ends) // len(needles)
    places = [ends[at * share + chance.randrange(max(1, share))] for at in range(len(needles))]
    for needle, place in sorted(zip(needles, places, strict=True), key=lambda pair: -pair[1]):
        text = f"{text[:place]} {needle} {text[place:].lstrip(' ')}"
    return text


def needles_in(found: Dataset) -> dict[str, tuple[str, ...]]:
    """By question and document, the needles that an answer needs."""
    pattern = re.compile(r"The passkey of the [a-z ]+ is \d{5}\.|[^\s。]{2,3}的口令是\d{5}。")
    return {
        task.id: tuple(pattern.findall(found.documents[task.id]["text"])) for task in found.tasks
    }


class OracleReader(BaseChatModel):
    """Writer and reader that answer exactly when the evidence stands in the prompt.

    A perfect reader, so that what is measured is only what was put before it. `evidence` are the
    texts that must all be there, and `answer` what is then said; set both before each question.
    """

    evidence: tuple[str, ...] = ()
    answer: str = ""
    read: list[int] = Field(default_factory=list)
    """Tokens of every prompt so far."""
    model_name: str = "oracle"

    @property
    def _llm_type(self) -> str:
        return "oracle"

    def turn_to(self, evidence: Sequence[str], answer: str) -> None:
        """Make another question the one that is answered."""
        self.evidence, self.answer = tuple(map(_tidy, evidence)), answer

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        prompt = "\n".join(message.text for message in messages)
        shown = _tidy(prompt)
        knows = all(text in shown for text in self.evidence)
        text = json.dumps(_knowing(self.answer) if knows else _NOT_KNOWING, ensure_ascii=False)
        into, out = count_tokens(prompt), count_tokens(text)
        self.read.append(into)
        usage = UsageMetadata(input_tokens=into, output_tokens=out, total_tokens=into + out)
        message = AIMessage(text, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


_NOT_KNOWING: Mapping[str, Any] = {"answerable": False, "answer": "", "missing": "the evidence"}


def _knowing(answer: str) -> dict[str, Any]:
    return {"answerable": True, "answer": f"{answer} [1]", "missing": ""}


def _tidy(text: str) -> str:
    return " ".join(text.split())
