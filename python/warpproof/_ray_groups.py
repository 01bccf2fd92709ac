"""Groups of datasets of Ray: `unique`, `value_counts` and `group_by`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ._options import HERE
from ._partial import Fold
from ._placed import Place
from ._ray_datasets import Options, as_table, blocks_of, columns_of, number_type, numbers
from ._stages import folded, partial


def unique(
    dataset: Any,
    on: str,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Find the distinct keys of a column.

    Parameters
    ----------
    dataset : ray.data.Dataset
        The rows.
    on : str
        The column of keys: numbers of up to 64 bits.
    shards, budget, device, ray_remote_args
        As of the module.

    Returns
    -------
    ray.data.Dataset
        The column of distinct keys, in no particular order.

    Examples
    --------
    >>> import numpy as np, ray
    >>> import warpproof.ray as wpr
    >>> rows = ray.data.from_numpy(np.array([30, 10, 30, 20]))
    >>> wpr.unique(rows, "data").to_pandas()["data"].sort_values().tolist()
    [10, 20, 30]
    """
    return group_by(
        dataset, on, shards=shards, budget=budget, device=device, ray_remote_args=ray_remote_args
    )._folded("unique", None)


def value_counts(
    dataset: Any,
    on: str,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Count how often each distinct key of a column occurs.

    Parameters
    ----------
    dataset, on, shards, budget, device, ray_remote_args
        As of `unique`.

    Returns
    -------
    ray.data.Dataset
        The column of keys, and the column ``"count()"``.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> rows = ray.data.from_pandas(pd.DataFrame({"key": [30, 10, 10]}))
    >>> wpr.value_counts(rows, "key").to_pandas().sort_values("key", ignore_index=True)
       key  count()
    0   10        2
    1   30        1
    """
    return group_by(
        dataset, on, shards=shards, budget=budget, device=device, ray_remote_args=ray_remote_args
    ).count()


class GroupBy:
    """The rows of a dataset, grouped by a column of keys: made by `group_by`.

    Each method returns a dataset of the keys and of their results, in a column that is named as
    Ray names it: ``"sum(v)"`` is the sums of the column ``"v"``.
    """

    def __init__(self, dataset: Any, on: str, options: Options) -> None:
        self._dataset, self._on, self._options = dataset, on, options
        self._columns = columns_of(dataset, "the argument")
        self._key = number_type(self._columns, on, "keys")
        self._rows: int | None = None

    def sum(self, values: str) -> Any:
        """Add the values of each group, as `warpproof.GroupBy.sum` does.

        The sums of floating-point numbers may differ in their last digits from run to run.

        Examples
        --------
        >>> import pandas as pd, ray
        >>> import warpproof.ray as wpr
        >>> rows = ray.data.from_pandas(pd.DataFrame({"k": [0, 0, 0], "v": [1, 2, 3]}))
        >>> wpr.group_by(rows, "k").sum("v").take_all()
        [{'k': 0, 'sum(v)': 6}]
        """
        return self._folded("sum", values)

    def min(self, values: str) -> Any:
        """Find the lowest value of each group."""
        return self._folded("min", values)

    def max(self, values: str) -> Any:
        """Find the highest value of each group."""
        return self._folded("max", values)

    def mean(self, values: str) -> Any:
        """Average the values of each group, as 64-bit floating-point numbers."""
        return self._folded("mean", values)

    def count(self) -> Any:
        """Count the rows of each group, as `value_counts` does."""
        return self._folded("count", None)

    def _counted(self) -> int:
        """Count the rows, once for all methods."""
        if self._rows is None:
            self._rows = int(self._dataset.count())
        return self._rows

    def _folded(self, how: str, values: str | None) -> Any:
        result = f"{how}({values or ''})"
        if result == self._on and how != "unique":
            raise ValueError(f"the column of keys is named {result}, as that of the results is")
        value = None if values is None else number_type(self._columns, values, "values")
        fold = Fold(how, self._key, value)
        shards, limit = self._options.sized(blocks_of(self._dataset), fold.width, self._counted)
        plan: dict[str, Any] = {"fold": fold, "limit": limit, "place": self._options.place}
        routed = {**plan, "names": (self._on, values), "shards": shards}
        rows = self._options.mapped(self._dataset, _partial, routed)
        nothing = self._columns.empty_table()
        types = _partial(nothing, **{**routed, **HERE}).schema
        return self._options.folded(
            [rows], types, shards, _results, {**plan, "names": (self._on, result)}
        )


def _partial(
    block: Any,
    names: tuple[str, str | None],
    fold: Fold,
    limit: int | None,
    place: Place,
    shards: int,
) -> pa.Table:
    """Combine equal keys of a block, and say which shard each has."""
    keys = numbers(block, names[0], "keys", fold.key)
    values = None
    if names[1] is not None and fold.value is not None:
        values = numbers(block, names[1], "values", fold.value)
    return as_table(partial(keys, values, fold=fold, limit=limit, place=place, shards=shards))


def _results(
    table: pa.Table, names: tuple[str, str], fold: Fold, limit: int | None, place: Place
) -> pa.Table:
    """Return the keys and results of a shard as columns."""
    keys, results = folded(table.to_pandas(), fold, limit, place, False)
    columns = {names[0]: pa.array(keys)}
    if results is not None:
        columns[names[1]] = pa.array(results)
    return pa.table(columns)


def group_by(
    dataset: Any,
    on: str,
    *,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> GroupBy:
    """Group the rows of a dataset by the keys of a column.

    Parameters
    ----------
    dataset, on, shards, budget, device, ray_remote_args
        As of `unique`.

    Returns
    -------
    GroupBy
        Its methods `sum`, `min`, `max`, `mean` and `count` return the results.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> rows = pd.DataFrame({"key": [7, 8, 7], "value": [1.5, 2.0, 3.0]})
    >>> means = wpr.group_by(ray.data.from_pandas(rows), "key").mean("value")
    >>> sorted(means.take_all(), key=lambda row: row["key"])
    [{'key': 7, 'mean(value)': 2.25}, {'key': 8, 'mean(value)': 2.0}]
    """
    return GroupBy(dataset, on, Options(shards, budget, device, ray_remote_args))
