"""Joins of datasets of Ray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import ray
import ray.data
from ray.data.dataset import MaterializedDataset

from ._join_stages import JoinPlan, common_type, filtered, joined, joined_here, routed, routed_keys
from ._options import HERE
from ._owner import rows_of
from ._placed import Place
from ._ray_datasets import Options, as_table, blocks_of, columns_of, number_type, numbers
from ._stages import KEY, SHARD

#: The most bytes of a right side that goes to the left rows.
SMALL = 128 << 20
#: The column that says of which side a row is.
SIDE = "warpproof_side"


def inner_join(
    left: Any,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    suffixes: tuple[str, str] = ("_x", "_y"),
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Join two datasets on a column.

    Parameters
    ----------
    left, right : ray.data.Dataset
        The rows.
    on : str
        The column of keys, of both datasets.
    left_on, right_on : str
        The columns of keys, if their names differ.
    suffixes : pair of str
        What is added to the names of other columns that both datasets have.
    shards, budget, device, ray_remote_args
        As of the module.

    Returns
    -------
    ray.data.Dataset
        The columns of both, as of `pandas.DataFrame.merge`, in no particular order.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> orders = pd.DataFrame({"city": [7, 9, 7], "order": [1, 2, 3]})
    >>> cities = pd.DataFrame({"city": [7, 8], "name": ["Ulm", "Bonn"]})
    >>> orders, cities = (ray.data.from_pandas(one) for one in (orders, cities))
    >>> found = wpr.inner_join(orders, cities, on="city").to_pandas()
    >>> found.sort_values("order", ignore_index=True)
       city  order name
    0     7      1  Ulm
    1     7      3  Ulm
    """
    options = Options(shards, budget, device, ray_remote_args)
    return _join("inner", left, right, (on, left_on, right_on), suffixes, options)


