"""Collections of Dask: what they are of, their partitions, and the move of rows to their shards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import delayed

from . import _options
from ._arrays import wide_enough
from ._stages import SHARD


@dataclass(frozen=True)
class Options(_options.Options):
    """What all functions take."""

    shuffle_method: str | None

    def moved(self, frame: Any, shards: int) -> Any:
        """Return a frame whose partition of a number has the rows of that shard."""
        # With the divisions given, Dask computes nothing, and a row of shard n goes to partition n.
        return frame.set_index(
            SHARD, divisions=list(range(shards + 1)), shuffle_method=self.shuffle_method
        )


def is_array(collection: Any) -> bool:
    """Say whether a collection is an array."""
    return isinstance(collection, da.Array)


def keys_type(collection: Any, what: str) -> np.dtype[Any]:
    """Return the type of the numbers of a column or an array, or raise an error."""
    if isinstance(collection, da.Array):
        if collection.ndim != 1:
            raise ValueError(f"{what} have {collection.ndim} dimensions; one is possible")
    elif not isinstance(collection, dd.Series):
        raise TypeError(
            f"{what} are of type {type(collection).__name__}; columns of dask.dataframe and"
            " arrays of dask.array are possible"
        )
    return number_type(collection.dtype, what)


def number_type(dtype: Any, what: str) -> np.dtype[Any]:
    """Return the type of a column if it is one of NumPy's numbers, or raise TypeError."""
    if not isinstance(dtype, np.dtype):
        raise TypeError(f"{what} of type {dtype} are not possible: numbers of NumPy are")
    wide_enough(dtype)
    return dtype


def rows_in(collection: Any) -> int:
    """Count the rows, without computing anything if Dask knows them."""
    if not is_array(collection):
        return len(collection)
    rows = collection.shape[0]
    return len(dd.from_dask_array(collection)) if math.isnan(rows) else int(rows)


def mapped(step: Any, collections: list[Any], arguments: dict[str, Any], meta: Any) -> Any:
    """Return what a step makes of the partitions of columns or arrays, side by side."""
    if len({collection.npartitions for collection in collections}) != 1:
        raise ValueError("keys and values have different partitions")
    if len({is_array(collection) for collection in collections}) != 1:
        raise TypeError("keys and values are a column and an array; two of a kind are possible")
    if not is_array(collections[0]):
        return of_partitions(step, collections, arguments, meta)
    return of_partitions(step, _columns(collections), arguments, meta)


def _columns(arrays: list[Any]) -> list[Any]:
    """Return arrays as columns of one frame, so that what they share is computed once."""
    if len(arrays) == 1:
        return [dd.from_dask_array(arrays[0])]
    dtype = np.dtype([(f"{number}", array.dtype) for number, array in enumerate(arrays)])
    sides = [part for array in arrays for part in (array, "i")]
    records = da.blockwise(_records, "i", *sides, types=dtype, dtype=dtype, align_arrays=False)
    frame = dd.from_dask_array(records)
    return [frame[name] for name in frame.columns]


def _records(*arrays: Any, types: Any) -> Any:
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) != 1:
        raise ValueError(f"there are {lengths[0]} keys and {lengths[1]} values")
    records = np.empty(lengths[0], types)
    for name, array in zip(types.names, arrays, strict=True):
        records[name] = array
    return records


def of_partitions(step: Any, frames: list[Any], arguments: dict[str, Any], meta: Any) -> Any:
    """Return what a step makes of the partitions of frames, side by side."""
    return dd.map_partitions(
        step, *frames, **arguments, meta=meta, align_dataframes=False, clear_divisions=True
    )


def arrays(frame: Any) -> tuple[Any, ...]:
    """Return the columns of a frame as arrays, which are computed once together."""
    # Not `to_dask_array`: each column would get a graph of its own, with a shuffle of its own.
    parts = frame.to_delayed()
    columns = []
    for name, dtype in frame.dtypes.items():
        blocks = [delayed(_column)(part, name) for part in parts]
        pieces = [da.from_delayed(one, shape=(math.nan,), dtype=dtype) for one in blocks]
        columns.append(da.concatenate(pieces, allow_unknown_chunksizes=True))
    return tuple(columns)


def _column(frame: Any, name: str) -> Any:
    return frame[name].to_numpy()
