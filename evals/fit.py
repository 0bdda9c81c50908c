"""Fit the offline judge: `python -m ragloop.evals.fit --data DIR [--out DIR]`.

Reads the data sets of DIR, counts words, fits four logistic models (relevance and support, English
and Chinese) and writes `rarity.json` and `offline.json`. Prints how good they are on rows that were
not fitted on: `question-disjoint` leaves out a fifth of the questions or documents at a time,
`source-disjoint` a whole data set at a time. Beside it stands plain word overlap fitted the same
way. The same data give the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..nodes.judges.logistic import FOLDER, Logistic, value_of
from ..stores.embeddings import embeddings_named
from ..stores.errors import EvaluationError
from ..stores.protocols import Embedder
from . import fit_rows
from .fit_rows import Case
from .measure import fold_of
from .statistics import auc, balanced_accuracy, best_threshold


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TITLED = _names("covered covered_in_text covered_in_window density asked_about")
RELEVANCE = _names(
    "covered covered_in_text covered_in_window covered_in_sentence phrases names asked_about "
    "asked_about_in_text focus years_found other_years numbers title_in_question "
    "has_title around_answer answer_candidates no_candidate kind_known density"
) + tuple(f"has_title*{name}" for name in TITLED)
SUPPORT = _names(
    "covered covered_in_sentence covered_in_window pairs triples pairs_in_sentence verbatim "
    "worst_clause worst_sentence rarest_missing missing longest_gap number_gap numbers_found "
    "name_gap names_found negation_gap negated opposite says_no_answer question_nearby "
    "question_held worst_clause>0.3 worst_clause>0.6"
)
"""Lengths are left out of both on purpose. In the Chinese data a short sentence is nearly always
a headline and supported, which is no reason to believe the next short sentence; and a short passage
about something else must score low. `question_in_title` is left out, too: where both passages of a
pair come from one article, it says which article, and its weight came out far below zero, so that a
heading in the question's own words made a passage irrelevant."""
PENALTY = {"relevant_en": 0.1, "relevant_zh": 0.1, "supported_en": 0.1, "supported_zh": 0.1}
"""Inverse strength of the ridge penalty on standardised features, by model."""
Judge = Callable[[Case], float]


def fit(cases: Sequence[Case], names: Sequence[str], penalty: float = 0.1) -> Logistic:
    """Fit one model; classes weigh alike. The threshold comes from cases held out within these."""
    model = _weights(cases, names, penalty)
    if any(case.weight == fit_rows.MADE for case in cases):
        return model  # too few rows of one kind are labelled to move the threshold by them
    held = [c for c in cases if c.weight >= 1.0] or list(cases)
    scores: dict[int, float] = {}
    for fold in range(5):
        rest = [c for c in cases if fold_of(c.row.group) != fold]
        inner = _weights(rest, names, penalty)
        scores |= {id(c): inner.score(c.values) for c in held if fold_of(c.row.group) == fold}
    found = best_threshold([c.truth for c in held], [scores[id(c)] for c in held])
    return Logistic(model.bias, model.weights, round(min(0.8, max(0.2, found)), 4))


def _weights(cases: Sequence[Case], names: Sequence[str], penalty: float) -> Logistic:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise EvaluationError(
            "Fitting needs scikit-learn: pip install 'ragloop[evals]'."
        ) from error
    import numpy as np

    x = np.array([[value_of(name, case.values) for name in names] for case in cases])
    y = np.array([case.truth for case in cases])
    weights = np.array([case.weight for case in cases])
    for label in (True, False):
        weights[y == label] *= weights.sum() / 2 / weights[y == label].sum()
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=penalty, max_iter=5000, random_state=0)
    model.fit(scaler.transform(x), y, sample_weight=weights)
    slopes = model.coef_[0] / scaler.scale_
    bias = float(model.intercept_[0] - (slopes * scaler.mean_).sum())
    used = {n: round(float(w), 4) for n, w in zip(names, slopes, strict=True) if abs(w) > 5e-5}
    return Logistic(round(bias, 4), used, 0.5)


def held_out(
    cases: Sequence[Case], names: Sequence[str], key: Callable[[Case], Any], penalty: float = 0.1
) -> dict[int, float]:
    """Score of each measured case (by its place) from a model fitted without its part."""
    scores: dict[int, float] = {}
    for part in sorted({key(c) for c in cases if c.measured}):
        others = [c for c in cases if key(c) != part and c.fits]
        if len({c.truth for c in others}) < 2:
            continue
        model = fit(others, names, penalty)
        for at, case in enumerate(cases):
            if case.measured and key(case) == part:
                scores[at] = model.score(case.values)
    return scores


