"""A model that is right as often as it is told to be, by the labels of a data set.

It plays judge, writer, rewriter and reader of the real graph, in this process, so that what cannot
run here can still be seen: how good a judge must be before the loop pays. Whether it is right about
a thing is drawn from the thing's name and a seed, so the same run gives the same figures, and a
better model is right wherever a worse one is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult

from ..graph import prompts
from ..stores.errors import EvaluationError
from ..stores.passage import Document, Passage
from ..stores.tokens import count_tokens
from .datasets import Dataset, Task

RIGHT, WRONG = "This is right. [1]", "This is wrong. [1]"
_NODES = {
    text.splitlines()[0].replace("{question}", ""): name for name, text in prompts.DEFAULTS.items()
}
"""The first line of a prompt says which node asks."""


@dataclass(frozen=True)
class Skill:
    """How often each role is right, 0 to 1."""

    judge: float = 0.9
    """Grades of passages, and verdicts on sentences."""
    writer: float = 0.9
    """Answers rightly from evidence that suffices, and declines when it does not."""
    rewriter: float = 0.7
    """Writes a query that names evidence which is lacking."""
    distraction: float = 0.25
    """How much of the writer's skill goes when all of its context is noise: writers err more among
    passages that do not answer (Chen et al., AAAI 2024, section on noise)."""


@dataclass(frozen=True)
class World:
    """What the labels say: which documents each question needs, and which passage is whose."""

    tasks: Mapping[str, Task]
    """By question, white space tidied."""
    owners: Mapping[str, str]
    """The document of a text, by the text's beginning."""
    documents: Mapping[str, Document] = field(default_factory=dict)

    def task_of(self, prompt: str) -> Task:
        """The task whose question stands in a prompt."""
        return self.tasks[_tidy(_fenced(prompt, "question")[-1])]

    def shown(self, prompt: str, tag: str) -> list[str]:
        """Ids of the documents whose text, or a passage of it, stands in a prompt, in order."""
        found = (self.owners.get(_key(text)) for text in _fenced(prompt, tag))
        return list(dict.fromkeys(id for id in found if id))


def world_of(found: Dataset, pieces: Sequence[Passage]) -> World:
    """Read the labels of a data set. Raises EvaluationError when it does not label evidence."""
    tasks = {_tidy(t.question): t for t in found.tasks if t.evidence_ids and t.answerable}
    if not tasks:
        raise EvaluationError(f"{found.name} does not say which documents hold the evidence.")
    owners = {_key(document["text"]): id for id, document in found.documents.items()}
    owners |= {_key(piece["text"]): piece["document_id"] for piece in pieces}
    return World(tasks, owners, found.documents)


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _key(text: str) -> str:
    """The beginning of a text, which tells it from others and outlives a cut at its end."""
    return _tidy(text)[:160]


def _fenced(prompt: str, tag: str) -> list[str]:
    return re.findall(rf"<{tag}(?: [^>\n]*)?>\n(.*?)\n</{tag}>", prompt, re.S)


class SimulatedModel(BaseChatModel):
    """See the top of this file. Counts tokens of what it is asked and says, like any model."""

    world: Any
    skill: Any
    seed: int = 0
    model_name: str = "simulated"

    @property
    def _llm_type(self) -> str:
        return "simulated"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        prompt = "\n".join(message.text for message in messages)
        node = _NODES.get(prompt.splitlines()[0], "")
        if node not in _REPLIES:
            raise EvaluationError(f"The simulated model does not play {node or 'this prompt'!r}.")
        said = _REPLIES[node](self, prompt)
        text = said if isinstance(said, str) else json.dumps(said)
        into, out = count_tokens(prompt), count_tokens(text)
        usage = UsageMetadata(input_tokens=into, output_tokens=out, total_tokens=into + out)
        message = AIMessage(text, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def draws(self, chance: float, *thing: str) -> bool:
        """True with this chance; the same thing always draws the same number."""
        told = "\n".join([str(self.seed), *thing])
        return int(hashlib.sha256(told.encode()).hexdigest()[:8], 16) / 2**32 < chance


def _grade(model: SimulatedModel, prompt: str) -> str:
    task = model.world.task_of(prompt)
    shown = model.world.shown(prompt, "passage")
    truth = any(id in task.evidence_ids for id in shown)
    return "yes" if truth == model.draws(model.skill.judge, "grade", task.id, *shown) else "no"


def _write(model: SimulatedModel, prompt: str) -> dict[str, Any]:
    """Right from all the evidence; declines, or says what is wrong, when some of it is lacking."""
    tag = "document" if "<document" in prompt else "passage"
    task = model.world.task_of(prompt)
    shown = model.world.shown(prompt, tag)
    needed = [id for id in shown if id in task.evidence_ids]
    noise = 1 - len(needed) / len(shown) if shown else 0.0
    chance = model.skill.writer * (1 - model.skill.distraction * noise)
    skilled = model.draws(chance, "write", task.id)
    if set(needed) == set(task.evidence_ids):
        return {"answerable": True, "answer": RIGHT if skilled else WRONG, "missing": ""}
    if skilled:
        return {"answerable": False, "answer": "", "missing": "a part of the evidence"}
    return {"answerable": True, "answer": WRONG, "missing": ""}


def _check(model: SimulatedModel, prompt: str) -> str:
    sentence = _fenced(prompt, "sentence")[-1]
    evidence = model.world.shown(prompt, "evidence")
    truth = "right" in sentence
    said = truth == model.draws(model.skill.judge, "support", sentence, *evidence)
    return "full" if said else "none"


def _rewrite(model: SimulatedModel, prompt: str) -> dict[str, Any]:
    """Words of a document that is lacking, or of one that has nothing to do with the question."""
    world: World = model.world
    task = world.task_of(prompt)
    shown = world.shown(prompt, "passage")
    lacking = [id for id in task.evidence_ids if id not in shown]
    skilled = model.draws(model.skill.rewriter, "rewrite", task.id, *shown)
    others = [id for id in sorted(world.documents) if id not in task.evidence_ids]
    ids = lacking if skilled and lacking else others[len(shown) :: 7] or others
    document = world.documents[ids[0]]
    words = f"{document.get('title', '')} {document['text']}".split()
    return {"failure": "other", "queries": [" ".join(words[:12])]}


_REPLIES: dict[str, Any] = {
    "grade_passages": _grade,
    "generate": _write,
    "read_whole_document": _write,
    "check_grounding": _check,
    "rewrite_query": _rewrite,
}
