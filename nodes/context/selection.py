"""Choosing what a token budget buys: the one function that puts the parts together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from typing_extensions import TypedDict

from ...stores.errors import SettingsError
from ...stores.passage import Passage
from ...stores.tokens import count_tokens as default_count
from .budget import CountTokens, Order, arrange, seal
from .candidates import Candidate, read_candidates
from .choosing import Choice, Wish, choose
from .duplicates import LAYERS, Conflict, Distinct, Kind, Layer, Rules, remove_duplicates
from .measures import redundancy
from .selectors import SELECTORS, Selector, Thrift


class Dropped(TypedDict):
    """A candidate that did not go in."""

    passage_id: str
    why: str


@dataclass
class Selection:
    """What goes into the prompt, and why the rest does not."""

    passages: list[Passage] = field(default_factory=list)
    """In the order of the formatted context; a trimmed one has its own `start` and `end`."""
    tokens: int = 0
    """Of `format_context(passages)`, by the counter in use; never above the budget."""
    dropped: list[Dropped] = field(default_factory=list)
    selector: str = "score"
    """The one that chose."""
    fell_back: str = ""
    """Why the asked-for selector could not be used; empty when it was."""
    redundancy: float = 0.0
    """Share of sentences said before, 0 to 1; below 0.10 is healthy, above 0.30 broken."""
    conflicts: list[Conflict] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)
    """Ids of passages that went in shortened."""
    agreeing: list[str] = field(default_factory=list)
    """Ids of passages that went in because they back another one independently."""

    def summary(self) -> dict[str, Any]:
        """Everything but the passages, as JSON."""
        return {key: value for key, value in asdict(self).items() if key != "passages"}


def _check(budget: int, selector: str, shares: Mapping[str, float], layers: Iterable[str]) -> None:
    if budget < 0:
        raise SettingsError(f"A budget of {budget} tokens cannot be spent. Give 0 or more.")
    if selector not in SELECTORS:
        raise SettingsError(f"There is no selector {selector!r}. Use one of {SELECTORS}.")
    for name, share in shares.items():
        if not 0.0 <= share <= 1.0:
            raise SettingsError(f"{name} is {share}. Give a number from 0 to 1.")
    for layer in layers:
        if layer not in LAYERS:
            raise SettingsError(f"There is no layer {layer!r}. Use any of {LAYERS}.")


def select(
    candidates: Iterable[Mapping[str, Any]],
    question: str,
    budget: int,
    *,
    selector: Selector = "auto",
    count_tokens: CountTokens | None = None,
    order: Order = "score",
    layers: Collection[Layer] = LAYERS,
    mmr_lambda: float = 0.7,
    agreement_share: float = 0.12,
    question_vector: Sequence[float] | None = None,
    sub_questions: Mapping[str, float] | None = None,
    trim: bool = True,
    semantic_threshold: float = 0.92,
    extra_copies: Collection[Kind] = (),
    thrift: Thrift | None = None,
) -> Selection:
    """Choose the passages that add most, for at most `budget` tokens of formatted context.

    Candidates are mappings with `id` and `text`, and as far as they are known `score`,
    `score_kind`, `document_id`, `version`, `section`, `start`, `end`, `date`, `title`, `source`,
    `vector`, `metadata`. The budget is a ceiling for `format_context(passages)`, by
    `count_tokens`; take prompt and answer off before. It need not be filled.

    `auto` covers what the question asks for (`coverage`), and goes back to `score` when the
    candidates hold too little of it. `mmr` and `novelty` need a `vector` for every candidate,
    `mmr` the `question_vector` too. `sub_questions` adds slots with weights, relative to 1, for
    callers that let a model split the question. `semantic_threshold` is a cosine and belongs to
    the embedder. `extra_copies` are kinds of duplicates that may stay once more.
    The order in which candidates are listed changes nothing.

    Raises SettingsError for a value that cannot be used.
    """
    shares = {"mmr_lambda": mmr_lambda, "agreement_share": agreement_share}
    _check(budget, selector, shares, layers)
    arrange([], order)
    count = count_tokens or default_count
    given = read_candidates(candidates)
    rules = Rules(layers=layers, cosine=semantic_threshold, extra_copies=extra_copies)
    distinct = remove_duplicates([c for c in given if c.text.strip()], rules)
    wish = Wish(
        question=question,
        budget=budget,
        selector=selector,
        count_tokens=count,
        mmr_lambda=mmr_lambda,
        agreement_share=agreement_share,
        question_vector=question_vector,
        sub_questions=dict(sub_questions or {}),
        trim=trim,
        thrift=thrift or Thrift(),
    )
    choice = choose([c for c in distinct.kept if c.text.strip()], distinct.merges, wish)
    return _result(given, distinct, choice, order, budget, count)


def _result(
    given: Sequence[Candidate],
    distinct: Distinct,
    choice: Choice,
    order: Order,
    budget: int,
    count: CountTokens,
) -> Selection:
    """Seal the choice and tell what became of every candidate."""
    arranged, tokens, _ = seal([*choice.chosen, *choice.witnesses], order, budget, count)
    passages = [candidate.passage() for candidate in arranged]
    chosen = {candidate.id: candidate for candidate in arranged}
    merged = {merge.gone.id: merge.why for merge in distinct.merges}
    spare = budget - tokens
    return Selection(
        passages=passages,
        tokens=tokens,
        dropped=[
            {"passage_id": c.id, "why": merged.get(c.id) or _why_not(c, spare, choice.costs)}
            for c in given
            if c.id not in chosen
        ],
        selector=choice.selector,
        fell_back=choice.fell_back,
        redundancy=redundancy(passages),
        conflicts=distinct.conflicts,
        trimmed=[c.id for c in given if c.id in chosen and chosen[c.id].text != c.text],
        agreeing=[c.id for c in choice.witnesses if c.id in chosen],
    )


def _why_not(candidate: Candidate, spare: int, costs: Mapping[str, int]) -> str:
    if candidate.id not in costs:
        return "no text"
    return "over the budget" if costs[candidate.id] > spare else "adds too little"
