"""Tables in host memory, beside dict and set."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DTYPES, random_keys

import warpproof as wp


@pytest.mark.parametrize("value", DTYPES)
@pytest.mark.parametrize("kind", ["Map", "PagedMap"])
def test_a_map_is_a_dict(dtype: str, value: str, kind: str) -> None:
    if kind == "Map":
        table = wp.Map(dtype, value, device="cpu")
    else:
        table = wp.PagedMap(dtype, value, capacity=50_000, budget="1GiB", device="cpu")
    keys = np.unique(random_keys(dtype, 30_000, 10**9))
    values = random_keys(value, len(keys), 10**9, seed=2)
    half = len(keys) // 2
    assert table.insert_unique(keys[:half], values[:half]).all()
    again = table.insert_unique(keys, values[::-1])
    np.testing.assert_array_equal(again, np.arange(len(keys)) >= half)
    expected = np.concatenate([values[:half], values[::-1][half:]])
    np.testing.assert_array_equal(table.get(keys), expected)
    new = table.insert_or_assign(keys, values)
    assert not new.any()
    found, there = table.search(keys)
    assert there.all()
    assert found.dtype == np.dtype(value)
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(table[keys], values)
    assert len(table) == len(keys)
    deleted = table.delete(keys[::2])
    assert deleted.all()
    assert not table.delete(keys[::2]).any()
    np.testing.assert_array_equal(table.contains(keys), np.arange(len(keys)) % 2 == 1)
    got_keys, got_values = table.items()
    order = np.argsort(got_keys)
    np.testing.assert_array_equal(got_keys[order], keys[1::2])
    np.testing.assert_array_equal(got_values[order], values[1::2])
    table.clear()
    assert not table
    assert got_keys.dtype == np.dtype(dtype)


def test_defaults_and_outputs() -> None:
    table = wp.Map("int32", "float64", device="cpu")
    table[5] = 0.5
    assert table.get([5, 6], default=np.nan).tolist()[0] == 0.5
    assert np.isnan(table.get(6, default=np.nan))
    out = np.zeros((2, 2))
    assert table.get([[5, 6], [6, 5]], default=-1, out=out) is out
    assert out.tolist() == [[0.5, -1], [-1, 0.5]]
    assert table[5] == 0.5
    with pytest.raises(KeyError):
        table[[5, 6]]
    assert 5 in table
    assert 6 not in table
    assert sorted(table) == [5]


@pytest.mark.parametrize("key", [0, -1, -2, -3, 2**63 - 1, -(2**63)])
def test_every_number_is_a_key(key: int) -> None:
    table = wp.Map(device="cpu")
    table[key] = key
    assert table[key] == key
    counts = wp.Counter("int64", device="cpu")
    counts.add([key, key, 1])
    assert counts.get(key) == 2
    some = wp.Set("int64", device="cpu")
    assert some.add([key]).tolist() == [True]
    assert list(some) == [key]
    many = wp.MultiMap(device="cpu")
    many.insert([key, key], [1, 2])
    assert sorted(many.search_all([key])[1]) == [1, 2]


def test_counting_is_that_of_numpy(dtype: str) -> None:
    keys = random_keys(dtype, 100_000, 500)
    counts = wp.Counter(dtype, device="cpu")
    counts.add(keys)
    counts.add(keys, np.full(len(keys), 2)) if np.dtype(dtype).itemsize == 8 else counts.add(
        keys, np.full(len(keys), 2, "int32")
    )
    distinct, expected = np.unique(keys, return_counts=True)
    np.testing.assert_array_equal(counts.get(distinct), 3 * expected)
    top, most = counts.most_common(3)
    assert most.tolist() == (3 * np.sort(expected)[::-1][:3]).tolist()
    assert len(top) == 3


def test_a_multimap_grows_and_keeps_all_values() -> None:
    table = wp.MultiMap("int64", "int64", capacity=10, device="cpu")
    keys = np.repeat(np.arange(1000), 5)
    for start in range(0, 5000, 500):
        table.insert(keys[start : start + 500], np.arange(start, start + 500))
    assert len(table) == 5000
    assert (table.count(np.arange(1000)) == 5).all()
    offsets, values = table.search_all(np.arange(1001))
    assert offsets.tolist() == [*range(0, 5001, 5), 5000]
    for key in range(1000):
        assert sorted(values[offsets[key] : offsets[key + 1]]) == list(range(key * 5, key * 5 + 5))
    assert table.delete_all([3, 2000]).tolist() == [5, 0]
    assert table.delete([4]).tolist() == [True]
    assert table.count([3, 4]).tolist() == [0, 4]
    assert not table.contains([3])[0]


def test_threads_share_a_table() -> None:
    table = wp.Map(device="cpu")
    keys = np.arange(400_000)

    def work(part: np.ndarray[Any, Any]) -> None:
        table.insert_unique(part, part * 2)
        assert (table.get(part) == part * 2).all()

    threads = [threading.Thread(target=work, args=(keys[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(table) == len(keys)
    assert (table.get(keys) == keys * 2).all()


def test_a_saved_map_is_opened_with_another_budget(tmp_path: Path) -> None:
    table = wp.PagedMap("uint64", "float64", capacity=100_000, budget="8MiB", device="cpu")
    keys = random_keys("uint64", 50_000, 10**9)
    table.insert_or_assign(keys, keys.astype(np.float64))
    path = tmp_path / "map.wp"
    table.save(path)
    again = wp.PagedMap.open(path, "uint64", "float64", budget="64MiB", device="cpu")
    np.testing.assert_array_equal(again.get(keys), keys.astype(np.float64))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(OSError, match=r"."):
        wp.PagedMap.open(tmp_path / "damaged", "uint64", "float64", budget="64MiB", device="cpu")
    with pytest.raises(OSError, match=r"."):
        wp.PagedMap.open(tmp_path / "none", budget="64MiB", device="cpu")


def test_a_paged_map_that_is_full_raises() -> None:
    table = wp.PagedMap(capacity=1000, budget="64MiB", device="cpu")
    with pytest.raises(MemoryError, match="full"):
        table.insert_unique(np.arange(200_000), np.arange(200_000))


def test_a_long_call_reports_and_can_be_interrupted() -> None:
    said: list[int] = []
    table = wp.Map(device="cpu")
    table.insert_unique(np.arange(10), np.arange(10), progress=said.append)
    assert said == [10]

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.get(np.arange(10), progress=stop)
    assert len(table) == 10
    with pytest.raises(KeyboardInterrupt):
        wp.unique(np.random.default_rng(1).integers(0, 2**60, 20_000_000), progress=stop)


@pytest.mark.parametrize("call", ["unique", "get"])
def test_a_signal_ends_a_long_call(call: str) -> None:
    keys = np.random.default_rng(1).integers(0, 2**60, 3_000_000)
    table = wp.Map(device="cpu")
    table[keys] = keys

    def for_long() -> None:
        for _ in range(1000):
            wp.unique(keys) if call == "unique" else table.get(keys)

    # A process that was started in the background may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for_long()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    # All is as before.
    assert len(wp.unique(keys)) == len(table)


@pytest.mark.parametrize("how", ["add", "min", "max", "or", "and", "xor"])
@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_updates_are_those_of_numpy(how: str, dtype: str) -> None:
    draw = np.random.default_rng(11)
    ufunc = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "or": np.bitwise_or,
        "and": np.bitwise_and,
        "xor": np.bitwise_xor,
    }[how]
    most = np.iinfo(dtype).max
    paged = wp.PagedMap("int32", dtype, capacity=1000, budget="16MiB", device="cpu")
    for table in [wp.Map("int32", dtype, device="cpu"), paged]:
        expected: dict[int, np.generic] = {}
        for _ in range(3):
            keys = draw.integers(-200, 200, 2000, dtype=np.int32)
            values = draw.integers(0, most, 2000, dtype=dtype, endpoint=True)
            before = len(expected)
            for key, value in zip(keys.tolist(), values, strict=True):
                there = expected.get(key)
                with np.errstate(over="ignore"):
                    expected[key] = value if there is None else ufunc(there, value)
            new = table.insert_or_update(keys, values, how)
            assert new.sum() == len(expected) - before
        found = table.get(np.array(list(expected), dtype=np.int32))
        assert found.dtype == dtype
        assert found.tolist() == [int(value) for value in expected.values()]


def test_updates_refuse_what_they_cannot_compare() -> None:
    table = wp.Map("int64", "int64", device="cpu")
    table.insert_or_update([1, 1], [-5, 3], "xor")
    assert table.get([1]).tolist() == [-5 ^ 3]
    with pytest.raises(TypeError, match="have a sign"):
        table.insert_or_update([1], [1], "min")
    with pytest.raises(TypeError, match="float32 cannot be updated"):
        wp.Map("int64", "float32", device="cpu").insert_or_update([1], [1], "add")
    with pytest.raises(ValueError, match="'mean' is none of add"):
        table.insert_or_update([1], [1], "mean")
    for other in [
        wp.ShardedMap(value_dtype="uint64"),
        wp.MultiMap(value_dtype="uint64", device="cpu"),
    ]:
        with pytest.raises(ValueError, match="has no insert_or_update"):
            other.insert_or_update([1], [1], "max")


def test_a_map_in_shards_is_a_map_whose_entries_are_divided() -> None:
    keys = np.random.default_rng(3).integers(-(2**62), 2**62, 50_000)
    table = wp.ShardedMap(ranks=3)
    table[keys] = np.arange(len(keys))
    assert len(table) == sum(table.shards) == len(np.unique(keys))
    assert len(table.shards) == 3
    assert max(table.shards) < 1.1 * min(table.shards)
    assert (table.get(keys) >= 0).all()
    assert table.get(np.array([2**62 + 1]), default=-7) == -7
    assert table.delete(keys[:10]).all()
    assert len(table) == len(np.unique(keys)) - 10
    counts = wp.ShardedMap("uint32", "uint32", ranks=2)
    counts.insert_or_add(np.array([5, 5, 9], dtype=np.uint32), np.array([1, 2, 4], dtype=np.uint32))
    assert counts.get(np.array([5, 9, 1], dtype=np.uint32)).tolist() == [3, 4, 0]
    for ranks in [0, -1, 5000]:
        with pytest.raises(ValueError, match="is not from 1 to 4096"):
            wp.ShardedMap(ranks=ranks)
