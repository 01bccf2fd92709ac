"""Tables and functions on a GPU, with arrays of every library, beside the CPU's answers."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DTYPES, no_gpu, random_keys

import warpproof as wp
from warpproof._pairs import pairs
from warpproof._partial import Fold
from warpproof._placed import Place

pytestmark = pytest.mark.skipif(no_gpu(), reason="skipped: no CUDA device")

SHAPES = [
    (0, 1),
    (1, 1),
    (1000, 1),
    (1000, 1000),
    (300_000, 40),
    (300_000, 10**9),
    (3_000_000, 10**6),
    # Keys that repeat, many of which begin late.
    (3_000_000, 500_000),
]


class Torch:
    """Moves arrays to tensors on the GPU and back."""

    def __init__(self) -> None:
        self.lib = pytest.importorskip("torch")

    def there(self, array: np.ndarray[Any, Any]) -> Any:
        return self.lib.from_numpy(array).cuda()

    def back(self, array: Any) -> np.ndarray[Any, Any]:
        assert isinstance(array, self.lib.Tensor)
        assert array.is_cuda
        host: np.ndarray[Any, Any] = array.cpu().numpy()
        return host


class Cupy:
    """Moves arrays to CuPy and back."""

    def __init__(self) -> None:
        self.lib = pytest.importorskip("cupy")

    def there(self, array: np.ndarray[Any, Any]) -> Any:
        return self.lib.asarray(array)

    def back(self, array: Any) -> np.ndarray[Any, Any]:
        assert isinstance(array, self.lib.ndarray)
        host: np.ndarray[Any, Any] = self.lib.asnumpy(array)
        return host


@pytest.fixture(params=[Torch, Cupy], ids=["torch", "cupy"])
def gpu(request: pytest.FixtureRequest) -> Any:
    """Give each library."""
    return request.param()


@pytest.mark.parametrize(("rows", "distinct"), SHAPES)
def test_columns_are_those_of_the_cpu(gpu: Any, dtype: str, rows: int, distinct: int) -> None:
    host = random_keys(dtype, rows, distinct)
    keys = gpu.there(host)
    for sort in (False, True):
        asked = {"return_index": True, "return_inverse": True, "return_counts": True}
        ours = wp.unique(keys, sorted=sort, **asked)
        for one, other in zip(ours, wp.unique(host, sorted=sort, **asked), strict=True):
            np.testing.assert_array_equal(gpu.back(one), other)
            assert gpu.back(one).dtype == other.dtype
    np.testing.assert_array_equal(np.sort(gpu.back(wp.unique(keys))), np.unique(host))
    np.testing.assert_array_equal(gpu.back(wp.unique(keys, sorted=True)), np.unique(host))
    found, counts = (gpu.back(part) for part in wp.value_counts(keys))
    order = np.argsort(found)
    expected = np.unique(host, return_counts=True)
    np.testing.assert_array_equal(found[order], expected[0])
    np.testing.assert_array_equal(counts[order], expected[1])
    falling = gpu.back(wp.value_counts(keys, sort=True)[1])
    np.testing.assert_array_equal(falling, np.sort(expected[1])[::-1])
    others = host[::7].copy()
    said = gpu.back(wp.isin(keys, gpu.there(others)))
    np.testing.assert_array_equal(said, np.isin(host, others))
    inverted = gpu.back(wp.isin(keys, gpu.there(others), invert=True))
    np.testing.assert_array_equal(inverted, ~said)


@pytest.mark.parametrize("others", ["few rows", "few keys", "many keys", "no row"])
def test_rows_are_found_among_others_of_every_kind(gpu: Any, dtype: str, others: str) -> None:
    """Few keys have an index in shared memory, and many that are mostly absent a filter."""
    host = random_keys(dtype, 4_500_000, 10**8)
    kinds = {"few rows": 200, "few keys": 1_100_000, "many keys": 4_500_000, "no row": 0}
    sought = np.resize(host[:100], kinds[others]) if others != "many keys" else host[::-1].copy()
    if others == "many keys":
        sought[: len(sought) // 8 * 7] = random_keys(dtype, len(sought) // 8 * 7, 10**8, seed=5)
    there = np.isin(host, sought)
    keys, there_also = gpu.there(host), gpu.there(sought)
    np.testing.assert_array_equal(gpu.back(wp.isin(keys, there_also)), there)
    np.testing.assert_array_equal(gpu.back(wp.semi_join(keys, there_also)), np.flatnonzero(there))
    np.testing.assert_array_equal(gpu.back(wp.anti_join(keys, there_also)), np.flatnonzero(~there))


@pytest.mark.parametrize("values", DTYPES)
@pytest.mark.parametrize(("rows", "distinct"), [(0, 1), (5000, 30), (300_000, 100_000)])
def test_folds_are_those_of_the_cpu(gpu: Any, values: str, rows: int, distinct: int) -> None:
    host = random_keys("int64", rows, distinct)
    column = random_keys(values, rows, rows, seed=3)
    if column.dtype.kind == "f":
        column = np.floor(column / column.dtype.type(2.0**45))
        column[: rows // 1000] = np.nan
    ours, theirs = wp.group_by(gpu.there(host)), wp.group_by(host)
    for how in ("sum", "min", "max", "mean"):
        found, result = getattr(ours, how)(gpu.there(column))
        expected_keys, expected = getattr(theirs, how)(column)
        np.testing.assert_array_equal(gpu.back(found), expected_keys)
        assert gpu.back(result).dtype == expected.dtype
        np.testing.assert_allclose(gpu.back(result), expected, rtol=1e-6)
    np.testing.assert_array_equal(gpu.back(ours.count()[1]), theirs.count()[1])
    loose = wp.group_by(gpu.there(host), ordered=False)
    for how in ("sum", "mean", "count"):
        given = () if how == "count" else (column,)
        there = [gpu.there(values) for values in given]
        found, result = (gpu.back(part) for part in getattr(loose, how)(*there))
        expected_keys, expected = getattr(theirs, how)(*given)
        assert result.dtype == expected.dtype
        order, other = np.argsort(found), np.argsort(expected_keys)
        np.testing.assert_array_equal(found[order], expected_keys[other])
        np.testing.assert_allclose(result[order], expected[other], rtol=1e-6)


@pytest.mark.parametrize(
    ("left", "right", "distinct"),
    [(0, 0, 1), (0, 10, 5), (10, 0, 5), (1000, 1000, 10), (50_000, 40_000, 60_000)],
)
def test_joins_are_those_of_the_cpu(
    gpu: Any, dtype: str, left: int, right: int, distinct: int
) -> None:
    one, other = (
        random_keys(dtype, left, distinct),
        random_keys(dtype, right, distinct)[::-1].copy(),
    )
    there = gpu.there(one), gpu.there(other)
    for join in (wp.inner_join, wp.left_join):
        for ours, theirs in zip(join(*there), join(one, other), strict=True):
            np.testing.assert_array_equal(gpu.back(ours), theirs)
    for half in (wp.semi_join, wp.anti_join):
        np.testing.assert_array_equal(gpu.back(half(*there)), half(one, other))


@pytest.mark.parametrize("value", DTYPES)
@pytest.mark.parametrize("kind", ["Map", "PagedMap"])
def test_a_map_is_that_of_the_cpu(gpu: Any, dtype: str, value: str, kind: str) -> None:
    if kind == "Map":
        table = wp.Map(dtype, value, device="cuda:0")
    else:
        table = wp.PagedMap(dtype, value, capacity=200_000, budget="64MiB", device="cuda:0")
    keys = np.unique(random_keys(dtype, 60_000, 10**9))
    values = random_keys(value, len(keys), 10**9, seed=2)
    there, worth = gpu.there(keys), gpu.there(values)
    assert gpu.back(table.insert_unique(there, worth)).all()
    assert not gpu.back(table.insert_unique(there, worth)).any()
    np.testing.assert_array_equal(gpu.back(table.get(there)), values)
    # Arrays in host memory are copied.
    np.testing.assert_array_equal(table.get(keys), values)
    found, known = table.search(there)
    assert gpu.back(known).all()
    assert gpu.back(found).dtype == np.dtype(value)
    np.testing.assert_array_equal(gpu.back(found), values)
    assert not gpu.back(table.insert_or_assign(there, gpu.there(values[::-1].copy()))).any()
    np.testing.assert_array_equal(gpu.back(table[there]), values[::-1])
    assert gpu.back(table.delete(gpu.there(keys[::2].copy()))).all()
    np.testing.assert_array_equal(gpu.back(table.contains(there)), np.arange(len(keys)) % 2 == 1)
    got, worth = table.items()
    order = np.argsort(got)
    np.testing.assert_array_equal(got[order], keys[1::2])
    np.testing.assert_array_equal(worth[order], values[::-1][1::2])
    table.clear()
    assert len(table) == 0
    table[there] = np.dtype(value).type(3)
    assert (gpu.back(table.get(there)) == 3).all()


def test_counters_sets_and_multimaps(gpu: Any, dtype: str) -> None:
    host = random_keys(dtype, 300_000, 5000)
    keys = gpu.there(host)
    counts = wp.Counter(dtype, device="cuda:0")
    counts.add(keys)
    counts.add(keys)
    distinct, expected = np.unique(host, return_counts=True)
    np.testing.assert_array_equal(gpu.back(counts.get(gpu.there(distinct))), 2 * expected)
    amounts = np.arange(len(host)).astype(counts.value_dtype)
    counts.add(keys, gpu.there(amounts))
    counts.add(keys, amounts)
    counts.add(keys, 3)
    with pytest.raises(OverflowError):
        counts.add(keys, 2**70)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, np.searchsorted(distinct, host), 2 * amounts.astype(np.int64))
    sums = (sums + 5 * expected).astype(counts.value_dtype)
    np.testing.assert_array_equal(gpu.back(counts.get(gpu.there(distinct))), sums)
    seen = wp.Set(dtype, device="cuda:0")
    assert int(gpu.back(seen.add(keys)).sum()) == len(distinct) == len(seen)
    assert gpu.back(seen.contains(keys)).all()
    np.testing.assert_array_equal(np.sort(seen.keys()), distinct)
    many = wp.MultiMap(dtype, "int64", device="cuda:0")
    many.insert(keys[:1000], gpu.there(np.arange(1000)))
    offsets, values = many.search_all(keys[:1000])
    sizes = np.diff(gpu.back(offsets))
    np.testing.assert_array_equal(gpu.back(many.count(keys[:1000])), sizes)
    assert len(gpu.back(values)) == sizes.sum()


def test_outputs_are_written_in_place(gpu: Any) -> None:
    table = wp.Map(device="cuda:0")
    keys = gpu.there(np.arange(1000))
    table[keys] = keys
    out = gpu.there(np.zeros(1000, np.int64))
    assert table.get(keys, out=out) is out
    np.testing.assert_array_equal(gpu.back(out), np.arange(1000))
    with pytest.raises(ValueError, match="contiguous"):
        table.get(keys, out=gpu.there(np.zeros(2000, np.int64))[::2])
    with pytest.raises(ValueError, match="place"):
        table.get(keys, out=np.zeros(1000, np.int64))


def test_views_that_are_not_contiguous(gpu: Any) -> None:
    host = np.arange(4000).reshape(40, 100)
    keys = gpu.there(host)
    table = wp.Map(device="cuda:0")
    table[keys] = keys
    for view, same in ((keys.T, host.T), (keys[::3, 1::7], host[::3, 1::7])):
        np.testing.assert_array_equal(gpu.back(table.get(view)), same)


def test_streams_of_the_caller() -> None:
    torch = pytest.importorskip("torch")
    table = wp.Map(device="cuda:0")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for round in range(20):
            # Work that is not done when the call is queued.
            keys = torch.arange(2_000_000, device="cuda") * 3 + round
            busy = torch.randn(3000, 3000, device="cuda")
            for _ in range(5):
                busy = busy @ busy
            keys = keys + (busy[0, 0] * 0).nan_to_num(0).to(torch.int64)
            table.insert_or_assign(keys, keys * 2)
            again = table.get(keys)
            del keys
            total = again.sum()
    stream.synchronize()
    assert int(total) == sum(2 * (3 * i + 19) for i in range(2_000_000))


def test_threads_with_streams_of_their_own() -> None:
    torch = pytest.importorskip("torch")
    table = wp.Map(device="cuda:0")
    wrong: list[int] = []

    def work(number: int) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            keys = torch.arange(number, 4_000_000, 4, device="cuda")
            table.insert_unique(keys, keys + 1)
            if not bool((table.get(keys) == keys + 1).all()):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(table) == 4_000_000


def test_arrays_of_jax() -> None:
    jax = pytest.importorskip("jax")
    if jax.devices()[0].platform != "gpu":
        pytest.skip("skipped: JAX has no GPU")
    keys = jax.numpy.asarray(np.array([30, 10, 30, 20], np.int32))
    found, inverse = wp.unique(keys, return_inverse=True)
    assert isinstance(found, jax.Array)
    assert np.asarray(found).tolist() == [30, 10, 20]
    assert np.asarray(inverse).tolist() == [0, 1, 0, 2]
    table = wp.Map("int32", "int32", device="cuda:0")
    table[keys] = keys
    assert np.asarray(table.get(keys)).tolist() == [30, 10, 30, 20]
    counts = wp.Counter("int32", device="cuda:0")
    counts.add(keys, np.arange(4, dtype=np.int32))
    counts.add(keys)
    assert np.asarray(counts.get(keys)).tolist() == [4, 2, 4, 4]


def test_a_saved_map_moves_between_devices(tmp_path: Path) -> None:
    keys = random_keys("int64", 50_000, 10**9)
    table = wp.PagedMap(capacity=100_000, budget="32MiB", device="cuda:0")
    table[keys] = keys
    table.save(tmp_path / "map")
    for device in ("cpu", "cuda:0"):
        again = wp.PagedMap.open(tmp_path / "map", budget="64MiB", device=device)
        np.testing.assert_array_equal(again.get(keys), keys)


def test_bad_input(gpu: Any) -> None:
    keys = gpu.there(np.arange(10))
    with pytest.raises(ValueError, match=r"cpu.*cuda:0"):
        wp.Map(device="cpu").get(keys)
    with pytest.raises(ValueError, match="different devices"):
        wp.isin(keys, np.arange(10))
    with pytest.raises(ValueError, match="shape"):
        wp.Map(device="cuda:0").insert_unique(keys, keys[:5])
    with pytest.raises(TypeError, match="int32"):
        wp.Map("int32", device="cuda:0").get(keys)
    full = wp.PagedMap(capacity=1000, budget="64MiB", device="cuda:0")
    many = gpu.there(np.arange(400_000))
    with pytest.raises(MemoryError, match="full"):
        full.insert_unique(many, many)


def test_memory_that_is_not_there() -> None:
    with pytest.raises(MemoryError):
        wp.Map(capacity=2**33, device="cuda:0")
    table = wp.Map(device="cuda:0")
    table[1] = 2
    assert table[1] == 2


def test_the_same_ten_lines_with_torch() -> None:
    torch = pytest.importorskip("torch")
    import re

    page = (Path(__file__).parent.parent / "README.md").read_text()
    block = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    line = next(line for line in block.splitlines() if line.startswith("keys ="))
    block = block.replace(line, "keys = torch.randint(0, 1000, (1_000_000,), device='cuda')")
    exec(compile(block, "README.md", "exec"), {"torch": torch})


@pytest.mark.parametrize("values", ["int32", "int64", "uint64", "float32", "float64"])
def test_shards_are_folded_as_on_the_cpu(values: str) -> None:
    if importlib.util.find_spec("cupy") is None:
        pytest.importorskip("torch")
    keys = random_keys("int64", 100_000, 3000)
    column = random_keys(values, len(keys), len(keys), seed=3)
    if column.dtype.kind == "f":
        column = np.floor(column / column.dtype.type(2.0**45))
    for how in ("unique", "count", "sum", "min", "max", "mean"):
        given = None if how in ("unique", "count") else column
        fold = Fold(how, keys.dtype, None if given is None else column.dtype)
        for limit in (None, 20_000):
            found = []
            for place in (Place("cpu"), Place("cuda:0")):
                rows = fold.whole(fold.partial(keys, given, limit, place), limit, place)
                found.append(fold.finish(rows.take(np.argsort(rows.bits))))
            np.testing.assert_array_equal(found[0][0], found[1][0])
            if given is not None or how == "count":
                np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_shards_are_joined_as_on_the_cpu(how: str) -> None:
    if importlib.util.find_spec("cupy") is None:
        pytest.importorskip("torch")
    left, right = random_keys("int64", 30_000, 9000), random_keys("int64", 20_000, 12_000)
    for limit in (None, 5000):
        found = []
        for place in (Place("cpu"), Place("cuda:0")):
            rows, others = pairs(left, right, how, limit, place)
            order = np.argsort(rows) if others is None else np.lexsort((others, rows))
            found.append((rows[order], None if others is None else others[order]))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        if found[0][1] is not None:
            np.testing.assert_array_equal(found[0][1], found[1][1])
