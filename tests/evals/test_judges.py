"""Measuring judges: figures, honest thresholds, the cascade's band, the command and its page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback

from ragloop.evals import cascade, judges, measure
from ragloop.evals.datasets import Labelled, load
from ragloop.evals.judges_page import page
from ragloop.graph.settings import Settings
from ragloop.nodes.judges.calibration import read_calibration, write_entry
from ragloop.nodes.judges.panel import prompt_of
from ragloop.nodes.judges.verdict import UNCLEAR, Verdict

from ..cli.shell import command_in

YES = '{"verdict": "yes"}'
NO = '{"verdict": "no"}'


def rows_of(labels: Sequence[str], language: str = "en") -> list[Labelled]:
    return [
        Labelled(id=f"r{i}", label=label, question=f"Q{i}?", language=language, group=f"Q{i}?")
        for i, label in enumerate(labels)
    ]


def pairs(folder: Path) -> Path:
    """Twelve pairs, half of them relevant, two sources, both languages."""
    facts = [
        ("Who wrote Emma?", "Jane Austen wrote the novel Emma.", "en"),
        ("When was the Eiffel Tower completed?", "The Eiffel Tower was completed in 1889.", "en"),
        ("Where is the Prado Museum?", "The Prado Museum is in Madrid, Spain.", "en"),
        ("谁写了《红楼梦》？", "《红楼梦》的作者是曹雪芹。", "zh"),
        ("埃菲尔铁塔是哪一年建成的？", "埃菲尔铁塔于1889年建成。", "zh"),
        ("普拉多博物馆在哪里？", "普拉多博物馆位于西班牙马德里。", "zh"),
    ]
    file = folder / "pairs.jsonl"
    lines = []
    for i, (question, passage, language) in enumerate(facts):
        other = "Bananas are rich in potassium." if language == "en" else "香蕉富含钾。"
        for text, label in ((passage, "yes"), (other, "no")):
            row = {"question": question, "passage": text, "label": label, "lang": language}
            lines.append(json.dumps({**row, "id": f"{i}{label}", "source": f"set {i % 2}"}))
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_fitted_threshold_mends_a_judge_that_says_yes_too_often() -> None:
    rows = rows_of(["yes", "no"] * 50)
    verdicts = [
        Verdict("yes", (0.9 if row.label == "yes" else 0.7) + i / 5000, "logprobs")
        for i, row in enumerate(rows)
    ]

    plain, _ = measure.judged("relevance", rows, verdicts, fixed=True)
    fitted, thresholds = measure.judged("relevance", rows, verdicts, fixed=False)

    assert measure.figures(plain)["balanced_accuracy"] == 0.5
    assert measure.figures(fitted)["balanced_accuracy"] == 1.0
    assert 0.7 < thresholds["en"] < 0.95


def test_a_threshold_is_not_fitted_on_the_rows_it_is_measured_on() -> None:
    # Every question has scores of its own, so a threshold tells nothing about other questions.
    rows = rows_of(["yes", "no"] * 40)
    verdicts = [Verdict("yes", ((i * 37) % 80) / 80, "offline") for i in range(80)]

    found, _ = measure.judged("relevance", rows, verdicts, fixed=False)

    assert measure.figures(found)["balanced_accuracy"] < 0.6


def test_rows_of_one_group_fall_in_one_fold() -> None:
    folds = {measure.fold_of("one question") for _ in range(10)}

    assert len(folds) == 1
    assert len({measure.fold_of(f"question {i}") for i in range(50)}) == measure.FOLDS


def test_an_unclear_verdict_counts_as_a_no_and_is_reported() -> None:
    rows = rows_of(["yes", "no"])

    found, _ = measure.judged("relevance", rows, [Verdict(UNCLEAR), Verdict(UNCLEAR)], fixed=True)

    assert measure.figures(found)["unclear"] == 1.0
    assert [item.said for item in found] == [False, False]


def judged(scores: Sequence[float], truth: Sequence[bool]) -> list[measure.Judged]:
    return [
        measure.Judged(row, Verdict("yes" if s >= 0.5 else "no", s, "offline"), t, s >= 0.5)
        for row, s, t in zip(rows_of(["yes"] * len(truth)), scores, truth, strict=True)
    ]


def test_the_band_asks_the_model_only_where_the_cheap_judge_errs() -> None:
    # Wrong only between 0.4 and 0.6; the model is always right.
    truth = [i % 2 == 0 for i in range(200)]
    scores = [
        (0.45 if t else 0.55) if i % 4 < 2 else (0.95 if t else 0.05) for i, t in enumerate(truth)
    ]
    cheap = judged(scores, truth)
    dear = judged([float(t) for t in truth], truth)

    found = cascade.fit_band(cheap, dear, lose=0.01)

    assert 0.05 < found["band"][0] <= 0.45 and 0.55 <= found["band"][1] < 0.95
    assert found["saved"] == pytest.approx(0.5, abs=0.01)
    assert found["loss"] <= 0.01


def test_the_band_is_empty_when_the_cheap_judge_is_as_good() -> None:
    truth = [i % 2 == 0 for i in range(50)]
    same = judged([float(t) for t in truth], truth)

    found = cascade.fit_band(same, same, lose=0.0)

    assert found["saved"] == 1.0


def test_the_offline_judge_is_measured_by_language_and_source(tmp_path: Path) -> None:
    report = judges.calibrate("relevance", load(pairs(tmp_path)), fixed=True)

    figures = report.figures
    assert figures["rows"] == 12
    assert figures["agreement"] == figures["balanced_accuracy"] >= 0.8
    assert set(figures["by_language"]) == {"en", "zh"}
    assert set(figures["by_source"]) == {"set 0", "set 1"}
    assert figures["calls"] == 0 and figures["how"] == ["offline"]


def test_a_model_is_asked_as_the_graph_asks_it(tmp_path: Path) -> None:
    right = {"by_text": {"Bananas": NO, "香蕉": NO, "*": YES}}
    with Loopback({"judge": [right]}) as server:
        settings = Settings(model="judge", base_url=server.url, logprobs="off")
        report = judges.calibrate("relevance", load(pairs(tmp_path)), settings=settings)

        assert server.calls() == report.figures["calls"] == 12
    assert report.figures["agreement"] == 1.0
    assert report.figures["cascade"]["saved"] > 0.5
    assert report.entry["band"] == report.figures["cascade"]["band"]


def test_what_was_measured_with_another_prompt_counts_as_not_measured(tmp_path: Path) -> None:
    right = {"by_text": {"Bananas": NO, "香蕉": NO, "*": YES}}
    file = tmp_path / "c.json"
    with Loopback({"judge": [right]}) as server:
        settings = Settings(
            model="judge", base_url=server.url, logprobs="off", worked_examples=True
        )
        report = judges.calibrate("relevance", load(pairs(tmp_path)), settings=settings)
        write_entry(file, "relevance", "judge", report.entry)

    same = settings.changed(calibration=str(file))
    other = same.changed(worked_examples=False)
    found = read_calibration(file)

    assert found.below_bar("relevance", "judge", prompt_of(same, "relevance")) == ""
    assert "another prompt" in found.below_bar("relevance", "judge", prompt_of(other, "relevance"))


def test_grading_several_passages_a_call_shows_what_is_lost(tmp_path: Path) -> None:
    right = {"by_text": {"numbered passages": '{"numbers": [1]}', "Bananas": NO, "香蕉": NO}}
    right["by_text"]["*"] = YES  # type: ignore[assignment]
    with Loopback({"judge": [right]}) as server:
        settings = Settings(model="judge", base_url=server.url, logprobs="off")
        report = judges.calibrate("relevance", load(pairs(tmp_path)), settings=settings, batch=5)

    found = report.figures["batch"]
    # It always names the first: right in the given order, wrong in the reversed one.
    assert found["agreement"] == 1.0
    assert found["changed_by_order"] == 1.0
    assert found["calls_saved"] == 0.5


def _report(**changes: Any) -> judges.Report:
    figures = {"agreement": 0.7, "bar": 0.8, "recall": {"yes": 0.7, "no": 0.7}, "auc": 0.7}
    return judges.Report("relevance", "m", [], {**figures, "unclear": 0.0, **changes})


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({}, "A better model"),
        ({"recall": {"yes": 0.99, "no": 0.4}}, "A better prompt"),
        ({"unclear": 0.3}, "A better prompt"),
        ({"auc": 0.9}, "Smaller questions"),
        ({"agreement": 0.85}, ""),
    ],
)
def test_a_judge_below_the_bar_gets_one_of_three_remedies(
    changes: dict[str, Any], advice: str
) -> None:
    assert judges.remedy(_report(**changes)).startswith(advice)


def test_the_page_escapes_what_documents_say(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    row = {
        "question": "Who wrote <b>Emma</b>?",
        "passage": "<script>alert(1)</script> Emma was written. Emma is a novel.",
        "label": "no",
        "title": '"><img src=x>',
    }
    good = {"question": "Who wrote Emma?", "passage": "It rains.", "label": "yes"}
    file.write_text(f"{json.dumps(row)}\n{json.dumps(good)}\n", encoding="utf-8")

    text = page(judges.calibrate("relevance", load(file), fixed=True))

    assert "&lt;script&gt;" in text
    assert "<script" not in text and "<img" not in text
    assert "http://" not in text and "https://" not in text


def test_the_command_writes_thresholds_that_settings_read(tmp_path: Path) -> None:
    data = pairs(tmp_path)

    done = command_in(
        tmp_path, "calibrate", "relevance", "--data", data, "--out", "c.json", "--json"
    )

    figures = json.loads(done.stdout)
    assert done.returncode == 0
    assert figures["agreement"] >= 0.8 and figures["passed"]
    found = read_calibration(tmp_path / "c.json")
    assert found.threshold("relevance", None, "zh") == figures["threshold"]["zh"]
    assert found.below_bar("relevance") == ""


def test_the_command_ends_with_one_below_the_bar_and_says_what_to_do(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    lines = pairs(tmp_path).read_text(encoding="utf-8").splitlines()
    turned = {"yes": "no", "no": "yes"}
    rows = [json.loads(line) for line in lines]
    data.write_text(
        "\n".join(json.dumps({**row, "label": turned[row["label"]]}) for row in rows),
        encoding="utf-8",
    )

    done = command_in(
        tmp_path, "calibrate", "relevance", "--data", data, "--fixed", "--out", "c.json"
    )

    assert done.returncode == 1
    assert "Below the bar of 80%. A better model" in done.stderr
    assert not (tmp_path / "c.json").exists()


def test_the_command_names_a_broken_row(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text('{"question": "Who?", "passage": "x", "label": "perhaps"}\n', encoding="utf-8")

    done = command_in(tmp_path, "calibrate", "relevance", "--data", data)

    assert done.returncode == 1
    assert "line 1: 'label' is 'perhaps'" in done.stderr


def test_a_batch_without_a_model_is_refused(tmp_path: Path) -> None:
    done = command_in(tmp_path, "calibrate", "relevance", "--data", pairs(tmp_path), "--batch", "5")

    assert done.returncode == 1
    assert "give --model" in done.stderr


SHIPPED = [
    ("relevance", "relevance_pairs", "", 0.62),
    ("support", "groundedness_en", "clean", 0.6),
    ("support", "groundedness_zh", "clean", 0.8),
    ("retrieve", "retrieve_decision", "", 0.72),
]


@pytest.mark.parametrize(("judge", "name", "tier", "least"), SHIPPED)
def test_the_shipped_judge_does_not_get_worse(
    shared_data: Path, judge: str, name: str, tier: str, least: float
) -> None:
    report = judges.calibrate(judge, load(shared_data / f"{name}.jsonl", limit=160), fixed=True)

    part = report.figures["by_tier"][tier] if tier else report.figures
    assert part["balanced_accuracy"] >= least
