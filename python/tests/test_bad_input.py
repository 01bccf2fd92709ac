"""What is not possible raises what users of NumPy expect, with a message that says what."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import warpproof as wp


@pytest.mark.parametrize(
    "keys",
    [
        np.array(["a", "b"]),
        np.array([object()]),
        np.array([1 + 2j]),
        np.array([1.0], np.longdouble),
        np.ma.masked_array([1, 2], [True, False]),
        ["a"],
        None,
    ],
)
def test_arrays_that_are_not_numbers(keys: object) -> None:
    with pytest.raises(TypeError):
        wp.unique(keys)
    with pytest.raises((TypeError, ValueError)):
        wp.Set("int64", device="cpu").add(keys)


@pytest.mark.parametrize(
    "keys", [pl.Series([1, None]), pa.array([1, None]), pa.chunked_array([[1, None]])]
)
def test_nulls_are_refused(keys: object) -> None:
    with pytest.raises(ValueError, match="1 nulls"):
        wp.unique(keys)


def test_lengths_that_differ() -> None:
    table = wp.Map(device="cpu")
    with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
        table.insert_unique([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="shape"):
        table.insert_unique([[1, 2]], [1, 2])
    with pytest.raises(ValueError, match=r"\(2,\).*\(1,\)"):
        wp.group_by([1, 2]).sum([1])
    assert len(table) == 0


def test_types_that_would_change_numbers() -> None:
    with pytest.raises(TypeError, match=r"float64.*int64"):
        wp.Map(device="cpu").get(np.array([1.5]))
    with pytest.raises(TypeError, match=r"int64.*int32"):
        wp.Set("int32", device="cpu").add(np.array([1]))
    with pytest.raises(OverflowError):
        wp.Set("int32", device="cpu").add([2**40])
    with pytest.raises(TypeError, match="float64"):
        wp.Map("int64", "float64", device="cpu").insert_or_add([1], [1.0])
    with pytest.raises(TypeError, match="int8"):
        wp.Map("int8", device="cpu")
    with pytest.raises(TypeError, match="compared"):
        wp.isin(np.array([1]), np.array([1.5]))


def test_devices_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="tpu"):
        wp.Map(device="tpu")
    with pytest.raises(ValueError, match="cuda:x"):
        wp.Map(device="cuda:x")
    with pytest.raises(RuntimeError):
        wp.Map(device="cuda:63")


@pytest.mark.parametrize("budget", ["much", "-1GiB", 0, "0", ""])
def test_budgets_that_are_none(budget: object) -> None:
    with pytest.raises(ValueError, match="budget"):
        wp.PagedMap(capacity=10, budget=budget, device="cpu")  # type: ignore[arg-type]


def test_capacities_that_are_impossible() -> None:
    with pytest.raises(ValueError, match="capacity"):
        wp.Map(capacity=-1, device="cpu")
    with pytest.raises((ValueError, MemoryError)):
        wp.Map(capacity=2**62, device="cpu")


def test_outputs_that_cannot_be_written() -> None:
    table = wp.Map(device="cpu")
    table[[1, 2]] = [10, 20]
    out = np.zeros(2, np.int64)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        table.get([1, 2], out=out)
    with pytest.raises(ValueError, match="contiguous"):
        table.get([1, 2], out=np.zeros(4, np.int64)[::2])
    with pytest.raises(ValueError, match="shape"):
        table.get([1, 2], out=np.zeros(3, np.int64))
    with pytest.raises(TypeError):
        table.get([1, 2], out=np.zeros(2, np.float64))
    with pytest.raises(TypeError):
        table.get([1, 2], out=[0, 0])
    assert out.tolist() == [0, 0]


def test_arrays_without_elements() -> None:
    none = np.array([], np.int64)
    table = wp.Map(device="cpu")
    assert table.insert_unique(none, none).shape == (0,)
    assert table.get(none).shape == (0,)
    assert table.delete(none).shape == (0,)
    assert len(wp.unique(none)) == 0
    assert wp.isin(none, [1]).shape == (0,)
    assert wp.isin([1], none).tolist() == [False]
    assert len(wp.group_by(none).sum(none)[1]) == 0
    assert wp.MultiMap(device="cpu").search_all(none)[0].tolist() == [0]
    assert [len(rows) for rows in wp.inner_join(none, none)] == [0, 0]


def test_read_only_inputs_are_fine() -> None:
    keys = np.arange(5)
    keys.flags.writeable = False
    assert wp.unique(keys).tolist() == [0, 1, 2, 3, 4]
