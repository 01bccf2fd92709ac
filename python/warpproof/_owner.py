"""Which shard has a key, and how many rows a call gets: what workers share, without an engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import given
from ._tables import _bytes

Array = np.ndarray[Any, Any]

#: Bytes that a call on our tables takes for a row, besides twice the row itself: 25 to 35 were
#: measured for groups, and up to 40 for joins (see notes/dask.md). The rest is for small calls.
ROW = 64
#: Fewer bytes than this are no budget: each call gets some rows.
LEAST = 1 << 14
#: Rows whose owners are found at a time, so that what that needs does not grow with the rows.
_BLOCK = 1 << 16
#: Odd constants without a pattern: the fractions of the square roots of 2 and of 3, and the
#: multipliers of Pelle Evensen's moremur.
_SQRT2, _SQRT3 = np.uint64(0x6A09E667F3BCC909), np.uint64(0xBB67AE8584CAA73B)
_FIRST, _SECOND = np.uint64(0x3C79AC492BA7B653), np.uint64(0x1C69B3F74AC4AE35)


def owner(keys: Any, shards: int, *, seed: int = 0) -> Array:
    """Say which shard has each key.

    It depends on the bits of the key alone, so it is the same in all processes. A bijective hash of
    the 64 bits is read as a fraction between 0 and 1, and that times the number of shards, rounded
    down, is the shard. A key of 32 bits is filled up with zeros.

    The tables inside a worker hash with other constants and with a random seed for each table, by a
    folded multiplication. So the keys of one shard are as evenly spread in a table as all keys are.

    The hash has no secret: who chooses keys can choose them to be of one shard.

    Parameters
    ----------
    keys : array-like
        Numbers of up to 64 bits in host memory. Narrower ones than 32 bits are widened first.
    shards : int
        How many there are: 1 to 2^32.
    seed : int
        Another seed gives another division. The functions of this module use 0 for the shards.

    Returns
    -------
    array of int64
        A number from 0 to ``shards - 1`` for each key.

    Examples
    --------
    >>> import numpy as np
    >>> from warpproof.dask import owner
    >>> owner(np.arange(6), 3)
    array([0, 0, 0, 0, 2, 1])
    """
    if not 1 <= shards <= 1 << 32:
        raise ValueError(f"{shards} shards are not possible: 1 to 2^32 are")
    bits = given(keys, "keys").host().bits()
    found = np.empty(len(bits), np.int64)
    start = np.uint64((seed * int(_SQRT3) + int(_SQRT2)) & (2**64 - 1))
    for row in range(0, len(bits), _BLOCK):
        block = bits[row : row + _BLOCK].astype(np.uint64)
        found[row : row + _BLOCK] = (_hash(block ^ start) >> np.uint64(32)) * np.uint64(
            shards
        ) >> np.uint64(32)
    return found


def _hash(bits: Array) -> Array:
    """Spread differences over all bits: a bijection."""
    bits ^= bits >> np.uint64(27)
    bits *= _FIRST
    bits ^= bits >> np.uint64(33)
    bits *= _SECOND
    bits ^= bits >> np.uint64(27)
    return bits


def divided(bits: Array, pieces: int, seed: int) -> list[Array]:
    """Return the rows of each piece, in ascending order. It is no division into shards."""
    place = owner(bits, pieces, seed=seed + 1)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(1, pieces))
    return np.split(order, ends)


def rows_of(budget: int | str | None, width: int) -> int | None:
    """Return how many rows of so many bytes a call gets within a budget, or None without one."""
    if budget is None:
        return None
    size = _bytes(budget)
    if size < LEAST:
        raise ValueError(f"a budget of {size} bytes is not possible: {LEAST} and more are")
    return max(size // (ROW + 2 * width), 64)


def shards_for(rows: int, limit: int) -> int:
    """Return how many shards it takes for each to fit a call, with room for uneven ones."""
    return max(-(-4 * rows // (3 * limit)), 1)
