"""What the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpproof as wp

DTYPES = ["int32", "uint32", "float32", "int64", "uint64", "float64"]


def no_gpu() -> bool:
    """Say whether the tests on a GPU are skipped."""
    return wp.devices() == ["cpu"]


def random_keys(dtype: str, rows: int, distinct: int, seed: int = 1) -> np.ndarray[Any, Any]:
    """Make random keys of all bits, but no NaN and no zero of a floating-point type."""
    rng = np.random.default_rng(seed)
    # With so many distinct keys, each row has one of its own.
    pool = rng.integers(1, 2**63, max(min(distinct, rows), 1), dtype=np.uint64)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        pool_of = (pool.astype(np.float64) - 2**62).astype(kind)
    else:
        pool_of = pool.astype(f"uint{kind.itemsize * 8}").view(kind)
    return pool_of if distinct >= rows > 0 else pool_of[rng.integers(0, len(pool_of), rows)]


@pytest.fixture(params=DTYPES)
def dtype(request: pytest.FixtureRequest) -> str:
    """Give each type of keys."""
    name: str = request.param
    return name
