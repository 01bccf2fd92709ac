"""What runs inside a worker for an engine: a partition to rows with shards, and a shard to results.

Between the two the engine moves each row to the partition that is its shard. Rows travel as frames
of pandas. Keys travel as signed numbers with their bits, so that no engine changes a NaN, and so do
states that are floating-point numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ._arrays import given
from ._owner import Array, owner
from ._partial import Fold, Rows, signed
from ._placed import Place

#: The columns of frames that travel.
SHARD, KEY = "warpproof_shard", "warpproof_key"


def partial(
    keys: Any, values: Any = None, *, fold: Fold, limit: int | None, place: Place, shards: int
) -> pd.DataFrame:
    """Combine equal keys of a partition, and say which shard each has."""
    host = None if values is None else given(values, "values").host().array
    rows = fold.partial(given(keys, "keys").host().array, host, limit, place)
    columns = {SHARD: shard_of(rows.bits, shards), KEY: rows.bits}
    columns.update({f"state{n}": _bits(state) for n, state in enumerate(rows.states)})
    return pd.DataFrame(columns)


def folded(
    frame: pd.DataFrame, fold: Fold, limit: int | None, place: Place, ordered: bool
) -> tuple[Array, Array | None]:
    """Return the keys and results of a shard; ordered by the bits of the keys, if asked to."""
    states = tuple(frame[f"state{n}"].to_numpy().view(dtype) for n, dtype in enumerate(fold.states))
    rows = fold.whole(Rows(frame[KEY].to_numpy(), states), limit, place)
    if ordered:
        rows = rows.take(np.argsort(rows.bits, kind="stable"))
    return fold.finish(rows)


def as_series(
    frame: pd.DataFrame, fold: Fold, limit: int | None, place: Place, names: tuple[Any, Any]
) -> pd.Series[Any]:
    """Return the results of a shard as a series: keys alone, or results indexed by keys."""
    keys, results = folded(frame, fold, limit, place, False)
    if results is None:
        return pd.Series(keys, name=names[0])
    return pd.Series(results, index=pd.Index(keys, name=names[0]), name=names[1])


def as_columns(frame: pd.DataFrame, fold: Fold, limit: int | None, place: Place) -> pd.DataFrame:
    """Return the results of a shard as columns in a fixed order, which can be taken apart."""
    keys, results = folded(frame, fold, limit, place, True)
    return pd.DataFrame({"keys": keys} if results is None else {"keys": keys, "results": results})


def shard_of(bits: Array, shards: int) -> Array:
    """Return the shard of each key as a column that travels: no larger than it must be."""
    return owner(bits, shards).astype(np.int32)


def _bits(state: Array) -> Array:
    return signed(state) if state.dtype.kind == "f" else state
