"""Joins of a shard within a budget: rows of both sides with one key."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _columns
from ._owner import Array, divided
from ._placed import Place

#: How often rows are divided by their keys, before those of a key are taken in blocks.
_DIVISIONS = 3


def pairs(
    left: Array, right: Array, how: str, limit: int | None, place: Place
) -> tuple[Array, Any]:
    """Return the rows of a join, by calls with no more rows than the limit.

    They are in no particular order. A right row is -1 if there is none; of a "semi" or "anti" join
    there are only left rows.
    """
    return _Join(how, limit, place).divided(left, right, 0)


class _Join:
    def __init__(self, how: str, limit: int | None, place: Place) -> None:
        self._how, self._limit, self._place = how, limit, place

    def divided(self, left: Array, right: Array, depth: int) -> tuple[Array, Any]:
        rows = len(left) + len(right)
        if self._limit is None or rows <= self._limit:
            return self._call(left, right, self._how)
        if depth == _DIVISIONS:
            return self._in_blocks(left, right, max(self._limit // 2, 1))
        pieces = -(-2 * rows // self._limit)
        found = []
        sides = divided(left, pieces, depth), divided(right, pieces, depth)
        for lefts, rights in zip(*sides, strict=True):
            one, other = self.divided(left[lefts], right[rights], depth + 1)
            found.append((lefts[one], None if other is None else _taken(rights, other)))
        return _listed(found)

    def _in_blocks(self, left: Array, right: Array, block: int) -> tuple[Array, Any]:
        """Join each block of left rows with each of right ones: a few keys have many rows."""
        found: list[tuple[Array, Any]] = []
        one_sided = self._how in ("semi", "anti")
        for start in range(0, len(left), block):
            some = left[start : start + block]
            partner = np.zeros(len(some), np.bool_)
            for other_start in range(0, len(right), block):
                others = right[other_start : other_start + block]
                lefts, rights = self._call(some, others, "semi" if one_sided else "inner")
                partner[lefts] = True
                if not one_sided:
                    found.append((lefts + start, rights + other_start))
            if one_sided:
                found.append((start + np.flatnonzero(partner == (self._how == "semi")), None))
            elif self._how == "left":
                alone = start + np.flatnonzero(~partner)
                found.append((alone, np.full(len(alone), -1)))
        if not found:
            nothing = np.empty(0, np.int64)
            return nothing, None if one_sided else nothing
        return _listed(found)

    def _call(self, left: Array, right: Array, how: str) -> tuple[Array, Any]:
        one, other = self._place.put(left), self._place.put(right)
        if how == "semi":
            return self._place.get(_columns.semi_join(one, other)), None
        if how == "anti":
            return self._place.get(_columns.anti_join(one, other)), None
        join = _columns.inner_join if how == "inner" else _columns.left_join
        lefts, rights = join(one, other)
        return self._place.get(lefts), self._place.get(rights)


def _taken(rows: Array, places: Array) -> Array:
    """Return the rows at some places, and -1 for the place -1."""
    if not len(rows):
        return np.full(len(places), -1)
    return np.where(places < 0, -1, rows[places])


def _listed(found: list[tuple[Array, Any]]) -> tuple[Array, Any]:
    lefts = np.concatenate([one for one, _ in found])
    if found[0][1] is None:
        return lefts, None
    return lefts, np.concatenate([other for _, other in found])
