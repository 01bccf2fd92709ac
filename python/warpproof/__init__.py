"""Hash maps and sets for GPUs and CPUs, for whole arrays at a time.

Tables: `Map`, `Set`, `Counter`, `MultiMap`, `PagedMap` for maps larger than the memory of a GPU,
and `ShardedMap` for maps in several parts. Functions of columns: `unique`, `isin`, `factorize`,
`value_counts`, `group_by`, and the joins `inner_join`, `left_join`, `semi_join`, `anti_join`.

Arrays of NumPy, Arrow, pandas and polars are in host memory; those of torch and CuPy may be in
device memory, and then results are too, made by the same library, on its current stream. Arrays
of JAX and of others are taken through DLPack. No array is copied if it is contiguous and its type
is that of the table.

Keys are numbers of 32 or 64 bits, and are compared by their bits: of floating-point keys, 0.0 and
-0.0 differ, and a NaN equals itself (NaNs with other bits differ).

>>> import numpy as np
>>> import warpproof as wp
>>> ages = wp.Map(np.int64, np.int64, device="cpu")
>>> ages[[3, 5]] = [30, 50]
>>> ages.get([3, 4], default=-1)
array([30, -1])
>>> wp.unique(np.array([5, 3, 5, 9]))
array([5, 3, 9])
"""

from ._columns import (
    GroupBy,
    anti_join,
    factorize,
    group_by,
    inner_join,
    isin,
    left_join,
    semi_join,
    unique,
    value_counts,
)
from ._devices import devices
from ._native import __version__
from ._sharded import ShardedMap
from ._tables import Counter, Map, MultiMap, PagedMap, Set

__all__ = [
    "Counter",
    "GroupBy",
    "Map",
    "MultiMap",
    "PagedMap",
    "Set",
    "ShardedMap",
    "__version__",
    "anti_join",
    "devices",
    "factorize",
    "group_by",
    "inner_join",
    "isin",
    "left_join",
    "semi_join",
    "unique",
    "value_counts",
]
