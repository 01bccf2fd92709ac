"""What workers do with shards, without an engine: owners, groups and joins within a budget."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import warpproof as wp
from warpproof import _pairs, _partial, _placed
from warpproof._owner import divided, owner, rows_of, shards_for
from warpproof._pairs import pairs
from warpproof._partial import Fold
from warpproof._placed import Place

CPU = Place("cpu")
BITS = (1 << 64) - 1
PATTERNS = {
    "consecutive": np.arange(1 << 16),
    "high bits": np.arange(1 << 16) << 48,
    "multiples": np.arange(1 << 16) * 1024,
    "negative": -np.arange(1 << 16),
    "golden": np.arange(1 << 16, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15),
    "floats": np.arange(1 << 16).astype(np.float64),
    "random": np.random.default_rng(1).integers(0, 2**63, 1 << 16),
}


def table_hash(key: int, seed: int) -> int:
    """Hash a key of 64 bits as tables do: see model/src/hash.rs."""
    spread = (seed + 0x9E3779B97F4A7C15) & BITS
    spread = (spread ^ spread >> 30) * 0xBF58476D1CE4E5B9 & BITS
    spread = (spread ^ spread >> 27) * 0x94D049BB133111EB & BITS
    product = (key ^ seed) * ((spread ^ spread >> 31) | 1)
    folded = (product ^ product >> 64) & BITS
    folded = (folded ^ folded >> 32) * 0x243F6A8885A308D3 & BITS
    return folded ^ folded >> 32


def unevenness(places: np.ndarray[Any, Any], homes: int) -> float:
    """Return by how many standard deviations chi-square is above its mean."""
    counts = np.bincount(places, minlength=homes)
    mean = len(places) / homes
    chi = float(((counts - mean) ** 2 / mean).sum())
    return (chi - (homes - 1)) / (2 * (homes - 1)) ** 0.5


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("shards", [2, 3, 64])
def test_shards_are_even(pattern: str, shards: int) -> None:
    assert unevenness(owner(PATTERNS[pattern], shards), shards) < 6


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", [0, 1, 0x0123456789ABCDEF])
def test_keys_of_a_shard_are_even_in_tables_and_in_pieces(pattern: str, seed: int) -> None:
    keys = PATTERNS[pattern].view(np.uint64)
    for shard in (0, 7):
        mine = keys[owner(keys, 8) == shard]
        homes = np.array([table_hash(int(key), seed) * 64 >> 64 for key in mine])
        assert unevenness(homes, 64) < 6
        pieces = np.array([len(rows) for rows in divided(mine, 16, 0)])
        assert unevenness(np.repeat(np.arange(16), pieces), 16) < 6


def test_the_check_of_evenness_can_fail() -> None:
    keys = PATTERNS["random"]
    mine = keys[owner(keys, 8) == 0]
    # Their owners in twice as many shards are the first two: what a table with this hash would see.
    assert unevenness(owner(mine, 64), 64) > 100


def test_owners_stay_the_same() -> None:
    # Shards that were written by an older version are found again.
    assert owner(np.arange(9), 1000).tolist() == [297, 197, 78, 69, 905, 533, 269, 261, 274]
    assert owner(np.array([-1.5, 0.0, -0.0]), 1000).tolist() != [0, 0, 0]
    many = np.arange(200_000)
    np.testing.assert_array_equal(owner(many, 77)[150_000:], owner(many[150_000:], 77))
    with pytest.raises(ValueError, match="0 shards"):
        owner(many, 0)


def test_budgets() -> None:
    assert rows_of(None, 8) is None
    assert rows_of("1MiB", 16) == (1 << 20) // 96
    for wrong in (0, "100B", "much"):
        with pytest.raises(ValueError, match="budget"):
            rows_of(wrong, 8)
    assert shards_for(0, 100) == 1
    # Keys that are evenly spread fit.
    rows, limit = 1_000_000, 4096
    sizes = np.bincount(owner(np.arange(rows), shards_for(rows, limit)))
    assert sizes.max() <= limit < 2 * sizes.max()


def hostile(rows: int = 20_000) -> dict[str, np.ndarray[Any, Any]]:
    """Make keys that are hard to divide."""
    all_keys = np.arange(-50 * rows, 50 * rows)
    return {
        "random": np.random.default_rng(1).integers(-(2**62), 2**62, rows),
        "one": np.full(rows, -7),
        "skewed": np.random.default_rng(2).zipf(1.2, rows),
        "one shard, and one piece of it": all_keys[
            (owner(all_keys, 8) == 0) & (owner(all_keys, 8, seed=1) == 0)
        ],
        "none": np.empty(0, np.int64),
    }


@pytest.mark.parametrize("kind", hostile())
@pytest.mark.parametrize("limit", [None, 64, 1000])
def test_groups_within_a_limit(
    kind: str, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = hostile()[kind]
    values = np.random.default_rng(3).integers(-100, 100, len(keys))
    largest = 0
    plain = Fold.combined

    def combined(self: Fold, rows: _partial.Rows, place: Place) -> _partial.Rows:
        nonlocal largest
        largest = max(largest, len(rows))
        return plain(self, rows, place)

    monkeypatch.setattr(Fold, "combined", combined)
    for how in ("unique", "count", "sum", "min", "max", "mean"):
        given = None if how in ("unique", "count") else values
        fold = Fold(how, keys.dtype, None if given is None else values.dtype)
        groups = wp.group_by(keys)
        answer = groups.count() if given is None else getattr(groups, how)(given)
        expected = np.argsort(answer[0])
        # Rows that were combined before, as after a shuffle, and rows that were not.
        for rows in (fold.partial(keys, given, limit, CPU), fold.rows(keys, given)):
            found, results = fold.finish(fold.whole(rows, limit, CPU))
            order = np.argsort(found)
            np.testing.assert_array_equal(found[order], answer[0][expected])
            if results is not None:
                np.testing.assert_array_equal(results[order], answer[1][expected])
    assert largest <= (limit or len(keys))
    assert largest or not len(keys)


@pytest.mark.parametrize("kind", hostile())
@pytest.mark.parametrize("limit", [None, 64, 1000])
def test_joins_within_a_limit(
    kind: str, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    left, other = hostile(1000)[kind], hostile(600)[kind]
    right = rng.permutation(np.concatenate([left[::3], other[: len(other) // 2]]))
    # A key of many rows that only the left side has.
    left = np.concatenate([left, np.full(2000, 2**40)])
    largest = 0
    plain = _pairs._Join._call

    def call(self: Any, one: Any, two: Any, how: str) -> Any:
        nonlocal largest
        largest = max(largest, len(one) + len(two))
        return plain(self, one, two, how)

    monkeypatch.setattr(_pairs._Join, "_call", call)
    for how in ("inner", "left", "semi", "anti"):
        rows, others = pairs(left, right, how, limit, CPU)
        expected = getattr(wp, f"{how}_join")(left, right)
        if others is None:
            np.testing.assert_array_equal(np.sort(rows), expected)
        else:
            order = np.lexsort((others, rows))
            np.testing.assert_array_equal(rows[order], expected[0])
            np.testing.assert_array_equal(others[order], expected[1])
    assert largest <= (limit or len(left) + len(right))


def test_a_worker_without_a_gpu_or_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.arange(6)[::2]
    assert Place("cpu").put(rows).tolist() == [0, 2, 4]
    # A GPU, and neither CuPy nor torch.
    monkeypatch.setattr(_placed, "chosen", lambda _: 0)
    monkeypatch.setattr(_placed, "_library", lambda: None)
    assert Place("auto").put(rows).tolist() == [0, 2, 4]
    with pytest.raises(ImportError, match="'cuda:0' needs CuPy or torch"):
        Place("cuda:0").put(rows)


PEAK = """
import sys
import numpy as np, pandas as pd
from warpproof._join_stages import JoinPlan, joined
from warpproof._owner import rows_of, shards_for
from warpproof._partial import Fold
from warpproof._placed import Place
from warpproof._stages import KEY, SHARD, as_series

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) << 10

