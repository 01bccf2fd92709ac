"""Collections of Dask on a cluster of three processes, beside one process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_inputs import KEYS, array_of, frame_of, framed, length_of, made, sides, taken
from distributed import Client

import warpproof as wp
import warpproof.dask as wpd
from warpproof import _owner, _partial

#: Seconds after which a test fails, rather than hang.
LIMIT = 120
FOLDS = ["sum", "min", "max", "mean"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Start three workers of one thread each."""
    script = Path(__file__).parent / "local_cluster.py"
    folder = tmp_path_factory.mktemp("workers")
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as cluster:
        assert cluster.stdin
        assert cluster.stdout
        try:
            address = cluster.stdout.readline().strip()
            assert address, "the cluster did not start"
            with Client(address, timeout=LIMIT) as connected:
                connected.wait_for_workers(3, timeout=LIMIT)
                yield connected
            cluster.stdin.close()
            cluster.wait(timeout=30)
        finally:
            cluster.kill()


def computed(client: Client, *collections: Any) -> tuple[Any, ...]:
    """Return what collections are, or fail in time."""
    return tuple(one.result(timeout=LIMIT) for one in client.compute(list(collections)))


def by_bits(keys: Any, *results: Any) -> list[np.ndarray[Any, Any]]:
    """Sort results by the bits of keys, which are compared as numbers then."""
    keys = np.asarray(keys)
    bits = keys.view(f"u{keys.dtype.itemsize}")
    order = np.lexsort([np.asarray(one) for one in results] + [bits])
    return [bits[order], *(np.asarray(one)[order] for one in results)]


