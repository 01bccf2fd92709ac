"""Functions of columns in host memory, beside NumPy, pandas and polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import random_keys

import warpproof as wp

SHAPES = [
    (0, 1),
    (1, 1),
    (1000, 1),
    (1000, 1000),
    (20_000, 100_000),
    (300_000, 40),
    (300_000, 10**9),
]


@pytest.mark.parametrize(("rows", "distinct"), SHAPES)
def test_unique_is_that_of_pandas(dtype: str, rows: int, distinct: int) -> None:
    keys = random_keys(dtype, rows, distinct)
    found, index, inverse, counts = wp.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    codes, expected = pd.factorize(keys)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(inverse, codes)
    np.testing.assert_array_equal(keys[index], found)
    np.testing.assert_array_equal(counts, np.bincount(codes, minlength=len(found)))
    assert found.dtype == keys.dtype
    assert inverse.dtype == np.int64
    np.testing.assert_array_equal(wp.unique(keys), expected)
    for ours, theirs in zip(
        wp.unique(keys, sorted=True, return_index=True, return_inverse=True, return_counts=True),
        np.unique(keys, return_index=True, return_inverse=True, return_counts=True),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("rows", "distinct"), SHAPES)
def test_value_counts_are_those_of_polars(dtype: str, rows: int, distinct: int) -> None:
    keys = random_keys(dtype, rows, distinct)
    found, counts = wp.value_counts(keys)
    theirs = pl.Series("k", keys).value_counts().sort("k")
    order = np.argsort(found)
    np.testing.assert_array_equal(found[order], theirs["k"].to_numpy())
    np.testing.assert_array_equal(counts[order], theirs["count"].to_numpy())
    _, falling = wp.value_counts(keys, sort=True)
    np.testing.assert_array_equal(falling, np.sort(counts)[::-1])


@pytest.mark.parametrize(("rows", "distinct"), SHAPES)
def test_isin_is_that_of_numpy(dtype: str, rows: int, distinct: int) -> None:
    keys = random_keys(dtype, rows, distinct)
    others = np.concatenate([keys[::7], random_keys(dtype, 100, 100, seed=2)])
    np.testing.assert_array_equal(wp.isin(keys, others), np.isin(keys, others))
    np.testing.assert_array_equal(
        wp.isin(keys, others, invert=True), np.isin(keys, others, invert=True)
    )


@pytest.mark.parametrize("values", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize(("rows", "distinct"), [(0, 1), (5000, 30), (300_000, 100_000)])
def test_folds_are_those_of_pandas(values: str, rows: int, distinct: int) -> None:
    keys = random_keys("int64", rows, distinct)
    column = random_keys(values, rows, rows, seed=3)
    if column.dtype.kind == "f":
        # Whole numbers, whose sums are exact in any order.
        column = np.floor(column / column.dtype.type(2.0**45))
    frame = pd.DataFrame({"k": keys, "v": column})
    groups = frame.groupby("k", sort=False)["v"]
    ours = wp.group_by(keys)
    for how in ("min", "max"):
        found, result = getattr(ours, how)(column)
        theirs = getattr(groups, how)()
        np.testing.assert_array_equal(found, theirs.index.to_numpy())
        np.testing.assert_array_equal(result, theirs.to_numpy())
        assert result.dtype == column.dtype
    wide = {"i": "int64", "u": "uint64", "f": "float64"}[column.dtype.kind]
    exact = frame.assign(v=column.astype(wide)).groupby("k", sort=False)["v"].sum().to_numpy()
    result = ours.sum(column)[1]
    assert result.dtype == (column.dtype if wide == "float64" else wide)
    np.testing.assert_array_equal(result, exact.astype(result.dtype))
    result = ours.mean(column)[1]
    theirs = frame.assign(v=column.astype("float64")).groupby("k", sort=False)["v"].mean()
    np.testing.assert_allclose(result, theirs.to_numpy(), rtol=1e-12)
    np.testing.assert_array_equal(ours.count()[1], groups.size().to_numpy())


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize(
    ("left", "right", "distinct"),
    [(0, 0, 1), (0, 10, 5), (10, 0, 5), (1000, 1000, 10), (50_000, 40_000, 60_000)],
)
def test_joins_are_those_of_pandas(
    dtype: str, how: str, left: int, right: int, distinct: int
) -> None:
    one = random_keys(dtype, left, distinct)
    other = random_keys(dtype, right, distinct)[::-1]
    join = wp.inner_join if how == "inner" else wp.left_join
    lefts, rights = join(one, other)
    frames = [
        pd.DataFrame({"k": keys, name: np.arange(len(keys))})
        for keys, name in ((one, "left"), (other, "right"))
    ]
    theirs = frames[0].merge(frames[1], on="k", how=how).fillna(-1)
    theirs = theirs.sort_values(["left", "right"], kind="stable")
    np.testing.assert_array_equal(lefts, theirs["left"].to_numpy())
    np.testing.assert_array_equal(rights, theirs["right"].to_numpy().astype(np.int64))
    there = np.isin(one, other)
    np.testing.assert_array_equal(wp.semi_join(one, other), np.flatnonzero(there))
    np.testing.assert_array_equal(wp.anti_join(one, other), np.flatnonzero(~there))


def test_keys_are_compared_by_their_bits() -> None:
    keys = np.array([0.0, -0.0, np.nan, np.nan, 1.0])
    found, counts = wp.value_counts(keys)
    assert found.view(np.uint64).tolist() == keys[[0, 1, 2, 4]].view(np.uint64).tolist()
    assert counts.tolist() == [1, 1, 2, 1]
    assert wp.isin(keys, np.array([np.nan])).tolist() == [False, False, True, True, False]
    other_nan = np.array([0x7FF8_0000_0000_0001], np.uint64).view(np.float64)
    assert not wp.isin(other_nan, np.array([np.nan]))[0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "float16"])
def test_narrow_numbers_are_widened_and_come_back(dtype: str) -> None:
    keys = np.array([1, 0, 1, 1]).astype(dtype)
    found, counts = wp.value_counts(keys)
    assert found.dtype == keys.dtype
    assert found.tolist() == [1, 0]
    assert counts.tolist() == [3, 1]


def test_times_are_keys() -> None:
    keys = np.array(["2026-01-02", "2026-01-01", "2026-01-02"], "datetime64[ns]")
    np.testing.assert_array_equal(wp.unique(keys), keys[:2])


@pytest.mark.parametrize(
    "make",
    [
        list,
        pl.Series,
        pd.Series,
        pa.array,
        lambda keys: pa.chunked_array([keys[:2], keys[2:]]),
        lambda keys: np.repeat(keys, 2)[::2],
        lambda keys: keys.astype(">i8"),
        np.asfortranarray,
        lambda keys: np.frombuffer(b"-" + keys.tobytes(), keys.dtype, offset=1),
    ],
)
def test_arrays_of_other_libraries_and_layouts(make: Any) -> None:
    keys = np.array([3, 1, 3, 2])
    assert wp.unique(make(keys)).tolist() == [3, 1, 2]


def test_arrow_and_polars_are_not_copied() -> None:
    from warpproof._arrays import given

    keys = np.arange(1000)
    for column in (pa.array(keys), pl.Series(keys)):
        array = column.to_numpy()
        assert np.shares_memory(given(column, "keys").array, array)


def test_shapes_are_kept() -> None:
    keys = np.array([[3, 1], [3, 2]])
    found, inverse = wp.unique(keys, return_inverse=True)
    assert inverse.shape == (2, 2)
    np.testing.assert_array_equal(found[inverse], keys)
    assert wp.isin(keys, [3]).tolist() == [[True, False], [True, False]]


def test_a_tensor_gives_tensors() -> None:
    torch = pytest.importorskip("torch")
    keys = torch.tensor([3, 1, 3])
    found, codes = wp.factorize(keys)[::-1]
    assert isinstance(found, torch.Tensor)
    assert found.tolist() == [3, 1]
    assert codes.tolist() == [0, 1, 0]
