"""Groups of collections of Dask: `unique`, `value_counts` and `group_by`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dask_collections import (
    Options,
    arrays,
    is_array,
    keys_type,
    mapped,
    of_partitions,
    rows_in,
)
from ._options import HERE
from ._partial import Fold
from ._stages import SHARD, as_columns, as_series, partial


def unique(
    keys: Any,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Find the distinct keys of a column or an array.

    Parameters
    ----------
    keys : dask.dataframe.Series or dask.array.Array
        Numbers of up to 64 bits.
    shards, budget, device, shuffle_method
        As of the module.

    Returns
    -------
    dask.dataframe.Series or dask.array.Array
        Like `keys`, in no particular order.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> import warpproof.dask as wpd
    >>> keys = da.from_array(np.array([30, 10, 30, 20]), chunks=2)
    >>> np.sort(wpd.unique(keys).compute())
    array([10, 20, 30])
    """
    groups = GroupBy(keys, Options(shards, budget, device, shuffle_method))
    return groups._folded("unique", None)


def value_counts(
    keys: Any,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Count how often each distinct key occurs.

    Parameters
    ----------
    keys : dask.dataframe.Series or dask.array.Array
        Numbers of up to 64 bits.
    shards, budget, device, shuffle_method
        As of the module.

    Returns
    -------
    dask.dataframe.Series or tuple of dask.array.Array
        Of a column: the counts, indexed by the keys. Of an array: the keys, and the counts.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> import warpproof.dask as wpd
    >>> keys = dd.from_pandas(pd.Series([30, 10, 10], name="key"), npartitions=2)
    >>> wpd.value_counts(keys).compute().sort_index()
    key
    10    2
    30    1
    Name: count, dtype: int64
    """
    return GroupBy(keys, Options(shards, budget, device, shuffle_method)).count()


class GroupBy:
    """The rows of a column or an array of keys, grouped: made by `group_by`.

    Values are of the kind that the keys are of, with the same partitions. Each method returns a
    column of results, indexed by the keys; of arrays, the keys and the results.
    """

    def __init__(self, keys: Any, options: Options) -> None:
        keys_type(keys, "keys")
        self._keys = keys
        self._options = options
        self._rows: int | None = None

    def sum(self, values: Any) -> Any:
        """Add the values of each group, as `warpproof.GroupBy.sum` does.

        The sums of floating-point numbers may differ in their last digits from run to run.

        Examples
        --------
        >>> import dask.array as da, numpy as np
        >>> import warpproof.dask as wpd
        >>> keys, values = da.zeros(5, dtype=int, chunks=2), da.arange(5, chunks=2)
        >>> [array.compute().tolist() for array in wpd.group_by(keys).sum(values)]
        [[0], [10]]
        """
        return self._folded("sum", values)

    def min(self, values: Any) -> Any:
        """Find the lowest value of each group."""
        return self._folded("min", values)

    def max(self, values: Any) -> Any:
        """Find the highest value of each group."""
        return self._folded("max", values)

    def mean(self, values: Any) -> Any:
        """Average the values of each group, as 64-bit floating-point numbers."""
        return self._folded("mean", values)

    def count(self) -> Any:
        """Count the rows of each group, as `value_counts` does."""
        return self._folded("count", None)

    def _counted(self) -> int:
        """Count the rows, once for all methods."""
        if self._rows is None:
            self._rows = rows_in(self._keys)
        return self._rows

    def _folded(self, how: str, values: Any) -> Any:
        keys, options = self._keys, self._options
        value_type = None if values is None else keys_type(values, "values")
        fold = Fold(how, keys.dtype, value_type)
        shards, limit = options.sized(keys.npartitions, fold.width, self._counted)
        sides = [keys] if values is None else [keys, values]
        plan: dict[str, Any] = {"fold": fold, "limit": limit, "place": options.place}
        routed = {**plan, "shards": shards}
        meta = partial(*(np.empty(0, side.dtype) for side in sides), **{**routed, **HERE})
        rows = options.moved(mapped(partial, sides, routed, meta), shards)
        if not is_array(keys):
            plan["names"] = (keys.name, "count" if values is None else values.name)
        step: Any = as_columns if is_array(keys) else as_series
        meta = step(meta.set_index(SHARD), **{**plan, **HERE})
        results = of_partitions(step, [rows], plan, meta)
        if not is_array(keys):
            return results
        found = arrays(results)
        return found if len(found) > 1 else found[0]


def group_by(
    keys: Any,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> GroupBy:
    """Group the rows of a column or an array by their keys.

    Parameters
    ----------
    keys : dask.dataframe.Series or dask.array.Array
        Numbers of up to 64 bits.
    shards, budget, device, shuffle_method
        As of the module.

    Returns
    -------
    GroupBy
        Its methods `sum`, `min`, `max`, `mean` and `count` return the results.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> import warpproof.dask as wpd
    >>> frame = pd.DataFrame({"key": [7, 8, 7], "value": [1.5, 2.0, 3.0]})
    >>> frame = dd.from_pandas(frame, npartitions=2)
    >>> wpd.group_by(frame["key"]).mean(frame["value"]).compute().sort_index()
    key
    7    2.25
    8    2.00
    Name: value, dtype: float64
    """
    return GroupBy(keys, Options(shards, budget, device, shuffle_method))
