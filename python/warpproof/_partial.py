"""Groups in parts: what a worker does with a partition before the shuffle, and with a shard after.

A row has the bits of a key and the states of a fold, as many as the fold has. Equal keys are
combined by adding their states up, or by their lowest or highest one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _columns
from ._arrays import given, wide_enough
from ._owner import Array, divided
from ._placed import Place

#: How the states of equal keys are combined.
_COMBINED = {
    "unique": (),
    "count": ("sum",),
    "sum": ("sum",),
    "min": ("min",),
    "max": ("max",),
    "mean": ("sum", "sum"),
}


@dataclass(frozen=True)
class Rows:
    """Bits of keys as signed numbers, and the states of each row."""

    bits: Array
    states: tuple[Array, ...]

    def __len__(self) -> int:
        return len(self.bits)

    def take(self, rows: Array | slice) -> Rows:
        """Return some of the rows."""
        return Rows(self.bits[rows], tuple(state[rows] for state in self.states))

    def slices(self, limit: int | None) -> Iterator[Rows]:
        """Give the rows in slices."""
        step = max(len(self), 1) if limit is None else limit
        for row in range(0, max(len(self), 1), step):
            yield self.take(slice(row, row + step))


def joined(parts: list[Rows]) -> Rows:
    """Return the rows of all parts."""
    if len(parts) == 1:
        return parts[0]
    states = zip(*(part.states for part in parts), strict=True)
    return Rows(
        np.concatenate([part.bits for part in parts]),
        tuple(np.concatenate(state) for state in states),
    )


@dataclass(frozen=True)
class Fold:
    """A fold of the values of each key, which can be done in parts."""

    how: str
    key: np.dtype[Any]
    value: np.dtype[Any] | None = None

    @property
    def result(self) -> np.dtype[Any] | None:
        """The type of a result: that of the function of columns."""
        if self.how == "unique":
            return None
        groups = _columns.group_by(np.empty(0, self.key))
        if self.how == "count":
            results = groups.count()[1]
        else:
            results = getattr(groups, self.how)(np.empty(0, self.value))[1]
        dtype: np.dtype[Any] = results.dtype
        return dtype

    @property
    def states(self) -> tuple[np.dtype[Any], ...]:
        """The types of the states of a row."""
        whole, real = np.dtype(np.int64), np.dtype(np.float64)
        result = self.result
        if result is None:
            return ()
        if self.how == "mean":
            return (real, whole)
        if self.how == "sum" and result.kind == "f":
            return (real,)
        return (result,)

    @property
    def width(self) -> int:
        """The bytes of a row."""
        return 8 + sum(state.itemsize for state in self.states)

    def rows(self, keys: Any, values: Any) -> Rows:
        """Return a row of each key and its value."""
        bits = signed(given(keys, "keys").host().bits())
        if self.value is not None:
            values = given(values, "values").host().array
            if len(values) != len(bits):
                raise ValueError(f"there are {len(bits)} keys and {len(values)} values")
        states = [
            np.ones(len(bits), dtype)
            if self.how == "count" or number == 1
            else values.astype(dtype, copy=False)
            for number, dtype in enumerate(self.states)
        ]
        return Rows(bits, tuple(states))

    def partial(self, keys: Any, values: Any, limit: int | None, place: Place) -> Rows:
        """Combine the equal keys of a partition, slice by slice."""
        step = max(len(keys), 1) if limit is None else limit
        parts = []
        for row in range(0, max(len(keys), 1), step):
            some = None if values is None else values[row : row + step]
            parts.append(self.combined(self.rows(keys[row : row + step], some), place))
        return joined(parts)

    def combined(self, rows: Rows, place: Place) -> Rows:
        """Combine the equal keys of some rows, by one call."""
        bits = place.put(rows.bits)
        if not rows.states:
            return Rows(place.get(_columns.unique(bits)), ())
        groups = _columns.group_by(bits)
        found, states = rows.bits, []
        for state, how in zip(rows.states, _COMBINED[self.how], strict=True):
            keys, folded = getattr(groups, how)(place.put(state))
            found = place.get(keys)
            states.append(place.get(folded).astype(state.dtype, copy=False))
        return Rows(found, tuple(states))

    def whole(self, rows: Rows, limit: int | None, place: Place, depth: int = 0) -> Rows:
        """Combine all equal keys, by calls with no more rows than the limit.

        Too many rows are divided by their keys. If a piece is still too large, a few keys have many
        rows: those are combined slice by slice, and what is left is divided again.
        """
        if limit is None or len(rows) <= limit:
            return self.combined(rows, place)
        if depth > 0:
            rows = joined([self.combined(part, place) for part in rows.slices(limit)])
            if len(rows) <= limit:
                return self.combined(rows, place)
        pieces = divided(rows.bits, -(-2 * len(rows) // limit), depth)
        return joined([self.whole(rows.take(some), limit, place, depth + 1) for some in pieces])

    def finish(self, rows: Rows) -> tuple[Array, Array | None]:
        """Return the keys and results of rows that are combined."""
        keys = keys_of(rows.bits, self.key)
        if not rows.states:
            return keys, None
        if self.how == "mean":
            return keys, rows.states[0] / rows.states[1]
        return keys, rows.states[0].astype(self.result, copy=False)


def signed(bits: Array) -> Array:
    """Return bits as signed numbers, which every engine and library takes."""
    return bits.view(np.int32 if bits.itemsize == 4 else np.int64)


def keys_of(bits: Array, dtype: np.dtype[Any]) -> Array:
    """Return the keys of a type whose bits these are."""
    return bits.view(wide_enough(dtype)).astype(dtype, copy=False)