def left_join(
    left: Any,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    suffixes: tuple[str, str] = ("_x", "_y"),
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Join two datasets, and keep the left rows that have no partner.

    Parameters
    ----------
    left, right, on, left_on, right_on, suffixes, shards, budget, device, ray_remote_args
        As of `inner_join`.

    Returns
    -------
    ray.data.Dataset
        As of `inner_join`. Where there is no partner, values of right columns are missing: nulls of
        Arrow, so no other number changes. In a right column of keys with a name of its own they are
        NaN if the keys are floating-point numbers.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> orders = ray.data.from_pandas(pd.DataFrame({"city": [7, 9]}))
    >>> cities = ray.data.from_pandas(pd.DataFrame({"city": [7, 8], "name": ["Ulm", "Bonn"]}))
    >>> sorted(wpr.left_join(orders, cities, on="city").take_all(), key=lambda row: row["city"])
    [{'city': 7, 'name': 'Ulm'}, {'city': 9, 'name': None}]
    """
    options = Options(shards, budget, device, ray_remote_args)
    return _join("left", left, right, (on, left_on, right_on), suffixes, options)


def semi_join(
    left: Any,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Find the left rows whose key occurs on the right.

    Parameters
    ----------
    left, right, on, left_on, right_on, shards, budget, device, ray_remote_args
        As of `inner_join`.

    Returns
    -------
    ray.data.Dataset
        Rows of the left dataset, in no particular order.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> orders, known = (ray.data.from_pandas(pd.DataFrame({"city": c})) for c in ([7, 9], [7, 8]))
    >>> wpr.semi_join(orders, known, on="city").take_all()
    [{'city': 7}]
    """
    options = Options(shards, budget, device, ray_remote_args)
    return _join("semi", left, right, (on, left_on, right_on), ("", ""), options)


def anti_join(
    left: Any,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    shards: int | None = None,
    budget: int | str | None = None,
    device: str = "auto",
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """Find the left rows whose key does not occur on the right.

    Parameters
    ----------
    left, right, on, left_on, right_on, shards, budget, device, ray_remote_args
        As of `inner_join`.

    Returns
    -------
    ray.data.Dataset
        Rows of the left dataset, in no particular order.

    Examples
    --------
    >>> import pandas as pd, ray
    >>> import warpproof.ray as wpr
    >>> orders, known = (ray.data.from_pandas(pd.DataFrame({"city": c})) for c in ([7, 9], [7, 8]))
    >>> wpr.anti_join(orders, known, on="city").take_all()
    [{'city': 9}]
    """
    options = Options(shards, budget, device, ray_remote_args)
    return _join("anti", left, right, (on, left_on, right_on), ("", ""), options)


def _join(
    how: str,
    left: Any,
    right: Any,
    names: tuple[str | None, str | None, str | None],
    suffixes: tuple[str, str],
    options: Options,
) -> Any:
    filters = how in ("semi", "anti")
    left_on, right_on = _keys(names)
    types = columns_of(left, "left"), columns_of(right, "right")
    left_key = number_type(types[0], left_on, "left keys")
    right_key = number_type(types[1], right_on, "right keys")
    for columns in types:
        _check(columns)
    common = common_type(left_key, right_key)
    plan = JoinPlan(how, left_on, right_on, left_key, right_key, common, suffixes)
    width = max(_width(types[0]), common.itemsize if filters else _width(types[1]))
    where: dict[str, Any] = {"plan": plan, "place": options.place}
    if options.shards is None and _is_small(right):
        # The right side goes to all blocks, and the rows of the left one stay.
        where |= {"limit": rows_of(options.budget, width), "columns": types[0].names}
        side = _whole(right, pa.schema([types[1].field(right_on)]) if filters else types[1])
        meta = _joined_here(types[0].empty_table(), **{**where, "right": side.slice(0, 0), **HERE})
        found = options.mapped(left, _joined_here, {**where, "right": ray.put(side)})
        # No step sees a left side without rows: this gives the result its columns.
        return found.union(ray.data.from_arrow(meta))
    shards, where["limit"] = options.sized(
        blocks_of(left, right), width, lambda: int(left.count()) + int(right.count())
    )
    # All rows travel with the columns of both sides.
    routes: dict[str, Any] = {"plan": plan, "shards": shards, "types": None}
    sides = [{**routes, "side": 0, "columns": types[0].names}]
    steps: list[Any] = [_sent, _sent_keys if filters else _sent]
    if filters:
        sides.append({**routes, "limit": where["limit"], "place": options.place})
    else:
        sides.append({**routes, "side": 1, "columns": types[1].names})
    fields = {
        field.name: field
        for step, columns, with_ in zip(steps, types, sides, strict=True)
        for field in step(
            columns.empty_table(), **{**with_, **(HERE if "place" in with_ else {})}
        ).schema
    }
    where["types"] = pa.schema(list(fields.values()))
    rows = [
        options.mapped(side, step, {**with_, "types": where["types"]})
        for side, step, with_ in zip((left, right), steps, sides, strict=True)
    ]
    where["columns"] = types[0].names, [KEY] if filters else types[1].names
    return options.folded(rows, where["types"], shards, _joined, where)


def _check(columns: pa.Schema) -> None:
    """Raise an error if there is a column that cannot travel."""
    if SHARD in columns.names:
        raise ValueError(f"there is a column {SHARD}, a name that is needed here")
    for field in columns:
        if pa.types.is_null(field.type):
            raise TypeError(f"the column {field.name!r} has no type of Arrow")


def _is_small(side: Any) -> bool:
    """Say whether a side was computed already, and may go to all blocks of the other one."""
    return isinstance(side, MaterializedDataset) and side.size_bytes() <= SMALL


def _whole(side: Any, columns: pa.Schema) -> pa.Table:
    """Return the rows of a side that was computed already."""
    blocks = side.iter_batches(batch_size=None, batch_format=None)
    tables = [as_table(block).select(columns.names).cast(columns) for block in blocks]
    return pa.concat_tables([columns.empty_table(), *tables])


def _joined_here(
    block: Any, plan: JoinPlan, columns: list[str], right: Any, limit: int | None, place: Place
) -> pa.Table:
    """Join a block and a whole side."""
    side = ray.get(right) if isinstance(right, ray.ObjectRef) else right
    left = _frame(as_table(block).select(columns), plan.left_on, plan.left_key, "left keys")
    other: Any
    if plan.how in ("semi", "anti"):
        other = numbers(side, plan.right_on, "right keys", plan.right_key)
    else:
        other = _frame(side, plan.right_on, plan.right_key, "right keys")
    return as_table(joined_here(left, other, plan, limit, place))


def _sent(
    block: Any, plan: JoinPlan, side: int, columns: list[str], shards: int, types: pa.Schema | None
) -> pa.Table:
    """Say which shard has each row of a block."""
    lefts, rights = (plan.left_on, plan.left_key), (plan.right_on, plan.right_key)
    on, key = rights if side else lefts
    frame = _frame(as_table(block).select(columns), on, key, f"{'right' if side else 'left'} keys")
    return _marked(routed(frame, on, plan.common, shards), side, types)


def _sent_keys(
    block: Any,
    plan: JoinPlan,
    shards: int,
    types: pa.Schema | None,
    limit: int | None,
    place: Place,
) -> pa.Table:
    """Return the distinct keys of a block of the right side, and which shard each has."""
    keys = numbers(block, plan.right_on, "right keys", plan.right_key)
    return _marked(routed_keys(keys, plan.common, shards, limit, place), 1, types)


def _marked(frame: pd.DataFrame, side: int, types: pa.Schema | None) -> pa.Table:
    """Say of which side rows are, and give them the columns of both, or their own to begin with.

    Columns are named by numbers, so no name is of both sides.
    """
    table = as_table(frame)
    names = [name for name in table.column_names if name != SHARD]
    columns = {f"side{side}_{number}": table[name] for number, name in enumerate(names)}
    columns |= {SHARD: table[SHARD], SIDE: pa.array(np.full(len(frame), side, np.int8))}
    if types is None:
        return pa.table(columns)
    nulls = {one.name: pa.nulls(len(frame), one.type) for one in types if one.name not in columns}
    return pa.table({**nulls, **columns}).select(types.names).cast(types)


def _joined(
    table: pa.Table,
    plan: JoinPlan,
    columns: tuple[list[str], list[str]],
    types: pa.Schema,
    limit: int | None,
    place: Place,
) -> pa.Table:
    """Join a shard of two sides."""
    filters = plan.how in ("semi", "anti")
    keys = plan.left_on, KEY if filters else plan.right_on
    bits = [types.field(f"side{side}_{columns[side].index(keys[side])}").type for side in (0, 1)]
    left, right = (
        _frame(_side(table, side, columns[side]), keys[side], bits[side].to_pandas_dtype(), "keys")
        for side in (0, 1)
    )
    return as_table((filtered if filters else joined)(left, right, plan, limit, place))


def _side(table: pa.Table, side: int, columns: list[str]) -> pa.Table:
    """Return the rows of a side, with its own columns."""
    rows = table.filter(pc.equal(table[SIDE], side))
    return pa.table([rows[f"side{side}_{n}"] for n in range(len(columns))], names=columns)


def _frame(table: pa.Table, on: str, key: Any, what: str) -> pd.DataFrame:
    """Return a frame whose columns are Arrow's, so that nothing changes, but for the keys."""
    frame = table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
    frame[on] = numbers(table, on, what, np.dtype(key))
    return frame


def _width(columns: pa.Schema) -> int:
    """Return the bytes of a row; a value without a fixed width is taken to have 64."""
    return sum(_bytes(field.type) for field in columns)


def _bytes(dtype: pa.DataType) -> int:
    try:
        return max(int(dtype.bit_width) // 8, 1)
    except ValueError:
        return 64


def _keys(names: tuple[str | None, str | None, str | None]) -> tuple[str, str]:
    """Return the columns of keys by name."""
    on, left_on, right_on = names
    if on is not None:
        if left_on is not None or right_on is not None:
            raise TypeError("on is for columns of one name; left_on and right_on are for two")
        return on, on
    if left_on is None or right_on is None:
        raise TypeError("there is no column of keys: on, or left_on and right_on name it")
    return left_on, right_on
