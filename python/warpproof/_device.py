"""Columns in device memory: a table finds the groups, the array's library does the rest.

Each function takes and returns flat arrays of the library that the keys are of.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _native
from ._devices import gpu
from ._given import Given, need, unsigned

_INT64 = np.dtype(np.int64)
#: Rows of the sample that decides how large a table is made, and the fewest rows of which one is
#: drawn: a table of fewer takes less time than the sample.
_SAMPLE = 1 << 12
_SAMPLED = 1 << 20
#: From how many rows on, and for how many bytes of keys, a table is searched with a filter if most
#: rows are not there; the keys for each word of the filter, and its most words: those that the L2
#: cache of a large GPU has room for.
_FILTERED = 1 << 22
_FILTERED_BYTES = 1 << 24
_OF_WORD = 4
_MOST_WORDS = 6 << 20
#: The most rows that are grouped at a time.
_MOST_ROWS = 1 << 31
#: The part of the expected keys for which a table has room besides.
_SPARE = 6
#: The least entries that a table is made for.
_LEAST = 1 << 16
#: From how many rows of a key on, on average, its column is factorized by its distinct keys.
_REPEATS = 4
#: In how many rows the first rows of groups are looked for at first, and the growth of that number.
_BEGIN = 1 << 14
_GROWTH = 64


class Call:
    """A table on the GPU of some keys, and its calls on their library's stream."""

    def __init__(self, table: _native.Table, keys: Given, entries: int = 0) -> None:
        assert keys.ordinal is not None, "device memory"
        self.ops: Any = need(keys.library)
        self.ordinal = keys.ordinal
        self.table = table
        #: How many entries a table of a fixed size has at most.
        self.entries = entries

    def of(self, length: int) -> _native.DeviceCall:
        """Return the calls on arrays of so many elements."""
        stream = self.ops.stream(self.ordinal)
        return _native.DeviceCall(self.table, gpu(self.ordinal), stream, length)

    def empty(self, length: int, dtype: Any) -> Any:
        return self.ops.empty(length, np.dtype(dtype), self.ordinal)

    def put(self, how: str, keys: Given, values: Any) -> Any:
        """Insert pairs, and return the codes of the outcomes."""
        codes, at = self.empty(len(keys), np.uint8), self.ops.address
        self.of(len(keys)).put(how, at(keys.array), at(values), at(codes))
        return codes

    def add(self, keys: Given) -> Any:
        """Insert keys into a set, and return the codes of the outcomes."""
        codes, at = self.empty(len(keys), np.uint8), self.ops.address
        self.of(len(keys)).add(at(keys.array), at(codes))
        return codes

    def search(self, keys: Given, dtype: np.dtype[Any], missing: int, out: Any = None) -> Any:
        """Return the value of each key."""
        values = self.empty(len(keys), dtype) if out is None else out
        at = self.ops.address
        self.of(len(keys)).search(at(keys.array), at(values), 0, missing, self._at(None))
        return values

    def search_found(self, keys: Given, dtype: np.dtype[Any], missing: int) -> tuple[Any, Any]:
        """Return the value of each key, and whether it is there."""
        words = self._words_of_filter(keys)
        values, found = self.empty(len(keys), dtype), self.empty(len(keys), np.bool_)
        at = self.ops.address
        self.of(len(keys)).search(at(keys.array), at(values), at(found), missing, self._at(words))
        return values, found

    def contains(self, keys: Given) -> Any:
        """Return whether each key is there."""
        words = self._words_of_filter(keys)
        found, at = self.empty(len(keys), np.bool_), self.ops.address
        self.of(len(keys)).contains(at(keys.array), at(found), self._at(words))
        return found

    def _words_of_filter(self, keys: Given) -> Any:
        """Return memory for a filter if, by a sample, two of three keys are not in the table."""
        words = self.entries // _OF_WORD
        if len(keys) < _FILTERED or self.entries * keys.dtype.itemsize < _FILTERED_BYTES:
            return None
        if words > _MOST_WORDS:
            return None
        some = _drawn(keys, _SAMPLE // 4)
        found, at = self.empty(len(some), np.bool_), self.ops.address
        self.of(len(some)).contains(at(some.array), at(found), self._at(None))
        if 3 * int(found.sum()) > len(some):
            return None
        return self.empty(words, _INT64)

    def _at(self, words: Any) -> tuple[int, int]:
        return (0, 0) if words is None else (self.ops.address(words), len(words))

    def delete(self, keys: Given) -> Any:
        """Delete an entry of each key, and return whether there was one."""
        codes, at = self.empty(len(keys), np.uint8), self.ops.address
        self.of(len(keys)).delete(at(keys.array), at(codes))
        return codes == 0


def _fixed(kind: str, keys: Given, capacity: int) -> Call:
    assert keys.ordinal is not None, "device memory"
    width = keys.dtype.itemsize * 8
    return Call(_native.Table(kind, width, capacity, gpu(keys.ordinal)), keys, capacity)


def _drawn(keys: Given, count: int) -> Given:
    """Return the keys of random rows: keys may repeat in a pattern."""
    ops: Any = need(keys.library)
    rows = np.random.default_rng().integers(0, len(keys), count)
    array = ops.take(keys.array, ops.from_host(rows, keys.ordinal))
    return Given(array, keys.dtype, (count,), keys.ordinal, keys.library)


def _sample(keys: Given) -> tuple[int, int]:
    """Return how many distinct keys random rows have, and how many of these one row alone has."""
    ops: Any = need(keys.library)
    part = ops.to_host(_drawn(keys, _SAMPLE).array)
    _, counts = np.unique(part.view(unsigned(keys.dtype)), return_counts=True)
    return len(counts), int((counts == 1).sum())


def _estimate(rows: int, seen: int, single: int) -> int:
    """Estimate how many distinct keys there are: seldom too few, and never more than rows."""
    # What was seen once estimates what was not seen (Good, 1953).
    return min(rows, seen + rows * (single + 8) // _SAMPLE)


def _expected(keys: Given) -> int:
    """Estimate how many distinct keys there are, of few rows as many as rows."""
    rows = len(keys)
    return rows if rows < _SAMPLED else _estimate(rows, *_sample(keys))


def _filled(kind: str, how: str, keys: Given, values: Any, distinct: int) -> tuple[Call, Any]:
    """Return a table of these keys, and the codes of the outcomes."""
    while True:
        call = _fixed(kind, keys, max(distinct + distinct // _SPARE, _LEAST))
        codes = call.add(keys) if values is None else call.put(how, keys, values)
        full = int((codes == 2).sum())
        if full == 0:
            return call, codes
        if distinct >= len(keys):
            raise MemoryError(f"{full} of {len(keys)} keys found no room")
        distinct = len(keys)


@functools.cache
def _grouping(ordinal: int, width: int) -> _native.Grouping:
    return _native.Grouping(width, gpu(ordinal))


def _grouped(keys: Given, values: Any, counted: bool) -> tuple[Any, Any, Any]:
    """Return the distinct keys, how many rows each has, and the sums of 64-bit values."""
    ops: Any = need(keys.library)
    assert keys.ordinal is not None, "device memory"
    ordinal, rows, at = keys.ordinal, len(keys), ops.address
    if rows > _MOST_ROWS:
        raise ValueError(
            f"{rows} rows of an array on a GPU are too many: {_MOST_ROWS} are possible"
        )
    grouping = _grouping(ordinal, keys.dtype.itemsize * 8)
    scratch = ops.empty(grouping.scratch_bytes(rows, values is not None), np.uint8, ordinal)
    found = ops.empty(rows, keys.dtype, ordinal)
    counts = ops.empty(rows, _INT64, ordinal) if counted else None
    sums = None if values is None else ops.empty(rows, _INT64, ordinal)
    addresses = [0 if array is None else at(array) for array in (values, counts, sums)]
    length = grouping.run(
        ops.stream(ordinal),
        rows,
        at(keys.array),
        addresses[0],
        at(scratch),
        rows,
        at(found),
        *addresses[1:],
    )
    del scratch
    # A view keeps all of its memory: a short one is copied.
    parts = [None if array is None else array[:length] for array in (found, counts, sums)]
    short = 2 * length < rows
    kept = [ops.copy(part) if short and part is not None else part for part in parts]
    return kept[0], kept[1], kept[2]


def unique(keys: Given) -> Any:
    """Return the distinct keys."""
    return _grouped(keys, None, False)[0]


def group_sums(keys: Given, values: Given) -> tuple[Any, Any]:
    """Return the distinct keys, and the sums of integers, in no order."""
    ops: Any = need(values.library)
    bits = values.array
    if values.dtype.itemsize != _INT64.itemsize:
        bits = ops.cast(bits, _INT64)
    found, _, sums = _grouped(keys, bits, True)
    return found, ops.view(sums, np.dtype(np.uint64)) if values.dtype.kind == "u" else sums


def isin(keys: Given, others: Given) -> Any:
    """Return whether each key is among others."""
    rows, most = len(others), _native.Grouping.MOST_FEW
    if rows <= most:
        return _among(keys, others.array)
    distinct = rows
    if rows >= _SAMPLED:
        seen, single = _sample(others)
        if single == 0 and 2 * seen <= most and rows <= _MOST_ROWS:
            few = unique(others)
            if len(few) <= most:
                return _among(keys, few)
        distinct = _estimate(rows, seen, single)
    return _filled("FixedSet", "insert", others, None, distinct)[0].contains(keys)


def _among(keys: Given, few: Any) -> Any:
    """Return whether each key is among a few others."""
    ops: Any = need(keys.library)
    assert keys.ordinal is not None, "device memory"
    ordinal, at = keys.ordinal, ops.address
    words = ops.to_host(few).view(unsigned(keys.dtype)).tolist()
    found = ops.empty(len(keys), np.bool_, ordinal)
    parts = range(0, max(len(keys), 1), _MOST_ROWS)
    grouping = _grouping(ordinal, keys.dtype.itemsize * 8)
    scratch = ops.empty(grouping.scratch_bytes(0, False), np.uint8, ordinal)
    for first in parts:
        part, to = keys.array[first : first + _MOST_ROWS], found[first : first + _MOST_ROWS]
        column = (at(part), len(part))
        grouping.among(ops.stream(ordinal), column, words, at(scratch), at(to))
    return found


def value_counts(keys: Given) -> tuple[Any, Any]:
    """Return the distinct keys, and how often each occurs, in no order."""
    found, counts, _ = _grouped(keys, None, True)
    return found, counts


def _row_type(keys: Given) -> np.dtype[Any]:
    """Return the type of row numbers that a map holds beside such keys."""
    signed = np.dtype(f"int{keys.dtype.itemsize * 8}")
    if len(keys) > np.iinfo(signed).max:
        raise ValueError(f"{len(keys)} rows of {signed.itemsize * 8}-bit keys are too many")
    return signed


def _leaders(keys: Given, how: str, distinct: int) -> tuple[Call, Any, Any]:
    """Return a map from each key to one row that has it, that row for each row, and all rows.

    With "insert_or_min" that row is the first one.
    """
    signed = _row_type(keys)
    ops: Any = need(keys.library)
    assert keys.ordinal is not None, "device memory"
    rows = ops.rows(len(keys), signed, keys.ordinal)
    call, _ = _filled("FixedMap", how, keys, rows, distinct)
    leaders = call.search(keys, signed, 0)
    return call, ops.cast(leaders, _INT64), ops.cast(rows, _INT64)


def factorize(keys: Given) -> tuple[Any, Any]:
    """Return the group of each row, and the first row of each group, in the order of first rows."""
    distinct = _expected(keys)
    if 0 < distinct * _REPEATS <= len(keys) <= _MOST_ROWS:
        return _factorized_by_distinct(keys)
    call, first, rows = _leaders(keys, "insert_or_min", distinct)
    ops, begins = call.ops, first == rows
    return ops.take(ops.cumsum(begins) - 1, first), ops.nonzero(begins)


def _factorized_by_distinct(keys: Given) -> tuple[Any, Any]:
    """Factorize a column whose keys repeat: only the distinct ones are put into a table."""
    ops: Any = need(keys.library)
    signed, ordinal = _row_type(keys), keys.ordinal
    found, _, _ = _grouped(keys, None, False)
    groups = len(found)
    distinct = Given(found, keys.dtype, (groups,), ordinal, keys.library)
    call, _ = _filled(
        "FixedMap", "insert_unique", distinct, ops.rows(groups, signed, ordinal), groups
    )
    numbers = ops.cast(call.search(keys, signed, 0), _INT64)
    first = _first_rows(ops, numbers, groups, ordinal)
    order = ops.order(first)
    # Where each group is in that order.
    places = ops.full(groups, 0, _INT64, ordinal)
    places = ops.scatter_add(places, order, ops.rows(groups, _INT64, ordinal))
    return ops.take(places, numbers), ops.take(first, order)


def _first_rows(ops: Any, numbers: Any, groups: int, ordinal: int | None) -> Any:
    """Return the first row of each group, from the group of each row."""
    rows = len(numbers)
    first = ops.full(groups, rows, _INT64, ordinal)
    begin, end = 0, min(rows, _BEGIN)
    first = ops.scatter_min(first, numbers[:end], ops.rows(end, _INT64, ordinal))
    # A group of many rows, all of which would change one number, has its first one early.
    while end < rows and bool((first == rows).any()):
        begin, end = end, min(rows, end * _GROWTH)
        part = numbers[begin:end]
        late = ops.nonzero(ops.take(first, part) == rows)
        first = ops.scatter_min(first, ops.take(part, late), late + begin)
    return first


def fold(numbers: Any, groups: int, values: Given, how: str) -> Any:
    """Return the sum, minimum, maximum or mean of the values of each group."""
    ops: Any = need(values.library)
    assert values.ordinal is not None, "device memory"
    if how in ("sum", "mean"):
        whole = how == "sum" and values.dtype.kind in "iu"
        exact = np.dtype(np.int64 if whole else np.float64)
        sums = ops.full(groups, 0, exact, values.ordinal)
        as_exact = values.array
        if values.dtype == np.uint64 and whole:
            as_exact = ops.view(as_exact, exact)
        sums = ops.scatter_add(sums, numbers, ops.cast(as_exact, exact))
        if how == "mean":
            return sums / ops.counts(numbers, groups)
        if values.dtype.kind == "u":
            return ops.view(sums, np.dtype(np.uint64))
        return ops.cast(sums, values.dtype) if values.dtype.kind == "f" else sums
    return _extreme(ops, numbers, groups, values, how)


def _extreme(ops: Any, numbers: Any, groups: int, values: Given, how: str) -> Any:
    kind, width, least = values.dtype.kind, values.dtype.itemsize, how == "min"
    array, ordinal = values.array, values.ordinal
    if kind == "f":
        start: Any = np.inf if least else -np.inf
        dtype = values.dtype
    else:
        # Unsigned numbers are compared as signed ones with the highest bit flipped.
        dtype = np.dtype(f"int{width * 8}")
        flip = np.iinfo(dtype).min
        array = ops.view(array, dtype) ^ flip if kind == "u" else array
        start = np.iinfo(dtype).max if least else flip
    scatter = ops.scatter_min if least else ops.scatter_max
    found = scatter(ops.full(groups, start, dtype, ordinal), numbers, array)
    if kind == "u":
        return ops.view(found ^ flip, values.dtype)
    if kind == "f":
        # Whether a library's minimum is a NaN if one value is differs: say so here.
        nans = ops.cast(ops.isnan(array), np.dtype(np.int32))
        any_nan = ops.scatter_max(ops.full(groups, 0, np.dtype(np.int32), ordinal), numbers, nans)
        return ops.where(any_nan > 0, ops.full(groups, np.nan, dtype, ordinal), found)
    return found


def join(left: Given, right: Given, how: str) -> tuple[Any, Any]:
    """Return the rows of an inner or left join; of a semi or anti join those of the left."""
    call, leaders, rows = _leaders(right, "insert_unique", _expected(right))
    ops, ordinal = call.ops, call.ordinal
    signed = np.dtype(f"int{left.dtype.itemsize * 8}")
    found_at, found = call.search_found(left, signed, 0)
    if how in ("semi", "anti"):
        return ops.nonzero(found if how == "semi" else ~found), None
    if len(right) == 0:
        lefts = ops.rows(len(left) if how == "left" else 0, _INT64, ordinal)
        return lefts, ops.full(len(lefts), -1, _INT64, ordinal)
    ids = ops.cumsum(leaders == rows) - 1
    numbers = ops.take(ids, leaders)
    sizes = ops.counts(numbers, int(ids[-1]) + 1)
    starts = ops.cumsum(sizes) - sizes
    order = ops.order(numbers)
    group = ops.take(ids, ops.cast(found_at, _INT64))
    matches = ops.where(found, ops.take(sizes, group), 0)
    repeats = ops.where(found, matches, 1) if how == "left" else matches
    lefts = ops.repeat(ops.rows(len(left), _INT64, ordinal), repeats)
    begins = ops.cumsum(repeats) - repeats
    place = ops.rows(len(lefts), _INT64, ordinal) - ops.take(begins, lefts)
    there = ops.take(matches, lefts) > 0
    place = ops.where(there, ops.take(starts, ops.take(group, lefts)) + place, 0)
    return lefts, ops.where(there, ops.take(order, place), -1)
