"""Collections of Dask for the tests; workers import this file, too."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

import warpproof.dask as wpd


def frame_of(columns: dict[str, np.ndarray[Any, Any]], ends: list[int]) -> Any:
    """Make a frame whose partitions end at some rows."""
    whole = pd.DataFrame(columns)
    starts, last = [0, *ends], [*ends, len(whole)]
    parts = [whole.iloc[start:end] for start, end in zip(starts, last, strict=True)]
    return dd.from_map(taken, range(len(parts)), parts=parts, meta=whole.iloc[:0])


def taken(number: int, parts: list[Any]) -> Any:
    """Return one of some parts."""
    return parts[number]


def array_of(array: np.ndarray[Any, Any], ends: list[int]) -> Any:
    """Make an array whose chunks end at some rows."""
    chunks = np.diff([0, *ends, len(array)])
    return da.from_array(array, chunks=(tuple(int(rows) for rows in chunks),))


def odd_floats(rows: int) -> np.ndarray[Any, Any]:
    """Make keys of which some are only equal by their numbers, or only by their bits."""
    others = np.array([0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000], np.uint64).view(np.float64)
    pool = np.array([0.0, -0.0, np.nan, *others, np.inf, -1.5])
    return pool[np.random.default_rng(5).integers(0, len(pool), rows)]


def same_owner(rows: int) -> np.ndarray[Any, Any]:
    """Make keys that are all of one shard."""
    keys = np.arange(-rows * 4, rows * 4)
    return keys[wpd.owner(keys, 4) == 2][:rows]


RNG = np.random.default_rng(1)
#: Keys, and where their partitions end.
KEYS: dict[str, tuple[np.ndarray[Any, Any], list[int]]] = {
    "random": (RNG.integers(-(2**63), 2**63 - 1, 6000), [1000, 3000, 4500]),
    "one key": (np.full(5000, -3), [1000, 3000, 4500]),
    "one partition": (RNG.integers(-100, 100, 3000), []),
    "empty partitions": (RNG.integers(-100, 100, 3000), [0, 0, 2000, 2000, 3000]),
    "no rows": (np.empty(0, np.int64), [0, 0]),
    "floats": (odd_floats(4000), [100, 300]),
    "skewed": (RNG.zipf(1.3, 6000).astype(np.uint64), [1500, 3000, 4500]),
    "narrow": (RNG.integers(-128, 128, 3000).astype(np.int8), [1000, 2000]),
    "one owner": (same_owner(3000), [1000, 2000, 2500]),
    "times": (RNG.integers(0, 500, 2000).astype("datetime64[ns]"), [1000]),
}


def sides(kind: str) -> tuple[pd.DataFrame, pd.DataFrame, list[int], list[int]]:
    """Make two frames with some keys in common."""
    keys, ends = KEYS[kind]
    keys = keys[:1200] if kind != "one key" else keys[:100]
    ends = sorted({min(end, len(keys)) for end in ends})
    rng = np.random.default_rng(3)
    other = rng.permutation(np.concatenate([keys[::4], keys[:50] + keys.dtype.type(1)]))
    left = pd.DataFrame({"k": keys, "row": np.arange(len(keys)), "v": 1})
    left["name"] = [f"row {row}" for row in range(len(keys))]
    # Numbers that floating-point ones of 64 bits do not have.
    right = pd.DataFrame({"k": other, "other": np.arange(len(other)) + 2**60 + 1, "v": True})
    return left, right, ends, [len(other) // 2]


def framed(frame: pd.DataFrame, ends: list[int]) -> Any:
    """Make a collection of a frame."""
    return frame_of({name: frame[name] for name in frame.columns}, ends)


def made(number: int, rows: int) -> pd.DataFrame:
    """Make a partition of distinct keys in a worker."""
    keys = np.arange(number * rows, (number + 1) * rows) * 0x9E3779B97F4A7C1
    return pd.DataFrame({"k": keys, "v": keys})


def length_of(part: Any) -> Any:
    """Return the length of a partition."""
    return pd.Series([len(part)])
