"""Maps in shards."""

from __future__ import annotations

from typing import Any

from ._tables import Map, _Table


class ShardedMap(Map):
    """A map in shards, each of which has a thread of its own for the time of a call.

    Every key belongs to one shard, and shards grow by themselves. It is on the CPU. For data on
    several hosts, see `warpproof.dask`.

    Parameters
    ----------
    key_dtype, value_dtype, capacity
        As of `Map`; the capacity is that of all shards.
    ranks : int
        How many shards there are: 1 to 4096.

    Examples
    --------
    >>> import warpproof as wp
    >>> ages = wp.ShardedMap("int64", "int64", ranks=3)
    >>> ages[[3, 5, 8]] = [30, 50, 80]
    >>> ages.get([8, 4], default=-1)
    array([80, -1])
    >>> sum(ages.shards)
    3
    """

    _kind = "ShardedMap"

    def __init__(
        self,
        key_dtype: Any = "int64",
        value_dtype: Any = "int64",
        *,
        capacity: int = 0,
        ranks: int = 2,
    ) -> None:
        if not 1 <= ranks <= 4096:
            raise ValueError(f"ranks: {ranks} is not from 1 to 4096")
        _Table.__init__(self, key_dtype, value_dtype, capacity, "cpu", ranks=ranks)

    @property
    def shards(self) -> list[int]:
        """How many entries each shard has."""
        return self._table.shards() or []