def assert_same(ours: Any, expected: Any) -> None:
    """Compare tuples of keys and results in any order."""
    for one, other in zip(ours, expected, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
    for one, other in zip(by_bits(*ours), by_bits(*expected), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KEYS)
def test_groups_are_those_of_one_process(client: Client, kind: str) -> None:
    keys, ends = KEYS[kind]
    # Whole numbers, whose sums are exact in any order.
    values = np.random.default_rng(2).integers(-1000, 1000, len(keys))
    columns = {"k": keys, "int": values, "float": values.astype(np.float32)}
    frame = frame_of(columns, ends)
    names = [("mean", "int"), ("max", "float")]
    if kind in ("random", "skewed"):
        names += [("sum", "int"), ("sum", "float"), ("min", "int")]
    budget = "64KiB" if kind in ("skewed", "one owner") else None
    groups = wpd.group_by(frame["k"], budget=budget, shards=4)
    asked = [wpd.unique(frame["k"]), wpd.value_counts(frame["k"])]
    asked += [getattr(groups, how)(frame[column]) for how, column in names]
    distinct, counts, *folds = computed(client, *asked)
    assert_same([distinct], [wp.unique(keys)])
    assert_same([counts.index, counts], wp.value_counts(keys))
    assert (counts.index.name, counts.name) == ("k", "count")
    alone = wp.group_by(keys)
    for found, (how, column) in zip(folds, names, strict=True):
        assert_same([found.index, found], getattr(alone, how)(columns[column]))
        assert (found.index.name, found.name) == ("k", column)
    for one, collection in zip((distinct, counts, *folds), asked, strict=True):
        assert one.dtype == collection.dtype
        assert one.index.dtype == collection._meta.index.dtype


@pytest.mark.parametrize("kind", ["random", "empty partitions", "floats", "no rows"])
def test_groups_of_arrays_are_those_of_one_process(client: Client, kind: str) -> None:
    keys, ends = KEYS[kind]
    values = np.random.default_rng(2).integers(-1000, 1000, len(keys))
    one, other = array_of(keys, ends), array_of(values, ends)
    groups = wpd.group_by(one, budget="64KiB")
    found = computed(client, wpd.unique(one), *wpd.value_counts(one), *groups.sum(other))
    assert_same(found[:1], [wp.unique(keys)])
    assert_same(found[1:3], wp.value_counts(keys))
    assert_same(found[3:], wp.group_by(keys).sum(values))


def test_values_that_are_not_numbers_and_extremes(client: Client) -> None:
    keys = np.array([1, 2, 1, 3, 2, 3])
    values = np.array([np.nan, 1.0, 2.0, -0.0, -np.inf, 0.0])
    large = np.array([2**63, 2**64 - 1, 2**63, 1, 1, 0], np.uint64)
    frame = frame_of({"k": keys, "v": values, "u": large}, [3])
    groups, alone = wpd.group_by(frame["k"]), wp.group_by(keys)
    names = [(how, column) for how in FOLDS for column in "vu"]
    found = computed(client, *(getattr(groups, how)(frame[column]) for how, column in names))
    for one, (how, column) in zip(found, names, strict=True):
        assert_same([one.index, one], getattr(alone, how)({"v": values, "u": large}[column]))


@pytest.mark.parametrize("kind", [kind for kind in KEYS if kind not in ("times", "narrow")])
def test_joins_are_those_of_one_process(client: Client, kind: str) -> None:
    left, right, left_ends, right_ends = sides(kind)
    one, two = framed(left, left_ends), framed(right, right_ends)
    joins = {"inner": wpd.inner_join, "left": wpd.left_join}
    filters = {"semi": wpd.semi_join, "anti": wpd.anti_join}
    asked = [join(one, two, on="k", budget="64KiB") for join in joins.values()]
    asked += [join(one, two["k"], on="k") for join in filters.values()]
    found = computed(client, *asked)
    for how, result, collection in zip(joins, found[:2], asked[:2], strict=True):
        rows, others = getattr(wp, f"{how}_join")(left["k"], right["k"])
        assert list(result.columns) == ["k", "row", "v_x", "name", "other", "v_y"]
        assert list(result.dtypes) == list(collection.dtypes)
        partner = result["other"].isna()
        result_others = result["other"].fillna(2**60).astype("int64") - 2**60 - 1
        assert (result_others[partner] == -1).all()
        assert_same([result["row"], result_others], [rows, others])
        assert (result["v_y"].isna() == partner).all()
        assert_same([result["k"], result["row"]], [left["k"].to_numpy()[rows], rows])
        assert result["name"].tolist() == [f"row {row}" for row in result["row"]]
    for how, result in zip(filters, found[2:], strict=True):
        rows = getattr(wp, f"{how}_join")(left["k"], right["k"])
        assert_same([result["row"], result["v"]], [rows, np.ones(len(rows), int)])
        assert_same([result["k"], result["row"]], [left["k"].to_numpy()[rows], rows])


@pytest.mark.parametrize("budget", [None, "64KiB"])
def test_joins_with_a_right_side_of_one_partition(client: Client, budget: str | None) -> None:
    left, right, ends, _ = sides("random")
    one, two = framed(left, ends), framed(right, [])
    array = array_of(right["k"].to_numpy(), [])
    asked = [
        wpd.inner_join(one, two, on="k", budget=budget),
        wpd.left_join(one, two, on="k", budget=budget),
        wpd.semi_join(one, two, on="k", budget=budget),
        # What is computed before.
        wpd.anti_join(one, wpd.unique(two["k"]), on="k", budget=budget),
        wpd.semi_join(one, array, on="k", budget=budget),
    ]
    for how, result in zip(
        ["inner", "left", "semi", "anti", "semi"], computed(client, *asked), strict=True
    ):
        rows = getattr(wp, f"{how}_join")(left["k"], right["k"])
        rows = rows[0] if isinstance(rows, tuple) else rows
        assert_same([result["k"], result["row"]], [left["k"].to_numpy()[rows], rows])
        assert list(result.columns)[:4] in (["k", "row", "v", "name"], ["k", "row", "v_x", "name"])
    assert all(collection.npartitions == one.npartitions for collection in asked)


@pytest.mark.parametrize("kind", ["random", "floats", "one key"])
def test_joins_of_arrays_are_those_of_one_process(client: Client, kind: str) -> None:
    left, right, left_ends, right_ends = sides(kind)
    keys = left["k"].to_numpy(), right["k"].to_numpy()
    one, two = array_of(keys[0], left_ends), array_of(keys[1], right_ends)
    found = computed(
        client,
        *wpd.inner_join(one, two),
        *wpd.left_join(one, two, shards=2),
        wpd.semi_join(one, two),
        wpd.anti_join(one, two),
    )
    assert_same(found[:2], wp.inner_join(*keys))
    assert_same(found[2:4], wp.left_join(*keys))
    assert_same(found[4:5], [wp.semi_join(*keys)])
    assert_same(found[5:], [wp.anti_join(*keys)])


def test_keys_of_two_types_and_names(client: Client) -> None:
    left = frame_of({"a": np.array([-1, 2, 3], np.int32), "k": np.arange(3)}, [1])
    right = frame_of({"k": np.array([3, -1, 2**40])}, [2])
    (found,) = computed(client, wpd.inner_join(left, right, left_on="a", right_on="k"))
    found = found.sort_values("a")
    assert list(found.columns) == ["a", "k_x", "k_y"]
    assert found.to_numpy().tolist() == [[-1, 0, -1], [3, 2, 3]]
    assert list(found.dtypes) == [np.int32, np.int64, np.int64]


def kill_once(marker: str) -> None:
    """End this process and leave its number, unless that was done before."""
    with contextlib.suppress(FileExistsError):
        with open(marker, "x") as file:
            file.write(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)


def mortal(number: int, parts: list[Any], marker: str) -> Any:
    """Return one of some parts, but end the process once when asked for the third."""
    if number == 2:
        kill_once(marker)
    return parts[number]


def arm(marker: str) -> None:
    """Let the first of our calls on a shard end its worker."""
    plain = _partial.Fold.whole

    def whole(self: Any, *arguments: Any, **named: Any) -> Any:
        kill_once(marker)
        return plain(self, *arguments, **named)

    _partial.Fold.whole = whole  # type: ignore[method-assign]


@pytest.mark.parametrize("moment", ["before the rows move", "after they moved"])
def test_a_killed_worker_changes_no_result(client: Client, moment: str, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    keys = np.random.default_rng(6).integers(0, 3000, 8000)
    frame = pd.DataFrame({"k": keys, "v": np.arange(8000)})
    parts = [frame.iloc[start : start + 2000] for start in range(0, 8000, 2000)]
    workers = client.run(os.getpid).values()
    if moment == "before the rows move":
        source = dd.from_map(mortal, range(4), parts=parts, marker=str(marker), meta=frame[:0])
    else:
        source = dd.from_map(taken, range(4), parts=parts, meta=frame[:0])
        client.run(arm, str(marker))
    (sums,) = computed(client, wpd.group_by(source["k"], shards=6).sum(source["v"]))
    killed = int(marker.read_text())
    assert killed in workers
    assert killed not in client.run(os.getpid).values()
    assert_same([sums.index, sums], wp.group_by(keys).sum(np.arange(8000)))


@dataclass
class Watch:
    """What a worker notes of our calls."""

    #: Rows of the largest call.
    largest: int = 0
    #: Bytes by which each shard made the process grow.
    grown: list[int] = field(default_factory=list)
    combined: Any = _partial.Fold.combined
    whole: Any = _partial.Fold.whole


WATCH = Watch()


def status(name: str) -> int:
    """Return a number of bytes that the system knows of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def watch() -> None:
    """Note what our calls take, from now on."""

    def combined(self: Any, rows: Any, place: Any) -> Any:
        WATCH.largest = max(WATCH.largest, len(rows))
        return WATCH.combined(self, rows, place)

    def whole(self: Any, rows: Any, limit: Any, place: Any, depth: int = 0) -> Any:
        before = status("VmRSS")
        if depth == 0:
            # The most memory begins at what there is now.
            Path("/proc/self/clear_refs").write_text("5")
        results = WATCH.whole(self, rows, limit, place, depth)
        if depth == 0:
            WATCH.grown.append(status("VmHWM") - before)
        return results

    WATCH.largest, WATCH.grown = 0, []
    _partial.Fold.combined = combined  # type: ignore[method-assign]
    _partial.Fold.whole = whole  # type: ignore[method-assign]


def watched() -> tuple[int, list[int]]:
    """Return what was noted."""
    return WATCH.largest, WATCH.grown


def measured(client: Client, rows: int, **options: Any) -> tuple[int, float]:
    """Return the rows of the largest call, and how many bytes a shard takes."""
    source = dd.from_map(made, range(8), rows=rows // 8, meta=made(0, 0))
    client.run(watch)
    groups = wpd.group_by(source["k"], **options).sum(source["v"])
    # The results stay in no worker.
    (lengths,) = computed(client, groups.map_partitions(length_of, meta=length_of([])))
    assert lengths.sum() == rows
    noted = client.run(watched).values()
    grown = [taken for _, worker in noted for taken in worker]
    assert len(grown) == len(lengths)
    # Dask receives rows meanwhile: the median is of shards in which it happened to rest.
    return max(largest for largest, _ in noted), float(np.median(grown))


def test_memory_of_a_worker_is_bounded_by_the_budget(client: Client) -> None:
    budget = 4 << 20
    limit = _owner.rows_of(budget, 16)
    assert limit
    client.wait_for_workers(3, timeout=LIMIT)
    largest, grown = measured(client, 1_200_000, budget=budget)
    assert 0 < largest <= limit
    assert grown <= budget
    # Without a budget it is more, so that this test can fail.
    largest, grown = measured(client, 1_200_000, shards=3)
    assert largest > limit
    assert grown > budget
