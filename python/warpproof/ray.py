"""Columns on several hosts: the functions of the package on datasets of Ray.

`unique`, `value_counts`, `group_by` and joins, for columns of `ray.data.Dataset`, which are named.
Install Ray with ``pip install 'warpproof[ray]'``. Each function returns a dataset, which is
computed when Ray is told to.

1. In each block, our tables combine equal keys. (Joins leave the left side as it is.)
2. Ray brings together the rows of each shard, which `owner` decides by the key.
3. For each shard, our tables give the result: no key is in two shards.

A block that a worker lost is computed again by Ray. If the right side of a join is a
`MaterializedDataset` of Ray (what `Dataset.materialize` returns) of at most 128 MiB, no row moves,
unless `shards` is given: it is joined with each block of the left.

All functions take these:

shards : int, optional
    How many shards there are. Otherwise as many as blocks of the argument, or as the cluster has
    processors if Ray does not know the blocks yet; or more if there is a budget. Ray decides how
    many blocks the result has: a block may have several shards, and a shard is in one block.
budget : int or str, optional
    Bytes of host memory, such as ``"1GiB"``, that our part of a task may take for a shard: its
    rows, our tables and the result. There are as many shards as that takes, at 64 bytes for a row
    and twice its own. To know, rows are counted first, which may compute the arguments, unless
    `shards` is given. A shard of more rows than expected, or a large block of an argument, is
    handed to our tables in parts. Not bounded are the blocks of arguments and results, what Ray
    needs to move rows, and in a join the rows of one key and their pairs.
device : str
    Where each worker has its tables: "cpu", "cuda:0" and so on, or "auto", which is its first GPU
    if it has one, and CuPy or torch. Arguments and results are in host memory.
ray_remote_args : dict, optional
    What Ray is to give to each task that has our tables, as of `ray.data.Dataset.map_batches`:
    ``{"num_gpus": 1}`` is a GPU of its own, and ``{"num_gpus": 0.5}`` one for two tasks.

The types of columns must be known: where Ray does not know them yet, it computes a first block.
Nulls of Arrow are no keys and no values; a NaN is. Results are in no particular order. Keys are
compared by their bits, as everywhere in the package: 0.0 and -0.0 differ, and a NaN equals itself.

>>> import pandas as pd, ray
>>> import warpproof.ray as wpr
>>> sales = ray.data.from_pandas(pd.DataFrame({"city": [7, 3, 7], "price": [10, 20, 30]}))
>>> sums = wpr.group_by(sales, "city").sum("price").to_pandas()
>>> sums.sort_values("city", ignore_index=True)
   city  sum(price)
0     3          20
1     7          40
"""

from __future__ import annotations

try:
    import pandas
    import pyarrow
    import ray.data
except ImportError as error:
    raise ImportError(
        "warpproof.ray needs Ray: install it with pip install 'warpproof[ray]'"
    ) from error

from ._owner import owner
from ._ray_groups import GroupBy, group_by, unique, value_counts
from ._ray_joins import anti_join, inner_join, left_join, semi_join

__all__ = [
    "GroupBy",
    "anti_join",
    "group_by",
    "inner_join",
    "left_join",
    "owner",
    "semi_join",
    "unique",
    "value_counts",
]

del pandas, pyarrow, ray
