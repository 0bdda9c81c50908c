"""The page that `ragloop calibrate --html` writes: one file, no network, nothing unescaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .judges import Report, remedy
from .measure import Judged
from .statistics import reliability

_STYLE = """\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;
color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .7rem;text-align:left;
border-bottom:1px solid #ccc;vertical-align:top}td.n,th.n{text-align:right}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem;border:1px solid #bbb;padding:.8rem;
margin:1rem 0;overflow-wrap:anywhere}.pair h3{grid-column:1/-1;margin:0;font-size:1rem}
.pair pre{white-space:pre-wrap;max-height:16rem;overflow:auto;margin:0;font:inherit}
.bad{color:#a30000}.good{color:#005c1f}svg{max-width:100%;height:auto}
@media(max-width:40rem){.pair{grid-template-columns:1fr}}
"""
_SIZE = 320


def page(report: Report, worst: int = 12) -> str:
    """The whole page as HTML text: figures, reliability curve, the worst disagreements."""
    figures = report.figures
    name = escape(f"{report.judge} judge, {report.model or 'offline'}")
    passed = figures["passed"]
    verdict = f"{'reaches' if passed else 'is below'} the bar of {figures['bar']:.0%}"
    low, high = figures["interval"]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{name}</title><style>{_STYLE}</style></head><body>",
            f"<h1>The {name}</h1>",
            f'<p class="{"good" if passed else "bad"}">It agrees with people in '
            f"{figures['agreement']:.1%} of {figures['rows']} rows (95 % interval {low:.1%} to "
            f"{high:.1%}) and {verdict}. {escape(remedy(report))}</p>",
            _figures(figures),
            *(_parts(title, figures[key]) for title, key in _TABLES if key in figures),
            "<h2>Reliability</h2>",
            "<p>Each dot is a tenth of the scores: how sure the judge was against how often people "
            "said yes. On the diagonal the scores mean what they say. The larger the dot, the more "
            "rows.</p>",
            _curve(report.judged),
            "<h2>Worst disagreements</h2>",
            *(_pair(item) for item in _worst(report.judged, worst)),
            "</body></html>",
        ]
    )


_TABLES = (
    ("By language", "by_language"),
    ("By tier", "by_tier"),
    ("By source", "by_source"),
)


def _figures(figures: dict[str, Any]) -> str:
    shown = {
        "balanced accuracy": figures["balanced_accuracy"],
        "kappa": figures["kappa"],
        "AUC": figures["auc"],
        "recall of yes": figures["recall"].get("yes"),
        "recall of no": figures["recall"].get("no"),
        "share unclear": figures["unclear"],
        "calls": figures["calls"],
        "tokens": figures["input_tokens"] + figures["output_tokens"],
        "seconds": figures["seconds"],
    }
    rows = "".join(
        f'<tr><th>{k}</th><td class="n">{_number(v)}</td></tr>' for k, v in shown.items()
    )
    return f"<table>{rows}</table>"


def _parts(title: str, parts: dict[str, dict[str, Any]]) -> str:
    keys = ("rows", "agreement", "balanced_accuracy", "kappa", "auc")
    head = "".join(f'<th class="n">{k.replace("_", " ")}</th>' for k in keys)
    body = "".join(
        f"<tr><td>{escape(name)}</td>"
        + "".join(f'<td class="n">{_number(part[k])}</td>' for k in keys)
        + "</tr>"
        for name, part in parts.items()
    )
    return f"<h2>{title}</h2><table><tr><th></th>{head}</tr>{body}</table>"


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


def _curve(judged: Sequence[Judged]) -> str:
    points = reliability([j.truth for j in judged], [j.score for j in judged])
    most = max(count for _, _, count in points)
    dots = "".join(
        f'<circle cx="{40 + x * _SIZE:.1f}" cy="{10 + (1 - y) * _SIZE:.1f}" '
        f'r="{3 + 9 * (count / most) ** 0.5:.1f}" fill="#0b57a4" fill-opacity=".75">'
        f"<title>score {x:.2f}: yes in {y:.0%} of {count} rows</title></circle>"
        for x, y, count in points
    )
    ticks = "".join(
        f'<text x="{40 + t * _SIZE}" y="{_SIZE + 28}" text-anchor="middle">{t:g}</text>'
        f'<text x="34" y="{14 + (1 - t) * _SIZE}" text-anchor="end">{t:g}</text>'
        for t in (0, 0.5, 1)
    )
    return (
        f'<svg viewBox="0 0 {_SIZE + 60} {_SIZE + 56}" width="{_SIZE + 60}" role="img" '
        'aria-label="Reliability curve" font-size="12">'
        f'<rect x="40" y="10" width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#888"/>'
        f'<line x1="40" y1="{10 + _SIZE}" x2="{40 + _SIZE}" y2="10" stroke="#888" '
        f'stroke-dasharray="4"/>{dots}{ticks}'
        f'<text x="{40 + _SIZE / 2}" y="{_SIZE + 46}" text-anchor="middle">score</text>'
        f'<text x="12" y="{10 + _SIZE / 2}" text-anchor="middle" '
        f'transform="rotate(-90 12 {10 + _SIZE / 2})">share of yes</text></svg>'
    )


def _worst(judged: Sequence[Judged], count: int) -> list[Judged]:
    """Wrong rows, those with the surest wrong scores first; ties by id."""
    wrong = [j for j in judged if not j.right]
    return sorted(wrong, key=lambda j: (-abs(j.score - float(j.truth)), j.row.id))[:count]


def _pair(item: Judged) -> str:
    row = item.row
    left = "\n\n".join(filter(None, (row.question, row.sentence)))
    right = "\n\n".join(filter(None, (row.title, *row.texts, *row.history)))
    missing = f" Missing: {', '.join(item.verdict.missing)}." if item.verdict.missing else ""
    return (
        f'<div class="pair"><h3>{escape(row.id)} ({escape(row.source)}): people say '
        f"{escape(row.label)}, the judge says {escape(item.verdict.label)} "
        f"(score {item.score:.2f}). {escape(item.verdict.why)}.{escape(missing)}</h3>"
        f"<pre>{escape(left)}</pre><pre>{escape(right)}</pre></div>"
    )
