"""What runs inside a worker for a join: a partition to rows with shards, and two shards to rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import _columns
from ._arrays import given
from ._pairs import pairs
from ._partial import Fold, keys_of, signed
from ._placed import Place
from ._stages import KEY, SHARD, shard_of

#: The column of the number of a row.
ROW = "warpproof_row"


def common_type(left: np.dtype[Any], right: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type by whose bits keys of two types are compared, or raise TypeError."""
    one, _ = _columns._alike(
        given(np.empty(0, left), "left keys"), given(np.empty(0, right), "right keys")
    )
    return one.dtype


@dataclass(frozen=True)
class JoinPlan:
    """A join of two frames on a column of each."""

    how: str
    left_on: Any
    right_on: Any
    left_key: np.dtype[Any]
    right_key: np.dtype[Any]
    common: np.dtype[Any]
    suffixes: tuple[str, str] = ("_x", "_y")


def with_bits(frame: pd.DataFrame, on: Any, common: np.dtype[Any]) -> pd.DataFrame:
    """Return a frame with the bits of keys in place of them, as those of a common type."""
    frame = frame.copy(deep=False)
    frame[on] = signed(given(frame[on], "keys").host().cast(common).bits())
    return frame


def routed(frame: pd.DataFrame, on: Any, common: np.dtype[Any], shards: int) -> pd.DataFrame:
    """Say which shard each row has; the key becomes its bits."""
    frame = with_bits(frame, on, common)
    frame[SHARD] = shard_of(frame[on].to_numpy(), shards)
    return frame


def routed_keys(
    keys: Any, common: np.dtype[Any], shards: int, limit: int | None, place: Place
) -> pd.DataFrame:
    """Return the distinct keys of a partition, and which shard each has."""
    cast = given(keys, "keys").host().cast(common).array
    bits = Fold("unique", common).partial(cast, None, limit, place).bits
    return pd.DataFrame({SHARD: shard_of(bits, shards), KEY: bits})


def routed_rows(keys: pd.Series[Any], common: np.dtype[Any], shards: int) -> pd.DataFrame:
    """Return keys with the numbers of their rows, their index, and which shard each has."""
    bits = signed(given(keys, "keys").host().cast(common).bits())
    return pd.DataFrame(
        {SHARD: shard_of(bits, shards), KEY: bits, ROW: keys.index.to_numpy(np.int64)}
    )


def joined_rows(
    left: pd.DataFrame, right: pd.DataFrame, how: str, limit: int | None, place: Place
) -> pd.DataFrame:
    """Return the numbers of the rows of a shard's join, in ascending order."""
    rows, others = pairs(left[KEY].to_numpy(), right[KEY].to_numpy(), how, limit, place)
    lefts = left[ROW].to_numpy()[rows]
    if others is None:
        return pd.DataFrame({"left": np.sort(lefts)})
    # A row more, for the place -1.
    rights = np.append(right[ROW].to_numpy(), -1)[others]
    order = np.lexsort((rights, lefts))
    return pd.DataFrame({"left": lefts[order], "right": rights[order]})


def filtered(
    left: pd.DataFrame, right: pd.DataFrame, plan: JoinPlan, limit: int | None, place: Place
) -> pd.DataFrame:
    """Return the left rows of a shard that have a partner among keys, or that have none."""
    bits = left[plan.left_on].to_numpy()
    rows, _ = pairs(bits, right[KEY].to_numpy(), plan.how, limit, place)
    return _restored(left.take(np.sort(rows)), plan.left_on, plan.common, plan.left_key)


def joined(
    left: pd.DataFrame, right: pd.DataFrame, plan: JoinPlan, limit: int | None, place: Place
) -> pd.DataFrame:
    """Join a shard of two frames."""
    bits = left[plan.left_on].to_numpy(), right[plan.right_on].to_numpy()
    rows, others = pairs(*bits, plan.how, limit, place)
    left = _restored(left.take(rows), plan.left_on, plan.common, plan.left_key)
    right = _restored(right, plan.right_on, plan.common, plan.right_key)
    same = set(left.columns) & set(right.columns)
    if plan.left_on == plan.right_on:
        right = right.drop(columns=plan.right_on)
        same.remove(plan.left_on)
    if plan.how == "left":
        types = {name: with_gaps(dtype) for name, dtype in right.dtypes.items()}
        right = right.astype(types).reindex(others)
    else:
        right = right.take(others)
    one, other = plan.suffixes
    left = left.rename(columns={name: f"{name}{one}" for name in same})
    right = right.rename(columns={name: f"{name}{other}" for name in same})
    return pd.concat([left, right.reset_index(drop=True)], axis=1)


def joined_here(
    left: pd.DataFrame, right: Any, plan: JoinPlan, limit: int | None, place: Place
) -> pd.DataFrame:
    """Join a partition of a frame and a whole side: rows stay where they are."""
    left = with_bits(left, plan.left_on, plan.common)
    if plan.how in ("semi", "anti"):
        return filtered(left, routed_keys(right, plan.common, 1, limit, place), plan, limit, place)
    return joined(left, with_bits(right, plan.right_on, plan.common), plan, limit, place)


def with_gaps(dtype: Any) -> Any:
    """Return the type of a column that may miss values, without a change of any number."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biu":
        return dtype
    if dtype.kind == "b":
        return "boolean"
    return f"{'UI' if dtype.kind == 'u' else 'I'}nt{dtype.itemsize * 8}"


def _restored(
    frame: pd.DataFrame, on: Any, common: np.dtype[Any], key: np.dtype[Any]
) -> pd.DataFrame:
    """Return a frame with keys in place of their bits."""
    frame = frame.reset_index(drop=True)
    # Of the common type first: a key of the narrower one has bits of the wider one.
    frame[on] = keys_of(frame[on].to_numpy(), common).astype(key, copy=False)
    return frame
