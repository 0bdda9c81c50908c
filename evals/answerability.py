"""Fit and measure when the offline writer answers and when it declines.

    python -m ragloop.evals.answerability --data DIR            measure, on the half held out
    python -m ragloop.evals.answerability --data DIR --write    fit first, on the other half

The loss is balanced: an answer to a question that the passages do not answer costs as much as a
refusal of one that they do, and every set counts the same, however many rows it has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..nodes.judges.offline import OfflineJudge
from ..nodes.writers import answerability as writer
from ..nodes.writers.asked import read
from ..nodes.writers.draft import Draft
from ..nodes.writers.extractive import judged, write
from ..nodes.writers.scoring import local_rarity, score
from ..nodes.writers.statements import statements
from ..stores.text import fold, has_cjk, words
from .writer_cases import FITTED, Case, all_cases

if TYPE_CHECKING:
    import numpy as np

PENALTY = 1.0


@dataclass
class Tally:
    """The 2x2 of should and did, the scores of right attempts, and what was cited."""

    should: int = 0
    answered: int = 0
    should_not: int = 0
    declined: int = 0
    scores: list[float] = field(default_factory=list)
    citations: int = 0
    verbatim: int = 0


def signs_of(case: Case, judge: OfflineJudge) -> dict[str, float]:
    """The signs of a case, its question taken as one part."""
    asked = replace(read(case.question), parts=(case.question,))
    found = statements(case.passages)
    ranked = score(case.question, asked, found, local_rarity(found))
    rated = judged(judge, case.question, case.passages)
    return writer.signs(case.question, case.passages, ranked, rated)


def fit(cases: Sequence[Case], judge: OfflineJudge) -> dict[str, dict[str, float]]:
    """Fit the weights of both languages on the cases that are not held out."""
    import numpy as np

    fitted: dict[str, dict[str, float]] = {}
    for language in ("en", "zh"):
        known = [
            case
            for case in cases
            if case.language == language and case.answerable is not None and not case.held_out
        ]
        table = [signs_of(case, judge) for case in known]
        features = np.array([[row[sign] for sign in writer.SIGNS] for row in table])
        labels = np.array([float(bool(case.answerable)) for case in known])
        weights = logistic_regression(features, labels, np.array(balance(known)))
        names = ("bias", *writer.SIGNS)
        fitted[language] = {
            name: round(float(w), 3) for name, w in zip(names, weights, strict=True)
        }
    return fitted


def balance(cases: Sequence[Case]) -> list[float]:
    """A weight a case: both labels the same in all, and inside a label every set the same."""
    groups = Counter((case.answerable, case.group) for case in cases)
    sets = Counter(label for label, _ in groups)
    total = len(cases) / len(sets)
    return [total / sets[c.answerable] / groups[c.answerable, c.group] for c in cases]


def logistic_regression(
    features: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    labels: np.ndarray[tuple[int], np.dtype[np.float64]],
    cost: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> list[float]:
    """Weighted logistic regression by Newton's method, with an L2 penalty but on the bias.

    `features` is (rows, signs); the weights come back as the bias, then one a sign.
    """
    import numpy as np

    table = np.hstack([np.ones((len(labels), 1)), features])
    weights = np.zeros(table.shape[1])
    ridge = np.diag([0.0] + [PENALTY] * features.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (cost * (chance - labels)) + ridge @ weights
        curve = (table * (cost * chance * (1 - chance))[:, None]).T @ table + ridge
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return [float(weight) for weight in weights]


def measure(cases: Sequence[Case], judge: OfflineJudge) -> dict[str, Tally]:
    """Write an answer to each case and count, by set."""
    tallies: dict[str, Tally] = {}
    for case in cases:
        tally = tallies.setdefault(case.group, Tally())
        draft = write(case.question, case.passages, judge)
        tally.citations += len(draft["citations"])
        tally.verbatim += verbatim(draft, case)
        if case.answerable:
            tally.should += 1
            tally.answered += draft["answerable"]
            if draft["answerable"] and case.answers:
                tally.scores.append(right(draft["text"], case))
        elif case.answerable is not None:
            tally.should_not += 1
            tally.declined += not draft["answerable"]
    return tallies


def verbatim(draft: Draft, case: Case) -> int:
    """How many citations stand in their passage at their offsets, to the letter."""
    held = {each["id"]: each for each in case.passages}
    return sum(
        held[c["passage_id"]]["text"][
            c["start"] - held[c["passage_id"]]["start"] : c["end"] - held[c["passage_id"]]["start"]
        ]
        == c["quote"]
        for c in draft["citations"]
    )


def right(text: str, case: Case) -> float:
    """Word F1 with the best written answer (CJK by signs), or 1 when the answer is contained."""
    if case.by_words:
        return max(word_f1(text, written) for part in case.answers for written in part)
    said = "".join(words(text))
    parts = (any("".join(words(one)) in said for one in part) for part in case.answers)
    return float(all(parts))


def word_f1(text: str, written: str) -> float:
    """Harmonic mean of precision and recall over words, CJK over signs."""
    first, second = (
        Counter(t for w in words(fold(side)) for t in (w if has_cjk(w) else [w]))
        for side in (text, written)
    )
    shared = sum((first & second).values())
    return 2 * shared / max(1, sum(first.values()) + sum(second.values()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit if asked to, then print the table of the held-out half."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--write", action="store_true", help="fit, and write answerability.json")
    parser.add_argument("--sets", nargs="*", default=(), help="only these sets")
    options = parser.parse_args(arguments)
    judge = OfflineJudge()
    if options.write:
        fitted = fit(all_cases(options.data, FITTED), judge)
        made = {
            "made_by": "python -m ragloop.evals.answerability --data DIR --write",
            "fitted_on": list(FITTED),
            "weights": fitted,
        }
        writer.COEFFICIENTS.write_text(json.dumps(made, indent=2) + "\n", "utf-8")
        writer.coefficients.cache_clear()
    cases = [c for c in all_cases(options.data, options.sets) if c.held_out or "rgb" in c.group]
    out = sys.stdout.write
    out(f"{'set':24} {'answered / should':>18} {'declined / should':>18} {'score':>6} citations\n")
    for group, tally in measure(cases, judge).items():
        score_of = sum(tally.scores) / len(tally.scores) if tally.scores else 0.0
        out(
            f"{group:24} {tally.answered:>9} / {tally.should:<6} {tally.declined:>9} / "
            f"{tally.should_not:<6} {score_of:>6.3f} {tally.verbatim} of {tally.citations}\n"
        )


if __name__ == "__main__":
    main()