what, budget, divided = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "divided"
number = np.dtype("int64")
fold, plan = Fold("sum", number, number), JoinPlan("inner", "k", "k", *3 * [number])
limit = rows_of(budget, fold.width)
rows = 1_000_000 // (shards_for(1_000_000, limit) if divided else 1)

def run(keys):
    before = status("VmRSS")
    open("/proc/self/clear_refs", "w").write("5")
    if what == "sum":
        shard = pd.DataFrame({SHARD: 0, KEY: keys, "state0": keys}).set_index(SHARD)
        result = as_series(shard, fold, limit, Place("cpu"), ("k", "v"))
    else:
        half = keys[: len(keys) // 2]
        sides = [pd.DataFrame({SHARD: 0, "k": half, v: half}).set_index(SHARD) for v in "vw"]
        result = joined(*sides, plan, limit, Place("cpu"))
    return status("VmHWM") - before

keys = np.random.default_rng(1).integers(-(2**62), 2**62, rows)
run(keys[:1000])  # so that threads and libraries are there
print(run(keys))
"""


def peak(what: str, budget: int, division: str) -> int:
    """Return the bytes that a new process takes for a shard."""
    arguments = [sys.executable, "-c", PEAK, what, str(budget), division]
    said = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    return int(said.stdout)


@pytest.mark.parametrize("what", ["sum", "join"])
def test_a_task_takes_no_more_than_the_budget(what: str) -> None:
    budget = 8 << 20
    assert 0 < peak(what, budget, "divided") <= budget
    # All rows in one shard take more, so that this test can fail.
    assert peak(what, budget, "whole") > 2 * budget
