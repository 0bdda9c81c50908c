"""Metadata is made storable, and filters are strict."""

from __future__ import annotations

import datetime as dt
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest

from ragloop.stores.errors import RagloopWarning, StoreError
from ragloop.stores.metadata import check_where, clean_metadata, same


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"page": 1, "author": None}, {"page": 1}, id="None is left out"),
        pytest.param({"day": dt.date(2024, 1, 1)}, {"day": "2024-01-01"}, id="a date"),
        pytest.param({"at": dt.datetime(2024, 1, 1)}, {"at": "2024-01-01T00:00:00"}, id="a time"),
        pytest.param({"path": PurePosixPath("a/b.txt")}, {"path": "a/b.txt"}, id="a path"),
        pytest.param({"box": {"x": 1, "名": "灯"}}, {"box": '{"x": 1, "名": "灯"}'}, id="a dict"),
        pytest.param({"tags": {"b", "a"}}, {"tags": ["a", "b"]}, id="a set"),
        pytest.param({"tags": []}, {}, id="an empty list"),
        pytest.param({"tags": ["a", 1]}, {"tags": ["a", "1"]}, id="a mixed list"),
        pytest.param({"n": np.float32(1.5)}, {"n": 1.5}, id="a number of numpy"),
        pytest.param({"n": float("nan")}, {}, id="not a number"),
        pytest.param({"n": 2**70}, {"n": str(2**70)}, id="a huge number"),
        pytest.param({"t": "a\ud835\x00b"}, {"t": "a\ufffd b"}, id="unstorable characters"),
    ],
)
def test_metadata_becomes_plain(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert clean_metadata(given) == kept


def test_what_cannot_be_written_down_is_left_out_by_name() -> None:
    with pytest.warns(RagloopWarning, match="'handle' is left out"):
        kept = clean_metadata({"handle": object(), "page": 1})

    assert kept == {"page": 1}


@pytest.mark.parametrize(
    ("stored", "wanted", "equal"),
    [
        (2020, 2020.0, True),
        (2020, "2020", False),
        (True, 1, False),
        (1, True, False),
        (["海", "船"], "船", True),
        (None, "a", False),
    ],
)
def test_values_are_compared_by_kind(stored: Any, wanted: Any, equal: bool) -> None:
    assert same(stored, wanted) is equal


@pytest.mark.parametrize("value", [None, {"$gt": 1}, [None], b"a"])
def test_a_filter_that_is_not_understood_is_an_error(value: Any) -> None:
    with pytest.raises(StoreError, match="tenant"):
        check_where({"tenant": value})
