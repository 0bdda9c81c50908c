"""Figures of a bench as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

SHARES = (
    "quality", "exact_match", "f1", "contains", "accuracy", "rouge_l", "answered",
    "answerable_share", "evidence_coverage_all", "evidence_coverage_any", "right_without_evidence",
    "token_ratio_predicted", "token_ratio_actual",
)  # fmt: skip
AMOUNTS = ("context_tokens", "rounds", "calls", "input_tokens", "output_tokens", "seconds")
WITH_ENDS = 3
"""Presets whose intervals fit beside each other."""
ABSTENTION = {
    "should_did": "should answer, did",
    "should_refused": "should answer, refused",
    "should_not_did": "should refuse, answered",
    "should_not_refused": "should refuse, did",
}


def figures_table(told: Mapping[str, Any]) -> Table:
    """One column a preset, one row a figure; in brackets the ends of the 95 % interval.

    Beyond a few presets the ends are left out, to fit a terminal; `--json` has them.
    """
    from rich.table import Table

    presets: Mapping[str, Mapping[str, Any]] = told["presets"]
    ends = len(presets) <= WITH_ENDS
    table = Table("", *presets)
    table.add_row("questions", *(str(figures["questions"]) for figures in presets.values()))
    for name in (*SHARES, *AMOUNTS):
        if any(name in figures for figures in presets.values()):
            table.add_row(name.replace("_", " "), *(_cell(f, name, ends) for f in presets.values()))
    table.add_section()
    for name, words in ABSTENTION.items():
        table.add_row(words, *(str(figures["abstention"][name]) for figures in presets.values()))
    return table


def _cell(figures: Mapping[str, Any], name: str, ends: bool) -> str:
    value = figures.get(name)
    if value is None:
        return ""
    low, high = figures[f"{name}_interval"]
    if name in SHARES:
        return f"{value:.3f}" + (f" ({low:.2f} to {high:.2f})" if ends else "")
    return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"


def gains_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """For each preset after the first: what it gained, with its paired interval, in words."""
    for name, gains in told["gains"].items():
        for figure in ("quality", "evidence_coverage_all"):
            if figure in gains:
                gain, low, high = gains[figure]
                surely = "" if low > 0 or high < 0 else ", which may be chance"
                yield (
                    f"{name} - {told['compared_with']}: {figure.replace('_', ' ')} {gain:+.3f} "
                    f"(95 % of resamples: {low:+.3f} to {high:+.3f}{surely})"
                )


def histogram_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Passages minus whole document, in points, one line a bin."""
    found = told.get("histogram")
    if not found or not found["questions"]:
        return
    yield (
        f"{found['passages']} minus {found['whole']}, in points of quality: "
        f"{found['equal']:.0%} equal, {found['within_10']:.0%} within 10 points"
    )
    most = max(count for _, _, count in found["bins"])
    for low, high, count in found["bins"]:
        bar = "#" * round(40 * count / most)
        yield f"  {low:+5d} to {high:+5d}  {count:5d}  {bar}".rstrip()
