"""The page of a bench: all of it there, nothing from outside, nothing unescaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ragloop.evals.records import Record
from ragloop.evals.report import page
from ragloop.evals.report_plots import held_after

from ..cli.shell import command_in, one_line
from .records_made import query, record, write_records

pytest.importorskip("matplotlib")
WHOLE = ("restate_question", "read_whole_document", "finish")
EVIL = "<script>alert('x')</script> & \"Tarn\" 渡轮"


@pytest.fixture
def records() -> list[Record]:
    """Four presets over 24 questions; the loop searches again and gains."""
    made: list[Record] = []
    for at in range(24):
        id = f"q{at}"
        queries = [query("incorrect"), query("correct", 1, "vocabulary")]
        made += [
            record(id, "plain", quality=float(at % 2)),
            record(id, "loop", quality=float(at % 4 > 0), queries=queries, rounds=1),
            record(id, "always-passages", quality=float(at % 2)),
            record(id, "always-whole", quality=float(at % 3 > 0), path=WHOLE),
        ]
    return made


class _Tags(HTMLParser):
    """Notes every tag, and what stays open."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(text: str) -> _Tags:
    parser = _Tags()
    parser.feed(text)
    return parser


def test_every_part_is_there_and_every_tag_is_closed(records: list[Record]) -> None:
    text = page(records)

    heads = re.findall(r"<h2>(.+?)</h2>", text)
    assert heads == [
        "Worth switching on?", "Quality against cost", "Answering and refusing", "Health",
        "Passages or whole document", "Where it went", "Worst cases of loop",
    ]  # fmt: skip
    assert tags_of(text).open == []
    assert "oracle" in text


def test_nothing_comes_from_outside(records: list[Record]) -> None:
    found = tags_of(page(records))

    used = {tag for tag, _ in found.tags}
    places = [
        value
        for _, attributes in found.tags
        for name, value in attributes.items()
        if name in ("src", "href", "xlink:href", "srcset") and not str(value).startswith("#")
    ]
    assert not used & {"script", "link", "iframe", "img", "object"}
    assert places == []
    assert "@import" not in page(records)


def test_what_was_asked_and_said_is_text_and_never_markup(records: list[Record]) -> None:
    evil = record(
        "x", "loop", quality=0.0, text=EVIL, queries=[{**query("correct"), "query": EVIL}]
    )
    evil |= {"question": EVIL, "expected": [[EVIL]], "kind": EVIL, "path": [EVIL], "data": EVIL}

    text = page([*records, evil], title=EVIL)

    assert "<script" not in text
    assert (
        text.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;Tarn&quot; 渡轮")
        >= 6
    )


def test_the_worst_cases_come_with_their_way_through_the_graph(records: list[Record]) -> None:
    worst = record("q1", "loop", quality=0.0, path=("retrieve", "rewrite_query", "refuse"))
    rest = [r for r in records if (r["task_id"], r["preset"]) != ("q1", "loop")]

    first = re.search(r"<article>.+?</article>", page([*rest, worst]))

    assert first is not None
    assert "What is q1?" in first.group(), "plain had it right, so it comes first"
    assert "<li>retrieve</li><li>rewrite_query</li><li>refuse</li>" in first.group()


def test_the_same_records_give_the_same_page(records: list[Record]) -> None:
    assert page(records) == page(records)


def test_the_curve_counts_evidence_by_its_place_in_the_context() -> None:
    one, two = record("a"), record("b")
    one |= {"evidence_needed": ["x", "y"], "context_ids": ["x", "n", "y"]}
    two |= {"evidence_needed": ["z"], "context_ids": ["n", "z"]}

    assert held_after([one, two, record("c")]) == [0.25, 0.75, 1.0]


def test_the_command_writes_the_page_beside_the_records(
    tmp_path: Path, records: list[Record]
) -> None:
    write_records(tmp_path / "runs.jsonl", records)

    done = command_in(tmp_path, "report", "runs.jsonl", "--preset", "loop", "--title", "My page")

    assert done.returncode == 0, done.stderr
    assert "runs.html" in one_line(done.stderr)
    assert "<h1>My page</h1>" in (tmp_path / "runs.html").read_text(encoding="utf-8")


def test_records_of_an_app_that_nobody_labelled_make_a_page_too() -> None:
    live = record("a", "live")
    live |= {"scores": {}, "answer_in_context": None}
    del live["should_answer"]

    text = page([live])

    assert "Where it went" in text
    assert "Answering and refusing" not in text
