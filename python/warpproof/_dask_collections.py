"""Collections of Dask: what they are of, their partitions, and the move of rows to their shards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import delayed

from ._arrays import wide_enough
from ._devices import chosen
from ._owner import rows_of, shards_for
from ._placed import Place
from ._stages import SHARD

#: Where the types of results are found out, by a step on no rows: not on a worker's device.
HERE: dict[str, Any] = {"place": Place("cpu")}


@dataclass(frozen=True)
class Options:
    """What all functions take."""

    shards: int | None
    budget: int | str | None
    device: str
    shuffle_method: str | None

    def __post_init__(self) -> None:
        """Check what can be checked before a worker runs."""
        if self.shards is not None and not 1 <= self.shards < 1 << 31:
            raise ValueError(f"{self.shards} shards are not possible")
        rows_of(self.budget, 8)
        chosen(self.device)

    @property
    def place(self) -> Place:
        """Where workers compute."""
        return Place(str(self.device))

    def sized(self, partitions: int, width: int, rows: Callable[[], int]) -> tuple[int, int | None]:
        """Return how many shards there are, and how many rows a call gets.

        Rows have so many bytes each, and are only counted if that must be known.
        """
        limit = rows_of(self.budget, width)
        if self.shards is not None:
            return self.shards, limit
        if limit is None:
            return partitions, limit
        return max(partitions, shards_for(rows(), limit)), limit

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
