"""The plots of a report, as SVG text that stands in the page itself."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ..stores.errors import EvaluationError
from .records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#2456a6", "#c2571a", "#2b8a5b", "#8a3d8f", "#a8851f", "#4d5a66", "#b0364f", "#2a8f9d")
"""Told apart in grey as well; markers differ too."""
MARKERS = "osD^vPX*"
LONGEST = 12
"""Documents of a context that the curve goes up to."""


def new_figure(size: tuple[float, float] = (6.4, 3.8)) -> Figure:
    """An empty figure, inches. Raises EvaluationError when matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise EvaluationError("Plots need: pip install 'ragloop[evals]'") from None
    return Figure(figsize=size, layout="constrained")


def drawn(draw: Callable[[Axes], None], told: str, size: tuple[float, float] = (6.4, 3.8)) -> str:
    """Draw on axes and give the SVG; `told` says in words what it shows. Needs matplotlib."""
    figure = new_figure(size)
    import matplotlib

    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "ragloop",  # the same records give the same bytes
        "font.size": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(style):
        draw(figure.subplots())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(told, quote=True)}"', 1)


def quality_against_cost(told: Mapping[str, Mapping[str, Any]]) -> str:
    """A dot a preset: tokens of a question against quality, with its 95 % interval."""
    asked = any(figures["calls"] for figures in told.values())

    def cost(figures: Mapping[str, Any]) -> float:
        if asked:
            return float(figures["input_tokens"] + figures["output_tokens"])
        return float(figures["context_tokens"])

    def draw(axes: Axes) -> None:
        for at, (name, figures) in enumerate(told.items()):
            low, high = figures["quality_interval"]
            value = figures["quality"]
            axes.errorbar(
                [cost(figures)],
                [value],
                yerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                fmt=MARKERS[at % len(MARKERS)],
                color=COLOURS[at % len(COLOURS)],
                markersize=8,
                capsize=3,
                label=name,
            )
        axes.set_xlabel("tokens in and out, a question" if asked else "context tokens, a question")
        axes.set_ylabel("quality")
        axes.set_xlim(left=0)
        axes.set_ylim(0, 1.02)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return drawn(draw, "Quality against cost, one mark a preset", (7.6, 3.8))


def evidence_curve(by_preset: Mapping[str, Sequence[Record]]) -> str:
    """Share of the evidence held after the i-th document of the context.

    Empty without labels, and where no context holds more than one document.
    """
    curves = {name: held_after(rows) for name, rows in by_preset.items()}
    curves = {name: curve for name, curve in curves.items() if curve}
    if max(map(len, curves.values()), default=0) < 2:
        return ""

    def draw(axes: Axes) -> None:
        for at, (name, curve) in enumerate(curves.items()):
            places = range(1, len(curve) + 1)
            marker, colour = MARKERS[at % len(MARKERS)], COLOURS[at % len(COLOURS)]
            axes.plot(places, curve, label=name, marker=marker, color=colour)
        axes.set_xlabel("documents of the context, in its order")
        axes.set_ylabel("evidence held")
        axes.set_ylim(0, 1.02)
        axes.set_xticks(range(1, max(map(len, curves.values())) + 1))
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return drawn(draw, "Evidence held after each document of the context", (7.6, 3.8))


def held_after(records: Sequence[Record]) -> list[float]:
    """Mean share of the evidence among the first 1, 2, ... documents of the context."""
    rows = [row for row in records if row["evidence_needed"]]
    longest = min(LONGEST, max((len(row["context_ids"]) for row in rows), default=0))
    return [
        sum(
            len(set(row["context_ids"][:at]) & set(row["evidence_needed"]))
            / len(row["evidence_needed"])
            for row in rows
        )
        / len(rows)
        for at in range(1, longest + 1)
    ]


def differences(found: Mapping[str, Any]) -> str:
    """The histogram of passages minus whole document."""
    bins = found["bins"]

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        places = range(len(bins))
        middle = len(bins) // 2
        colours = [COLOURS[5] if at == middle else COLOURS[at < middle] for at in places]
        bars = axes.bar(places, [count for *_, count in bins], color=colours, width=0.9)
        axes.bar_label(bars, [str(count) if count else "" for *_, count in bins], padding=2)
        axes.set_xticks(places, [f"{low:+d}\nto {high:+d}" for low, high, _ in bins], fontsize=9)
        axes.set_xlabel("points")
        axes.set_ylabel("questions")
        axes.set_title("whole document better", loc="left", fontsize=10, color=COLOURS[1])
        axes.set_title("passages better", loc="right", fontsize=10, color=COLOURS[0])
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.margins(y=0.12)

    return drawn(draw, "Passages minus whole document, in points", (7.6, 3.8))
