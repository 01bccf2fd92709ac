"""Calls on collections of Dask: when they compute, how many shards there are, what they refuse."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_inputs import length_of, made

import warpproof.dask as wpd
from warpproof import _dask_groups, _owner


def no_calls(*_: Any, **__: Any) -> Any:
    """Fail, if something is computed."""
    raise AssertionError("something was computed")


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    frame = dd.from_map(made, range(3), rows=10, meta=made(0, 0))
    array = da.from_array(np.arange(10), chunks=3)
    with dask.config.set(scheduler=no_calls):
        wpd.unique(frame["k"])
        wpd.group_by(frame["k"], shards=3, budget="1MiB").sum(frame["v"])
        wpd.left_join(frame, frame, on="k")
        wpd.value_counts(array, budget="1MiB")
        wpd.inner_join(array, array)
        with pytest.raises(AssertionError, match="computed"):
            wpd.unique(frame["k"], budget="1MiB")


def test_a_budget_decides_how_many_shards_there_are() -> None:
    frame = dd.from_map(made, range(3), rows=10_000, meta=made(0, 0))
    assert wpd.unique(frame["k"]).npartitions == 3
    limit = _owner.rows_of("64KiB", 8)
    assert limit
    counted = wpd.unique(frame["k"], budget="64KiB")
    assert counted.npartitions == _owner.shards_for(30_000, limit) > 30
    sizes = counted.map_partitions(length_of, meta=length_of([])).compute()
    assert sizes.sum() == 30_000
    assert sizes.max() <= limit
    assert wpd.unique(frame["k"], budget="64KiB", shards=2).npartitions == 2


def test_groups_count_their_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def rows_in(keys: Any) -> int:
        counted.append(keys)
        return 10_000

    monkeypatch.setattr(_dask_groups, "rows_in", rows_in)
    frame = dd.from_map(made, range(3), rows=10, meta=made(0, 0))
    groups = wpd.group_by(frame["k"], budget="64KiB")
    assert groups.sum(frame["v"]).npartitions == groups.max(frame["v"]).npartitions > 3
    assert len(counted) == 1


def test_only_workers_need_a_device() -> None:
    # No machine has so many GPUs, nor has this one the library for it: a worker finds out.
    frame, array = dd.from_map(made, range(3), rows=10, meta=made(0, 0)), da.arange(9, chunks=3)
    device = "cuda:99"
    collections = [
        wpd.unique(frame["k"], device=device),
        wpd.group_by(array, device=device).mean(array)[1],
        wpd.inner_join(frame, frame, on="k", device=device),
        wpd.semi_join(frame, frame["k"], on="k", device=device),
        wpd.left_join(frame, frame.partitions[:1], on="k", device=device),
        wpd.inner_join(array, array, device=device)[0],
    ]
    for collection in collections:
        with pytest.raises((ImportError, ValueError, RuntimeError)):
            collection.compute(scheduler="synchronous")


def test_a_key_is_in_the_partition_that_owns_it() -> None:
    frame = dd.from_map(made, range(3), rows=100, meta=made(0, 0))
    for number, part in enumerate(dask.compute(*wpd.unique(frame["k"], shards=5).to_delayed())):
        assert set(wpd.owner(part.to_numpy(), 5)) == {number}


def test_what_arrays_share_is_computed_once() -> None:
    calls = []

    def counted(block: Any) -> Any:
        calls.append(len(block))
        return block

    base = da.arange(12, chunks=4).map_blocks(counted, dtype=int, meta=np.empty(0, int))
    calls.clear()
    keys, sums = dask.compute(*wpd.group_by(base % 3).sum(base + 1), scheduler="synchronous")
    assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == {0: 22, 1: 26, 2: 30}
    assert calls == [4, 4, 4]


def test_bad_arguments_are_found_before_anything_runs() -> None:
    frame = dd.from_pandas(
        pd.DataFrame({"k": [1, 2], "s": ["a", "b"], "f": [0.5, 1]}), npartitions=1
    )
    with pytest.raises(TypeError, match=r"keys of type .* are not possible"):
        wpd.unique(frame["s"])
    with pytest.raises(TypeError, match="columns of"):
        wpd.unique(np.arange(3))
    with pytest.raises(ValueError, match="2 dimensions"):
        wpd.unique(da.ones((2, 2)))
    with pytest.raises(TypeError, match=r"values of type .* are not possible"):
        wpd.group_by(frame["k"]).sum(frame["s"])
    with pytest.raises(TypeError, match="a column and an array"):
        wpd.group_by(frame["k"]).sum(da.ones(2, chunks=2))
    with pytest.raises(ValueError, match="different partitions"):
        wpd.group_by(da.ones(4, chunks=2)).sum(da.ones(4, chunks=4))
    with pytest.raises(ValueError, match="there are 2 keys and 1 values"):
        dask.compute(*wpd.group_by(da.ones(2, chunks=2)).sum(da.ones(1, chunks=1)))
    with pytest.raises(ValueError, match="budget"):
        wpd.unique(frame["k"], budget="few")
    with pytest.raises(ValueError, match="device"):
        wpd.unique(frame["k"], device="gpu")
    with pytest.raises(ValueError, match="0 shards"):
        wpd.unique(frame["k"], shards=0)
    with pytest.raises(TypeError, match="cannot be compared"):
        wpd.inner_join(frame, frame, left_on="k", right_on="f")
    with pytest.raises(TypeError, match="no column of keys"):
        wpd.inner_join(frame, frame)
    with pytest.raises(TypeError, match="on is for"):
        wpd.inner_join(frame, frame, on="k", left_on="k")
    with pytest.raises(KeyError, match="'x' is not one column"):
        wpd.inner_join(frame, frame, on="x")
    with pytest.raises(ValueError, match="there is a column warpproof_shard"):
        wpd.inner_join(frame.assign(warpproof_shard=1), frame, on="k")
    with pytest.raises(TypeError, match="two frames"):
        wpd.inner_join(frame, frame["k"], on="k")
    with pytest.raises(TypeError, match="arrays have no columns"):
        wpd.inner_join(da.ones(2), da.ones(2), on="k")
    unknown = da.arange(4, chunks=2)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        wpd.inner_join(unknown[unknown > 1], unknown)


def test_without_dask_the_message_says_what_to_install() -> None:
    code = "import sys; sys.modules['dask'] = None; import warpproof; import warpproof.dask"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert said.returncode == 1
    assert "ImportError: warpproof.dask needs Dask: install it with pip" in said.stderr
