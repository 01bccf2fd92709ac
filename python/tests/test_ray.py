"""Datasets of Ray on a cluster of three processors, beside one process."""

from __future__ import annotations

import doctest
import functools
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

# Ray reads these when it is imported, or started.
os.environ.update(
    {
        # It listens to this host alone.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        # Where other programs run, a worker may start in seconds: it is to wait for the next task.
        "RAY_worker_niceness": "0",
        "RAY_idle_worker_killing_time_threshold_ms": "600000",
    }
)
pytest.importorskip("ray.data", reason="Ray is not installed: cargo xtask nightly ray")

import pyarrow as pa
import ray
from ray_inputs import KEYS, dataset_of, gathered, kill_once, mortal, table_of

import warpproof as wp
import warpproof.ray as wpr
from warpproof import _owner, _ray_groups, _ray_joins
from warpproof._stages import SHARD

FOLDS = ["sum", "min", "max", "mean"]
JOINS = {"inner": wpr.inner_join, "left": wpr.left_join}
FILTERS = {"semi": wpr.semi_join, "anti": wpr.anti_join}


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Start Ray on this host for these tests."""
    folder = Path(__file__).parent
    ray.init(
        address="local",
        num_cpus=3,
        include_dashboard=False,
        object_store_memory=200 * 10**6,
        log_to_driver=False,
        # Workers import what the tests share.
        runtime_env={"env_vars": {"PYTHONPATH": f"{folder}:{folder.parent}"}},
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    yield
    ray.shutdown()


def by_bits(columns: list[Any]) -> list[np.ndarray[Any, Any]]:
    """Sort columns by the bits of the first, which are compared as numbers then."""
    arrays = [np.asarray(column) for column in columns]
    arrays[0] = arrays[0].view(f"u{arrays[0].dtype.itemsize}")
    order = np.lexsort([*arrays[1:], arrays[0]])
    return [array[order] for array in arrays]


def assert_same(ours: Any, expected: Any) -> None:
    """Compare the columns of a dataset with arrays in any order."""
    found = list(ours.values()) if isinstance(ours, dict) else ours
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.asarray(other).dtype
    for one, other in zip(by_bits(found), by_bits(expected), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KEYS)
def test_groups_are_those_of_one_process(kind: str) -> None:
    keys, ends = KEYS[kind]
    # Whole numbers, whose sums are exact in any order.
    values = np.random.default_rng(2).integers(-1000, 1000, len(keys))
    blocks = "pandas" if kind in ("narrow floats", "narrow") else "arrow"
    columns = {"k": keys, "int": values, "float": values.astype(np.float32)}
    rows = dataset_of(columns, ends, blocks)
    assert_same(gathered(wpr.unique(rows, "k")), [wp.unique(keys)])
    counts = gathered(wpr.value_counts(rows, "k", shards=1))
    assert list(counts) == ["k", "count()"]
    assert_same(counts, wp.value_counts(keys))
    sums = gathered(wpr.group_by(rows, "k", shards=9, budget="16KiB").sum("float"))
    assert list(sums) == ["k", "sum(float)"]
    assert_same(sums, wp.group_by(keys).sum(columns["float"]))


@pytest.mark.parametrize("how", FOLDS)
@pytest.mark.parametrize("blocks", ["arrow", "pandas"])
def test_values_that_are_not_numbers_and_extremes(how: str, blocks: str) -> None:
    keys = np.array([1, 2, 1, 3, 2, 3])
    values = {
        "v": np.array([np.nan, 1.0, 2.0, -0.0, -np.inf, 0.0]),
        "u": np.array([2**63, 2**64 - 1, 2**63, 1, 1, 0], np.uint64),
    }
    groups = wpr.group_by(dataset_of({"k": keys, **values}, [3], blocks), "k")
    for name, column in values.items():
        expected = getattr(wp.group_by(keys), how)(column)
        assert_same(gathered(getattr(groups, how)(name)), expected)


def sides(kind: str) -> tuple[pd.DataFrame, pd.DataFrame, list[int], list[int]]:
    """Make two frames with some keys in common."""
    keys, ends = KEYS[kind]
    keys = keys[:600] if kind != "one key" else keys[:60]
    ends = sorted({min(end, len(keys)) for end in ends})
    other = np.random.default_rng(3).permutation(
        np.concatenate([keys[::4], keys[:50] + keys.dtype.type(1)])
    )
    left = pd.DataFrame({"k": keys, "row": np.arange(len(keys)), "v": 1})
    # Numbers that floating-point ones of 64 bits do not have.
    right = pd.DataFrame({"k": other, "other": np.arange(len(other)) + 2**60 + 1, "v": True})
    return left, right, ends, [len(other) // 2]


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("kind", ["random", "one key", "floats", "no rows", "skewed", "narrow"])
def test_joins_are_those_of_one_process(kind: str, moved: bool) -> None:
    if not moved and kind in ("skewed", "narrow"):
        pytest.skip("as with other keys")
    options: dict[str, Any] = {"shards": 3, "budget": "16KiB"} if moved else {}
    left, right, left_ends, right_ends = sides(kind)
    one = dataset_of({name: left[name] for name in left}, left_ends)
    two = dataset_of({name: right[name] for name in right}, right_ends)
    for how, join in JOINS.items():
        rows, others = getattr(wp, f"{how}_join")(left["k"], right["k"])
        joined = join(one, two, on="k", **options)
        assert joined.schema().names == ["k", "row", "v_x", "other", "v_y"]
        if not len(rows):
            assert joined.count() == 0
            continue
        found = pa.concat_tables(joined.iter_batches(batch_size=None, batch_format="pyarrow"))
        partner = found["other"].combine_chunks().fill_null(2**60).to_numpy() - 2**60 - 1
        assert_same([found["row"].to_numpy(), partner], [rows, others])
        assert found["v_y"].null_count == (others < 0).sum()
        assert_same(
            [found["k"].to_numpy(), found["row"].to_numpy()], [left["k"].to_numpy()[rows], rows]
        )
    for how, join in FILTERS.items():
        rows = getattr(wp, f"{how}_join")(left["k"], right["k"])
        found = gathered(join(one, two, on="k", **options))
        assert_same(found, [left[name].to_numpy()[rows] for name in left])


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize("shards", [None, 3])
def test_joins_are_those_of_pandas(how: str, shards: int | None) -> None:
    left = pd.DataFrame({"a": np.array([-1, 2, 3, 3], np.int32), "k": [5, 6, 7, 8]})
    left["text"] = ["x", None, "z", "w"]
    right = pd.DataFrame({"k": [3, -1, 2**40, 3], "name": ["p", "q", "r", None]})
    right["real"] = [0.5, np.nan, 1, 2]
    one, two = (ray.data.from_pandas([side[:2], side[2:]]) for side in (left, right))
    joined = JOINS[how](one, two, left_on="a", right_on="k", shards=shards).to_pandas()
    expected = left.merge(right, how=how, left_on="a", right_on="k")
    assert list(joined.columns) == list(expected.columns)
    # A missing number is no NaN: pandas does not say which is which.
    joined["real"] = joined["real"].to_numpy(float, na_value=np.nan)
    order = ["k_x", "k_y", "real"]
    joined, expected = (side.sort_values(order, ignore_index=True) for side in (joined, expected))
    pd.testing.assert_frame_equal(joined, expected, check_dtype=False)


@pytest.mark.parametrize("shards", [None, 3])
def test_columns_that_are_no_numbers_keep_their_types(shards: int | None) -> None:
    lists = pa.array([[1], None, [2, 3]], pa.list_(pa.int16()))
    words = pa.array(["a", "b", None]).dictionary_encode()
    rows = ray.data.from_arrow(pa.table({"k": [1, 2, 3], "lists": lists, "words": words}))
    other = ray.data.from_arrow(pa.table({"k": [3, 2], "nulls": pa.array([None, 7], pa.uint8())}))
    joined = wpr.left_join(rows, other, on="k", shards=shards)
    assert joined.schema().types[1:] == [lists.type, words.type, pa.uint8()]
    found = sorted(joined.take_all(), key=lambda row: row["k"])
    assert [row["lists"] for row in found] == [[1], None, [2, 3]]
    assert [row["words"] for row in found] == ["a", "b", None]
    assert [row["nulls"] for row in found] == [None, 7, None]


def test_one_side_without_rows() -> None:
    full = dataset_of({"k": np.arange(6), "v": np.arange(6)}, [3])
    none = dataset_of({"k": np.arange(0), "w": np.arange(0.0)}, [])
    for shards in (None, 2):
        assert wpr.inner_join(full, none, on="k", shards=shards).count() == 0
        assert wpr.inner_join(none, full, on="k", shards=shards).count() == 0
        assert wpr.left_join(none, full, on="k", shards=shards).schema().names == ["k", "w", "v"]
        kept = wpr.left_join(full, none, on="k", shards=shards)
        assert kept.schema().names == ["k", "v", "w"]
        assert [row["w"] for row in kept.take_all()] == [None] * 6
        assert wpr.anti_join(full, none, on="k", shards=shards).count() == 6
        assert wpr.semi_join(full, none, on="k", shards=shards).count() == 0


def test_datasets_that_are_not_computed_yet() -> None:
    lazy = ray.data.range(100, override_num_blocks=4).map_batches(lambda b: {"k": b["id"] % 7})
    counts = gathered(wpr.value_counts(lazy, "k", budget="1MiB"))
    assert_same(counts, wp.value_counts(np.arange(100) % 7))
    none = ray.data.range(100, override_num_blocks=4).filter(lambda row: row["id"] > 100)
    assert wpr.unique(none, "id").schema().names == ["id"]
    assert wpr.unique(none, "id").count() == 0
    assert wpr.semi_join(lazy, lazy.limit(2), on="k").count() == 30


def test_the_callers_way_to_move_rows_stays() -> None:
    context = ray.data.DataContext.get_current()
    strategy = context.shuffle_strategy
    rows = dataset_of({"k": np.arange(9) % 4}, [3])
    assert wpr.unique(rows, "k").count() == 4
    assert context.shuffle_strategy == rows.context.shuffle_strategy == strategy


def shard_of(table: Any, **_: Any) -> Any:
    """Give the number of a shard and how many rows it has."""
    return table.group_by(SHARD).aggregate([([], "count_all")])


def test_a_budget_decides_how_many_shards_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_groups, "_results", shard_of)
    rows = dataset_of({"k": np.arange(10_000)}, [5000])
    limit = _owner.rows_of("64KiB", 8)
    assert limit
    for options, expected in (
        ({}, 2),
        ({"budget": "64KiB"}, _owner.shards_for(10_000, limit)),
        ({"budget": "64KiB", "shards": 3}, 3),
    ):
        sizes = gathered(wpr.unique(rows, "k", **options))
        assert sorted(sizes[SHARD]) == list(range(expected))
        assert sizes["count_all"].sum() == 10_000
        assert "shards" in options or not options or sizes["count_all"].max() <= limit


def test_small_blocks_of_results_divide_no_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray.data.DataContext.get_current(), "target_max_block_size", 1000)
    keys = np.random.default_rng(4).integers(0, 300, 1500)
    lazy = ray.data.from_arrow(table_of({"k": keys})).map_batches(lambda block: block)
    assert_same(gathered(wpr.value_counts(lazy, "k", shards=2)), wp.value_counts(keys))
    found = wpr.semi_join(lazy, lazy.limit(700), on="k", shards=2)
    assert found.count() == len(wp.semi_join(keys, keys[:700]))


def mortal_results(table: Any, marker: str, **arguments: Any) -> Any:
    """Give the results of a shard, but end the process once."""
    kill_once(marker)
    return _ray_groups._results(table, **arguments)


@pytest.mark.parametrize("moment", ["before the rows move", "after they moved"])
def test_a_killed_worker_changes_no_result(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "killed"
    keys = np.random.default_rng(6).integers(0, 1000, 4000)
    rows = dataset_of({"k": keys, "v": np.arange(4000)}, [1000, 2000, 3000])
    # A first block is computed before, for the types of columns: not that one is to end.
    armed = tmp_path / "armed"
    if moment == "before the rows move":
        files = {"armed": str(armed), "marker": str(marker)}
        rows = rows.map_batches(mortal, batch_size=None, fn_kwargs=files)
    else:
        step = functools.partial(mortal_results, marker=str(marker))
        monkeypatch.setattr(_ray_groups, "_results", step)
    lazy = wpr.group_by(rows, "k", shards=6).sum("v")
    armed.touch()
    sums = gathered(lazy)
    killed = int(marker.read_text())
    assert killed != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(killed, 0)
    assert_same(sums, wp.group_by(keys).sum(np.arange(4000)))


def test_only_tasks_need_a_device_and_get_what_they_are_given() -> None:
    rows = dataset_of({"k": np.arange(4)}, [2])
    # No machine has so many GPUs, nor has this one the library for it: a worker finds out.
    for call in (
        lambda: wpr.unique(rows, "k", device="cuda:99"),
        lambda: wpr.inner_join(rows, rows, on="k", device="cuda:99"),
        lambda: wpr.semi_join(rows, rows, on="k", device="cuda:99", shards=2),
    ):
        with pytest.raises(ray.exceptions.RayTaskError, match="cuda:99"):
            call().materialize()
    with pytest.raises(ValueError, match="nonsense"):
        wpr.unique(rows, "k", ray_remote_args={"nonsense": 1}).materialize()
    assert wpr.unique(rows, "k", ray_remote_args={"num_cpus": 2}).count() == 4


def test_bad_arguments_are_found_before_anything_runs() -> None:
    rows = ray.data.from_pandas(pd.DataFrame({"k": [1, 2], "s": ["a", "b"], "f": [0.5, 1]}))
    with pytest.raises(TypeError, match="a Dataset of"):
        wpr.unique(np.arange(3), "k")
    with pytest.raises(TypeError, match="a Dataset of"):
        wpr.inner_join(rows, pd.DataFrame({"k": [1]}), on="k")
    with pytest.raises(TypeError, match="keys of type string are not possible"):
        wpr.unique(rows, "s")
    with pytest.raises(TypeError, match="values of type string are not possible"):
        wpr.group_by(rows, "k").sum("s")
    with pytest.raises(KeyError, match="'x' is not one column"):
        wpr.group_by(rows, "k").sum("x")
    with pytest.raises(KeyError, match="'k' is not one column"):
        wpr.unique(ray.data.from_items([]), "k")
    with pytest.raises(ValueError, match="is named"):
        wpr.value_counts(rows.rename_columns({"k": "count()"}).materialize(), "count()")
    with pytest.raises(ValueError, match="budget"):
        wpr.unique(rows, "k", budget="few")
    with pytest.raises(ValueError, match="device"):
        wpr.unique(rows, "k", device="gpu")
    with pytest.raises(ValueError, match="0 shards"):
        wpr.unique(rows, "k", shards=0)
    with pytest.raises(TypeError, match="cannot be compared"):
        wpr.inner_join(rows, rows, left_on="k", right_on="f")
    with pytest.raises(TypeError, match="no column of keys"):
        wpr.inner_join(rows, rows, left_on="k")
    with pytest.raises(TypeError, match="on is for"):
        wpr.inner_join(rows, rows, on="k", left_on="k")
    with pytest.raises(ValueError, match="there is a column warpproof_shard"):
        wpr.inner_join(rows.rename_columns({"s": "warpproof_shard"}), rows, on="k")


@pytest.mark.parametrize("what", ["keys", "values"])
def test_missing_numbers_are_refused(what: str) -> None:
    table = pa.table({"keys": [1, 2], "values": [1, 2]})
    other = pa.table({"keys": [1, 3], "values": [4, 3], what: pa.array([None, 1], pa.int64())})
    groups = wpr.group_by(ray.data.from_arrow([table, other]), "keys")
    with pytest.raises(ray.exceptions.RayTaskError, match=f"{what} have 1 nulls"):
        groups.sum("values").materialize()


@pytest.mark.parametrize("module", [wpr, _ray_groups, _ray_joins])
def test_examples_run(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_without_ray_the_message_says_what_to_install() -> None:
    code = "import sys; sys.modules['ray'] = None; import warpproof; import warpproof.ray"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert said.returncode == 1
    assert "ImportError: warpproof.ray needs Ray: install it with pip" in said.stderr
