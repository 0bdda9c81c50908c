"""Sentences without support go or are marked, and the Markdown stays whole."""

from __future__ import annotations

import pytest

from ragloop.nodes.writers.repair import apply_policy
from ragloop.nodes.writers.units import units

ANSWER = """\
# Speed

FastAPI is fast [1]. However, it is old.[2] Therefore, people like it [1].

## Steps

Do this:

1. **Install** it [1]. Then run.
2. Sell it [2].

```python
x  =  [1]
```
"""


def verdicts(text: str, *bad: str, label: str = "none") -> list[str]:
    return [label if any(each in unit.text for each in bad) else "full" for unit in units(text)]


def test_a_sentence_goes_with_its_markers_and_the_next_loses_its_connective() -> None:
    text, corrections = apply_policy(ANSWER, verdicts(ANSWER, "it is old"), "remove", "why?")

    assert "FastAPI is fast [1]. People like it [1]." in text
    assert "[2] Therefore" not in text
    assert corrections == ["Removed, not borne out by the sources: However, it is old."]


def test_what_is_not_removed_stays_to_the_letter() -> None:
    text, _ = apply_policy(ANSWER, verdicts(ANSWER, "Sell"), "remove", "why?")

    assert text == ANSWER.replace("2. Sell it [2].\n", "").strip()


def test_a_lead_in_and_a_heading_go_with_all_that_they_lead_to() -> None:
    text, _ = apply_policy(ANSWER, verdicts(ANSWER, "Install", "Sell", "x  ="), "remove", "why?")

    assert "Do this" not in text
    assert "Steps" not in text
    assert text.endswith("people like it [1].")


def test_nothing_is_left_when_no_sentence_is_supported() -> None:
    text, corrections = apply_policy(
        "甲是乙。[1]丙是丁。", ["none", "unclear"], "remove", "为什么？"
    )

    assert text == ""
    assert corrections == ["已删除，来源不支持：甲是乙。", "已删除，来源不支持：丙是丁。"]


def test_half_a_bold_run_does_not_stay_bold() -> None:
    text, _ = apply_policy("**A is b. C is d.** E is f.", ["none", "full", "full"], "remove", "?")

    assert text == "C is d. E is f."


def test_marking_keeps_every_word_and_says_which_are_not_borne_out() -> None:
    labels = verdicts(ANSWER, "it is old")
    labels[-1] = "partial"

    text, corrections = apply_policy(ANSWER, labels, "mark", "这是什么？")

    assert "However, it is old.[2]（来源不支持）" in text
    assert "```\n\n（来源只部分支持）" in text
    assert corrections == ["已标注，来源不支持：However, it is old."]


@pytest.mark.parametrize("policy", ["remove", "mark", "regenerate"])
def test_an_answer_that_is_borne_out_stays_as_it_is(policy: str) -> None:
    text, corrections = apply_policy(ANSWER, verdicts(ANSWER), policy, "why?")  # type: ignore[arg-type]

    assert (text, corrections) == (ANSWER, [])


def test_partial_support_is_kept_when_removing() -> None:
    labels = verdicts(ANSWER, "it is old", label="partial")

    text, _ = apply_policy(ANSWER, labels, "remove", "why?")

    assert text == ANSWER


def test_a_chinese_connective_does_not_dangle() -> None:
    text, _ = apply_policy("甲是乙。[1]因此，丙是丁。[2]", ["none", "full"], "remove", "为什么？")

    assert text == "丙是丁。[2]"
