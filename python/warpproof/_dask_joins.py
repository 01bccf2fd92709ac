"""Joins of collections of Dask."""

from __future__ import annotations

import math
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from ._dask_collections import (
    Options,
    arrays,
    keys_type,
    mapped,
    number_type,
    of_partitions,
    rows_in,
)
from ._join_stages import (
    JoinPlan,
    common_type,
    filtered,
    joined,
    joined_here,
    joined_rows,
    routed,
    routed_keys,
    routed_rows,
)
from ._options import HERE
from ._owner import rows_of
from ._stages import SHARD


def inner_join(
    left: Any,
    right: Any,
    *,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    suffixes: tuple[str, str] = ("_x", "_y"),
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Join two frames on a column, or two arrays of keys.

    Parameters
    ----------
    left, right : dask.dataframe.DataFrame or dask.array.Array
        Two frames, or two arrays of keys whose chunks have known sizes.
    on : str
        The column of keys, of both frames. Not for arrays.
    left_on, right_on : str
        The columns of keys, if their names differ.
    suffixes : pair of str
        What is added to the names of other columns that both frames have.
    shards, budget, device, shuffle_method
        As of the module.

    Returns
    -------
    dask.dataframe.DataFrame or tuple of dask.array.Array
        Of frames: the columns of both, as of `dask.dataframe.DataFrame.merge`, without an index. Of
        arrays: the numbers of the left rows and of the right ones, as 64-bit integers.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> import warpproof.dask as wpd
    >>> orders = pd.DataFrame({"city": [7, 9, 7], "order": [1, 2, 3]})
    >>> cities = pd.DataFrame({"city": [7, 8], "name": ["Ulm", "Bonn"]})
    >>> orders, cities = (dd.from_pandas(one, npartitions=2) for one in (orders, cities))
    >>> wpd.inner_join(orders, cities, on="city").compute().sort_values("order", ignore_index=True)
       city  order name
    0     7      1  Ulm
    1     7      3  Ulm
    """
    options = Options(shards, budget, device, shuffle_method)
    return _join("inner", left, right, (on, left_on, right_on), suffixes, options)


def left_join(
    left: Any,
    right: Any,
    *,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    suffixes: tuple[str, str] = ("_x", "_y"),
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Join two frames or arrays, and keep the left rows that have no partner.

    Right columns of whole numbers become nullable ones of pandas (`Int64` and so on), and those of
    bools `boolean`: no number changes.

    Parameters
    ----------
    left, right, on, left_on, right_on, suffixes, shards, budget, device, shuffle_method
        As of `inner_join`.

    Returns
    -------
    dask.dataframe.DataFrame or tuple of dask.array.Array
        As of `inner_join`. Where there is no partner, values of right columns are missing, and the
        number of the right row is -1.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> import warpproof.dask as wpd
    >>> left, right = da.from_array(np.array([9, 7])), da.from_array(np.array([7, 8, 7]))
    >>> [rows.compute().tolist() for rows in wpd.left_join(left, right)]
    [[0, 1, 1], [-1, 0, 2]]
    """
    options = Options(shards, budget, device, shuffle_method)
    return _join("left", left, right, (on, left_on, right_on), suffixes, options)


def semi_join(
    left: Any,
    right: Any,
    *,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Find the left rows whose key occurs on the right.

    Parameters
    ----------
    left, right, on, left_on, right_on, shards, budget, device, shuffle_method
        As of `inner_join`. The right side of a frame may be a column of keys, too; name only the
        column of the left side then.

    Returns
    -------
    dask.dataframe.DataFrame or dask.array.Array
        Of a frame: its rows, without an index. Of arrays: the numbers of the left rows.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> import warpproof.dask as wpd
    >>> orders = pd.DataFrame({"city": [7, 9, 7], "order": [1, 2, 3]})
    >>> orders, known = (dd.from_pandas(one, npartitions=2) for one in (orders, pd.Series([7, 8])))
    >>> wpd.semi_join(orders, known, on="city").compute().sort_values("order", ignore_index=True)
       city  order
    0     7      1
    1     7      3
    """
    options = Options(shards, budget, device, shuffle_method)
    return _join("semi", left, right, (on, left_on, right_on), ("", ""), options)


def anti_join(
    left: Any,
    right: Any,
    *,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    shuffle_method: str | None = None,
) -> Any:
    """Find the left rows whose key does not occur on the right.

    Parameters
    ----------
    left, right, on, left_on, right_on, shards, budget, device, shuffle_method
        As of `semi_join`.

    Returns
    -------
    dask.dataframe.DataFrame or dask.array.Array
        As of `semi_join`.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> import warpproof.dask as wpd
    >>> left, right = da.from_array(np.array([9, 7])), da.from_array(np.array([7, 8, 7]))
    >>> wpd.anti_join(left, right).compute()
    array([0])
    """
    options = Options(shards, budget, device, shuffle_method)
    return _join("anti", left, right, (on, left_on, right_on), ("", ""), options)


def _join(
    how: str,
    left: Any,
    right: Any,
    names: tuple[Any, Any, Any],
    suffixes: tuple[str, str],
    options: Options,
) -> Any:
    if isinstance(left, da.Array):
        if any(name is not None for name in names):
            raise TypeError("arrays have no columns: on, left_on and right_on are for frames")
        return _join_arrays(how, left, right, options)
    if not isinstance(left, dd.DataFrame):
        raise TypeError(f"left is a {type(left).__name__}; a frame or an array of Dask is possible")
    return _join_frames(how, left, right, names, suffixes, options)


def _join_arrays(how: str, left: Any, right: Any, options: Options) -> Any:
    if not isinstance(right, da.Array):
        raise TypeError(
            f"left is an array and right a {type(right).__name__}; two arrays are possible"
        )
    common = common_type(keys_type(left, "left keys"), keys_type(right, "right keys"))
    if any(math.isnan(side.shape[0]) for side in (left, right)):
        raise ValueError("sizes of chunks are not known: call compute_chunk_sizes() first")
    shards, limit = options.sized(
        max(left.npartitions, right.npartitions),
        common.itemsize + 8,
        lambda: rows_in(left) + rows_in(right),
    )
    routes: dict[str, Any] = {"common": common, "shards": shards}
    empty = routed_rows(pd.Series([], dtype=common), **routes)
    sides = [
        options.moved(mapped(routed_rows, [side], routes, empty), shards) for side in (left, right)
    ]
    plan: dict[str, Any] = {"how": how, "limit": limit, "place": options.place}
    empty = empty.set_index(SHARD)
    found = arrays(
        of_partitions(joined_rows, sides, plan, joined_rows(empty, empty, **{**plan, **HERE}))
    )
    return found if len(found) > 1 else found[0]


def _join_frames(
    how: str,
    left: Any,
    right: Any,
    names: tuple[Any, Any, Any],
    suffixes: tuple[str, str],
    options: Options,
) -> Any:
    filters = how in ("semi", "anti")
    left_on, right_on, keys = _keys(left, right, names, filters)
    left_key = number_type(left[left_on].dtype, "left keys")
    right_key = keys_type(keys, "right keys")
    common = common_type(left_key, right_key)
    width = max(_width(left), common.itemsize if filters else _width(right))
    plan = JoinPlan(how, left_on, right_on, left_key, right_key, common, suffixes)
    where: dict[str, Any] = {"plan": plan, "place": options.place}
    if keys.npartitions == 1 and options.shards is None:
        # The right side goes to all workers, and the rows of the left one stay.
        where["limit"] = rows_of(options.budget, width)
        side = keys if filters else right
        meta = joined_here(left._meta, side._meta, **{**where, **HERE})
        (where["right"],) = side.to_delayed()
        return of_partitions(joined_here, [left], where, meta)
    shards, where["limit"] = options.sized(
        max(left.npartitions, keys.npartitions), width, lambda: rows_in(left) + rows_in(keys)
    )
    to_shards: dict[str, Any] = {"common": common, "shards": shards}
    sides: list[Any] = [(routed, left, {**to_shards, "on": left_on})]
    if filters:
        some = {"limit": where["limit"], "place": options.place}
        sides.append((routed_keys, keys, {**to_shards, **some}))
    else:
        sides.append((routed, right, {**to_shards, "on": right_on}))
    metas = [
        step(side._meta, **{**routes, **HERE} if step is routed_keys else routes)
        for step, side, routes in sides
    ]
    moved = [
        options.moved(mapped(step, [side], routes, meta), shards)
        for (step, side, routes), meta in zip(sides, metas, strict=True)
    ]
    step = filtered if filters else joined
    meta = step(*(one.set_index(SHARD) for one in metas), **{**where, **HERE})
    return of_partitions(step, moved, where, meta)


def _keys(
    left: Any, right: Any, names: tuple[Any, Any, Any], filters: bool
) -> tuple[Any, Any, Any]:
    """Return the columns of keys by name, and the right one itself."""
    on, left_on, right_on = names
    if on is not None:
        if left_on is not None or right_on is not None:
            raise TypeError("on is for columns of one name; left_on and right_on are for two")
        left_on = right_on = on
    if filters and not isinstance(right, dd.DataFrame):
        keys, right_on = right, left_on
    elif isinstance(right, dd.DataFrame):
        if right_on is None:
            raise TypeError("there is no column of keys: on, or left_on and right_on name it")
        keys = _column(right, right_on)
    else:
        raise TypeError(
            f"left is a frame and right a {type(right).__name__}; two frames are possible"
        )
    if left_on is None:
        raise TypeError("there is no column of keys: on, or left_on and right_on name it")
    _column(left, left_on)
    return left_on, right_on, keys


def _column(frame: Any, name: Any) -> Any:
    if list(frame.columns).count(name) != 1:
        raise KeyError(f"{name!r} is not one column; there are {list(frame.columns)}")
    if SHARD in frame.columns:
        raise ValueError(f"there is a column {SHARD}, a name that is needed here")
    return frame[name]


def _width(frame: Any) -> int:
    """Return the bytes of a row; a value without a fixed width is taken to have 64."""
    fixed = [isinstance(dtype, np.dtype) and dtype.kind != "O" for dtype in frame.dtypes]
    return sum(
        dtype.itemsize if known else 64 for dtype, known in zip(frame.dtypes, fixed, strict=True)
    )
