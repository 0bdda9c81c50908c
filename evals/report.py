"""A bench as one HTML page: tables, plots, worst cases. No network, nothing unescaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from .contenders import BASELINES, picked, quality
from .health import FEWEST, Reading, endings, failures, health
from .ledger import Prices, by_node, cheapest_right, steps
from .records import Record
from .report_plots import differences, evidence_curve, quality_against_cost
from .summary import pairs_of, sorted_by_preset, summarise

WITH_ENDS = 3
"""Presets whose intervals fit beside each other; the plot has them all."""
WORST = 8
"""Cases that are shown of the preset that is looked at."""
Rows = Iterable[Sequence[str]]


def page(records: Sequence[Record], prices: Prices | None = None, title: str = "") -> str:
    """The whole page as HTML text. The first preset is the one that others are compared with."""
    told = summarise([*records, *picked("oracle", records)])
    by_preset = sorted_by_preset(records)
    questions = len({record["task_id"] for record in records})
    title = title or ", ".join(dict.fromkeys(record["data"] for record in records))
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{questions} questions, {len(records)} runs: {escape(', '.join(by_preset))}.</p>",
        *_verdicts(records, prices),
        *_quality(told, by_preset),
        *_abstention(told["presets"]),
        *_health(records),
        *_routes(told),
        *_ledger(records, prices),
        *_worst(by_preset),
    ]
    style = files(__package__).joinpath("templates/report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def table(heads: Sequence[str], rows: Rows, numbers: int = 0) -> str:
    """A table; all but the first `numbers` columns hold figures. Cells are escaped here."""
    kinds = ["" if at < numbers else ' class="n"' for at in range(len(heads))]
    head = "".join(f"<th{k}>{escape(h)}</th>" for k, h in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{k}>{escape(cell)}</td>" for k, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _verdicts(records: Sequence[Record], prices: Prices | None) -> Iterator[str]:
    """Worth switching on? One sentence a step from one preset to the next."""
    found = steps(records, prices)
    if found:
        yield "<h2>Worth switching on?</h2>"
        yield "<ul>" + "".join(f"<li>{escape(step['advice'])}</li>" for step in found) + "</ul>"


FIGURES = (
    ("quality", "quality"),
    ("contains", "contains"),
    ("accuracy", "yes or no right"),
    ("f1", "F1"),
    ("exact_match", "exact match"),
    ("rouge_l", "ROUGE-L"),
    ("evidence_coverage_all", "all evidence in"),
    ("evidence_coverage_any", "some evidence in"),
    ("answerable_share", "settled by passages"),
    ("right_without_evidence", "right without evidence"),
)
AMOUNTS = (
    ("token_ratio_predicted", "tokens / whole, predicted"),
    ("token_ratio_actual", "tokens / whole, actual"),
    ("context_tokens", "context tokens"),
    ("rounds", "rounds"),
    ("calls", "model calls"),
    ("input_tokens", "tokens in"),
    ("output_tokens", "tokens out"),
    ("seconds", "seconds"),
)


def _quality(told: Mapping[str, Any], by_preset: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    presets = told["presets"]
    yield "<h2>Quality against cost</h2>"
    if all("quality" in figures for figures in presets.values()):
        yield quality_against_cost(presets)
    yield (
        "<p>Quality is the score that suits each question: accuracy for yes or no, contains for "
        "short answers, ROUGE-L for long ones, and 1 for a right refusal. Intervals are 95 % "
        "bootstrap intervals.</p>"
    )
    heads = ["", *presets]
    ends = len(presets) <= WITH_ENDS
    shares = ([words, *(_share(f, key, ends) for f in presets.values())] for key, words in FIGURES)
    amounts = ([words, *(_amount(f, key) for f in presets.values())] for key, words in AMOUNTS)
    nothing = {"", "0.00"}
    yield table(heads, [row for row in (*shares, *amounts) if not nothing.issuperset(row[1:])], 1)
    if curve := evidence_curve(by_preset):
        yield "<h2>Evidence after each document of the context</h2>"
        yield curve
        yield "<p>Where a curve is flat, more budget buys nothing.</p>"


def _share(figures: Mapping[str, Any], name: str, ends: bool) -> str:
    if name not in figures:
        return ""
    low, high = figures[f"{name}_interval"]
    return f"{figures[name]:.1%}" + (f" ({low:.0%} to {high:.0%})" if ends else "")


def _amount(figures: Mapping[str, Any], name: str) -> str:
    if name not in figures:
        return ""
    value = figures[name]
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _abstention(presets: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    if not any(sum(figures["abstention"].values()) for figures in presets.values()):
        return
    yield "<h2>Answering and refusing</h2>"
    heads = ("", "should, did", "should, refused", "should not, did", "should not, refused")
    keys = ("should_did", "should_refused", "should_not_did", "should_not_refused")
    rows = ([name, *(str(f["abstention"][key]) for key in keys)] for name, f in presets.items())
    yield table(heads, rows, 1)


def _health(records: Sequence[Record]) -> Iterator[str]:
    found = health(records)
    readings = [r for r in found if r["of"] and (r["kind"] == "all" or r["of"] >= FEWEST)]
    if readings:
        yield "<h2>Health</h2>"
        yield "<p>Counted over the runs that grade, check or search again.</p>"
        heads = ("figure", "kind", "healthy", "verdict", "share", "of")
        yield table(heads, map(_reading, readings), 4)
    if looped := [record for record in records if record["answer"]["rounds"]]:
        yield f"<p>How runs that searched again ended: {escape(_listed(endings(looped)))}.</p>"
    if named := failures(records):
        yield f"<p>Why searches failed: {escape(_listed(named))}.</p>"


def _reading(reading: Reading) -> list[str]:
    share = "" if reading["value"] is None else f"{reading['value']:.0%}"
    first = [reading["figure"], reading["kind"], reading["healthy"], reading["verdict"]]
    return [*first, share, str(reading["of"])]


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.items())


def _routes(told: Mapping[str, Any]) -> Iterator[str]:
    found = told.get("histogram")
    if not found or not found["questions"]:
        return
    yield "<h2>Passages or whole document</h2>"
    yield differences(found)
    yield (
        f"<p>{escape(found['passages'])} minus {escape(found['whole'])}: {found['equal']:.0%} of "
        f"{found['questions']} questions are equal, {found['within_10']:.0%} within 10 points.</p>"
    )
    rows = [(name, f["routing"]) for name, f in told["presets"].items() if "routing" in f]
    if rows:
        heads = ("", "rightly read", "missed", "read in vain", "rightly not")
        yield table(heads, ([name, *map(str, counts.values())] for name, counts in rows), 1)


def _ledger(records: Sequence[Record], prices: Prices | None) -> Iterator[str]:
    yield "<h2>Where it went</h2>"
    heads = ["node", "runs", "calls", "tokens in", "tokens out", "seconds"]
    rows = [
        [
            line["node"],
            *(f"{line[k]:,}" for k in ("runs", "calls", "input_tokens", "output_tokens")),
            f"{line['seconds']:,.2f}",
            *([f"{line['money']:,.4f}"] if line["money"] is not None else []),
        ]
        for line in by_node(records, prices)
    ]
    yield table([*heads, *([f"money {prices.currency}"] if prices else [])], rows, 1)
    counts = cheapest_right(records)
    if len(counts) > 2:
        yield f"<p>Cheapest preset that was right, by question: {escape(_listed(counts))}.</p>"


def _worst(by_preset: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Questions that the last preset got most wrong; first those that the first one got right.

    Baselines are passed over where there is a preset.
    """
    own = [item for item in by_preset.items() if item[0] not in BASELINES]
    first, last = next(iter(by_preset.items())), (own or list(by_preset.items()))[-1]
    better = {a["task_id"]: quality(a) or 0.0 for a, _ in pairs_of(first[1], last[1])}
    known = [(row, value) for row in last[1] if (value := quality(row)) is not None and value < 1]
    known.sort(key=lambda pair: (pair[1] - better.get(pair[0]["task_id"], 0.0), pair[1]))
    if known:
        yield f"<h2>Worst cases of {escape(last[0])}</h2>"
        yield from (_case(row, value) for row, value in known[:WORST])


def _case(row: Record, value: float) -> str:
    answer = row["answer"]
    steps = "".join(f"<li>{escape(node)}</li>" for node in row["path"])
    expected = "; ".join(" / ".join(part[:3]) for part in row.get("expected", ()))
    queries = "".join(
        f"<li>{escape(q['query'])} <em>{escape(q['verdict'])}</em></li>" for q in answer["queries"]
    )
    wanted = expected if row["should_answer"] else "a refusal"
    return (
        f"<article><h3>{escape(row['question'])}</h3>"
        f"<p><b>{value:.0%}</b> {escape(answer['outcome'])}, stopped by "
        f"{escape(answer['stopped_by'])}, {answer['rounds']} rounds</p>"
        f"<dl><dt>Wanted</dt><dd>{escape(_short(wanted))}</dd>"
        f"<dt>Said</dt><dd>{escape(_short(answer['text']))}</dd></dl>"
        f'<ol class="path">{steps}</ol>'
        + (f'<ul class="queries">{queries}</ul>' if queries else "")
        + "</article>"
    )


def _short(text: str, most: int = 400) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
