"""Datasets of Ray: what they are of, their blocks, and the move of rows to their shards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import ray
import ray.data
from ray.data.context import ShuffleStrategy
from ray.data.dataset import MaterializedDataset

from . import _options
from ._arrays import given, wide_enough
from ._stages import SHARD

#: How Ray may move rows. "shuffle_v2", what it takes otherwise, fails if a block has no rows: steps
#: are not called for it, so it has no columns. notes/dask.md says what was tried.
_SORTING = ShuffleStrategy.SORT_SHUFFLE_PULL_BASED, ShuffleStrategy.SORT_SHUFFLE_PUSH_BASED


@dataclass(frozen=True)
class Options(_options.Options):
    """What all functions take."""

    ray_remote_args: dict[str, Any] | None

    def mapped(self, dataset: Any, step: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Return what a step makes of each block that has rows."""
        return dataset.map_batches(
            step,
            batch_size=None,
            # Blocks as they are: Ray would make a missing value of a NaN.
            batch_format=None,
            fn_kwargs=arguments,
            **(self.ray_remote_args or {}),
        )

    def folded(
        self,
        rows: list[Any],
        types: pa.Schema,
        shards: int,
        step: Callable[..., Any],
        arguments: dict[str, Any],
    ) -> Any:
        """Return what a step makes of each shard, whose rows Ray brings together.

        The step gets a shard of no rows, too: Ray groups no dataset without rows, and such a
        shard gives the result its columns.
        """
        nulls = {field.name: pa.nulls(1, field.type) for field in types}
        no_shard = pa.table({**nulls, SHARD: pa.array([-1], pa.int32())}, schema=types)
        first, *others = rows
        moved = first.union(*others, ray.data.from_arrow(no_shard))
        # A union has a context of its own: this changes nothing of the caller's.
        if moved.context.shuffle_strategy not in _SORTING:
            moved.context.shuffle_strategy = _SORTING[0]
        return moved.groupby(SHARD, num_partitions=shards).map_groups(
            _without_marks,
            batch_format="pyarrow",
            fn_kwargs={"step": step, "arguments": arguments},
            **(self.ray_remote_args or {}),
        )


def _without_marks(table: pa.Table, step: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    return step(table.filter(pc.greater_equal(table[SHARD], 0)), **arguments)


def columns_of(dataset: Any, what: str) -> pa.Schema:
    """Return the names and types of the columns of a dataset, or raise TypeError."""
    if not isinstance(dataset, ray.data.Dataset):
        raise TypeError(f"{what} is a {type(dataset).__name__}; a Dataset of ray.data is possible")
    schema = dataset.schema()
    if schema is None:
        return pa.schema([])
    # Objects of Python have no type of Arrow.
    types = (one if isinstance(one, pa.DataType) else pa.null() for one in schema.types)
    return pa.schema(list(zip(schema.names, types, strict=True)))


def number_type(columns: pa.Schema, name: str, what: str) -> np.dtype[Any]:
    """Return the type of a column if it is one of NumPy's numbers, or raise an error."""
    if columns.names.count(name) != 1:
        raise KeyError(f"{name!r} is not one column; there are {columns.names}")
    found = columns.field(name).type
    kinds = pa.types
    possible = kinds.is_integer(found) or kinds.is_floating(found) or kinds.is_boolean(found)
    if not possible and not (kinds.is_temporal(found) and getattr(found, "tz", None) is None):
        raise TypeError(f"{what} of type {found} are not possible: numbers of NumPy are")
    dtype: np.dtype[Any] = pa.nulls(0, found).to_numpy(zero_copy_only=False).dtype
    wide_enough(dtype)
    return dtype


def blocks_of(*datasets: Any) -> int:
    """Return how many blocks there are, or processors where Ray does not know the blocks yet."""
    return max(
        dataset.num_blocks()
        if isinstance(dataset, MaterializedDataset)
        else int(ray.cluster_resources().get("CPU", 1))
        for dataset in datasets
    )


def numbers(block: Any, name: str, what: str, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return a column of a block as the numbers that the dataset says it has.

    They are as wide as tables hold them.
    """
    column = given(as_table(block)[name], what, wide_enough(dtype))
    return np.asarray(column.host().array)


def as_table(block: Any) -> pa.Table:
    """Return a block or a frame as a table, without a change of any NaN."""
    if isinstance(block, pa.Table):
        return block
    return pa.table({str(name): _as_column(column) for name, column in block.items()})


def _as_column(column: pd.Series[Any]) -> Any:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
        return pa.array(column.to_numpy(), from_pandas=column.dtype.kind in "mM")
    return pa.array(column, from_pandas=True)
