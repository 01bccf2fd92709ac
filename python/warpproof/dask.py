"""Columns on several hosts: the functions of the package on collections of Dask.

`unique`, `value_counts`, `group_by` and joins, for columns of `dask.dataframe` and for arrays of
`dask.array` with one dimension. Install Dask with ``pip install 'warpproof[dask]'``. Each function
returns a collection, which is computed when Dask is told to.

1. In each partition, our tables combine equal keys. (Joins leave the left side as it is.)
2. Dask moves each row to the partition of its shard, which `owner` decides by its key.
3. In each of those, our tables give the result: no key is in two partitions.

A partition that a worker lost is computed again by Dask. If the right side of a join of frames is
one partition, no row moves, unless `shards` is given: it is joined with each partition of the left.

All functions take these:

shards : int, optional
    Partitions of the result. Otherwise as many as of the argument, or more if there is a budget.
budget : int or str, optional
    Bytes of host memory, such as ``"1GiB"``, that a task may take for a shard: its rows, our tables
    and the result. There are as many shards as that takes, at 64 bytes for a row and twice its own.
    To know, rows are counted first, which computes the arguments once, unless `shards` is given or
    Dask knows how many there are. A shard of more rows than expected, or a large partition of an
    argument, is handed to our tables in parts. A worker runs as many tasks at a time as it has
    threads. Not bounded are the partitions of the arguments, what Dask needs to move rows, and in
    a join the rows of one key, which are all in one shard, and their pairs.
device : str
    Where each worker has its tables: "cpu", "cuda:0" and so on, or "auto", which is its first GPU
    if it has one, and CuPy or torch. Arguments and results are in host memory.
shuffle_method : str, optional
    How Dask moves rows, as of `dask.dataframe.DataFrame.shuffle`. Dask takes "p2p" if there is a
    default client, and "disk" otherwise, which is for workers of one host.

Results are in no particular order. Keys are compared by their bits, as everywhere in the
package: 0.0 and -0.0 differ, and a NaN equals itself.

>>> import dask.dataframe as dd, pandas as pd
>>> import warpproof.dask as wpd
>>> sales = dd.from_pandas(pd.DataFrame({"city": [7, 3, 7], "sum": [10, 20, 30]}), npartitions=2)
>>> wpd.group_by(sales["city"]).sum(sales["sum"]).compute().sort_index()
city
3    20
7    40
Name: sum, dtype: int64
"""

from __future__ import annotations

try:
    import dask.array
    import dask.dataframe
    import distributed
except ImportError as error:
    raise ImportError(
        "warpproof.dask needs Dask: install it with pip install 'warpproof[dask]'"
    ) from error

from ._dask_groups import GroupBy, group_by, unique, value_counts
from ._dask_joins import anti_join, inner_join, left_join, semi_join
from ._owner import owner

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

del dask, distributed