def _figure(cases: Sequence[Case], scores: dict[int, float], keep: Callable[[Case], bool]) -> Any:
    rows = [(cases[at].truth, score) for at, score in scores.items() if keep(cases[at])]
    truth = [t for t, _ in rows]
    if len(set(truth)) < 2:
        return None
    curve = auc(truth, [s for _, s in rows])
    return {
        "rows": len(rows),
        "balanced_accuracy": round(balanced_accuracy(truth, [s >= 0.5 for _, s in rows]), 3),
        "auc": None if curve is None else round(curve, 3),
    }


def _is_of(source: str, case: Case) -> bool:
    return case.row.source == source


def measure(cases: Sequence[Case], names: Sequence[str], penalty: float) -> dict[str, Any]:
    """Held-out figures of the judge and of the overlap baseline, over all and by source."""

    def own(case: Case) -> bool:
        return case.row.tier in ("", "clean")

    by_question = held_out(cases, names, lambda c: fold_of(c.row.group), penalty)
    by_source = held_out(cases, names, lambda c: c.row.source, penalty)
    plain = held_out(cases, ["overlap"], lambda c: fold_of(c.row.group))
    found: dict[str, Any] = {
        "question-disjoint": _figure(cases, by_question, own),
        "source-disjoint": _figure(cases, by_source, own),
        "overlap, question-disjoint": _figure(cases, plain, own),
    }
    for source in sorted({c.row.source for c in cases if c.measured}):
        of_source = partial(_is_of, source)
        found[f"source {source}"] = _figure(cases, by_question, of_source)
    return found


HELD_OUT = ("question-disjoint", "source-disjoint", "overlap, question-disjoint")
"""What the shipped file says of itself: folds by question, by source, and the baseline."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, fit, write, and print the held-out figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m ragloop.evals.fit", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled data")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for the two JSON files")
    parser.add_argument("--embed", help="add the cosine of this embedder; writes offline_NAME.json")
    parser.add_argument("--only-measure", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    embed = embeddings_named(given.embed) if given.embed else None
    if not given.only_measure and embed is None:
        _write(given.out / "rarity.json", fit_rows.rarity_table(given.data))
    table: dict[str, Any] = {
        "made_by": "python -m ragloop.evals.fit --data DIR",
        "never_fitted_on": list(fit_rows.NEVER_FITTED),
        "data": _digests(given.data),
    }
    report: dict[str, Any] = {}
    for name, cases, names in _models(given.data, embed):
        found = measure(cases, names, PENALTY[name])
        if name in report and found["question-disjoint"]["auc"] <= _auc(report[name]):
            continue  # the cosine does not help in this language, so it is left out
        report[name] = found
        model = fit([c for c in cases if c.fits], names, PENALTY[name])
        table[name] = {
            "bias": model.bias,
            "threshold": model.threshold,
            "weights": model.weights,
            "held_out": {name: found[name] for name in HELD_OUT},
        }
    if not given.only_measure:
        name = f"offline_{given.embed}.json" if given.embed else "offline.json"
        _write(given.out / name, table)
    print(json.dumps(report, ensure_ascii=False, indent=1))  # noqa: T201  the command's output


def _auc(found: dict[str, Any]) -> float:
    return float(found["question-disjoint"]["auc"])


def _models(
    data: Path, embed: Embedder | None
) -> Iterator[tuple[str, list[Case], tuple[str, ...]]]:
    """Name, cases and features of each model; with an embedder, relevance once more with it."""
    sets = [
        ("relevant", fit_rows.relevance_cases(data), RELEVANCE),
        ("supported", fit_rows.support_cases(data), SUPPORT),
    ]
    if embed is not None:
        sets.append(("relevant", fit_rows.relevance_cases(data, embed), (*RELEVANCE, "cosine")))
    for judge, cases, names in sets:
        for lang in ("en", "zh"):
            yield f"{judge}_{lang}", [c for c in cases if c.row.language == lang], names


def _digests(data: Path) -> dict[str, str]:
    names = (
        "relevance_pairs",
        "multihop_qa",
        "cmrc_zh_questions",
        "groundedness_en",
        "groundedness_zh",
    )
    return {
        name: hashlib.sha256((data / f"{name}.jsonl").read_bytes()).hexdigest()[:16]
        for name in names
    }


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
