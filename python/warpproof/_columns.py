"""Functions of whole columns: what people sort or build an index for."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from . import _native
from ._arrays import column, given, same_length, same_place
from ._given import Given, need
from ._progress import Progress, report

_INT64 = np.dtype(np.int64)


def unique(
    keys: Any,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    sorted: bool = False,
    progress: Progress = None,
) -> Any:
    """Find the distinct keys of an array.

    Parameters
    ----------
    keys : array-like
        Numbers of up to 64 bits, in host or device memory.
    return_index, return_inverse, return_counts : bool
        Whether to return, too: the first row of each distinct key; for each row which of the
        distinct keys it has; how often each occurs.
    sorted : bool
        Whether the distinct keys are in ascending order. Otherwise they are in the order of their
        first rows; on a GPU in no particular order, unless something besides them is returned.
    progress : bool or callable, optional
        True shows a bar if tqdm is there; a callable gets the number of rows that passed.

    Returns
    -------
    array or tuple of arrays
        The distinct keys, and what was asked for besides, as 64-bit integers.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> keys = np.array([30, 10, 30, 20])
    >>> wp.unique(keys)
    array([30, 10, 20])
    >>> wp.unique(keys, return_inverse=True, return_counts=True)
    (array([30, 10, 20]), array([0, 1, 0, 2]), array([2, 1, 1]))
    >>> wp.unique(keys, sorted=True)
    array([10, 20, 30])
    """
    original = given(keys, "keys")
    plain = not (return_index or return_inverse or return_counts)
    if original.ordinal is not None:
        return _unique_on_device(
            original, plain, return_index, return_inverse, return_counts, sorted
        )
    first, sizes, numbers = _groups(original, (return_counts, return_inverse), progress)
    found = _taken(original, first)
    if sorted:
        order = np.argsort(found, kind="stable")
        found, first = found[order], first[order]
        sizes = sizes[order] if return_counts else sizes
        if return_inverse:
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            numbers = place[numbers]
    results = [original.result(original.as_given(found))]
    if return_index:
        results.append(original.result(first))
    if return_inverse:
        results.append(original.result(numbers, original.shape))
    if return_counts:
        results.append(original.result(sizes))
    return results[0] if plain else tuple(results)


def isin(keys: Any, others: Any, *, invert: bool = False, progress: Progress = None) -> Any:
    """Say for each key whether it is among others.

    Parameters
    ----------
    keys, others : array-like
        Numbers of one type, in one memory.
    invert : bool
        Whether to say which keys are not among them.
    progress : bool or callable, optional
        As of `unique`.

    Returns
    -------
    array of bool
        As many as keys, of their shape.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.isin(np.array([1, 2, 3]), np.array([3, 1]))
    array([ True, False,  True])
    """
    one, other = _alike(given(keys, "keys"), given(others, "others"))
    if one.ordinal is not None:
        from . import _device

        ops: Any = need(one.library)
        on_gpu = _device.isin(one, other)
        return ops.reshape(~on_gpu if invert else on_gpu, one.shape)
    with report(progress, "isin", len(one)) as said:
        found = column(_native.isin(one.bits(), other.bits(), said), np.bool_)
    return one.result(~found if invert else found, one.shape)


def factorize(keys: Any, *, progress: Progress = None) -> tuple[Any, Any]:
    """Number the distinct keys in the order of their first rows.

    Parameters
    ----------
    keys : array-like
        Numbers of up to 64 bits.
    progress : bool or callable, optional
        As of `unique`.

    Returns
    -------
    codes : array of int64
        The number of each key, of the shape of `keys`.
    distinct : array
        The key of each number.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.factorize(np.array([30, 10, 30, 20]))
    (array([0, 1, 0, 2]), array([30, 10, 20]))
    """
    found, codes = unique(keys, return_inverse=True, progress=progress)
    return codes, found


def value_counts(keys: Any, *, sort: bool = False, progress: Progress = None) -> tuple[Any, Any]:
    """Count how often each distinct key occurs.

    Parameters
    ----------
    keys : array-like
        Numbers of up to 64 bits.
    sort : bool
        Whether the most frequent key comes first. Otherwise keys are in the order of their first
        rows, and on a GPU in no particular order.
    progress : bool or callable, optional
        As of `unique`.

    Returns
    -------
    distinct : array
        The distinct keys.
    counts : array of int64
        How often each occurs.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.value_counts(np.array([30, 10, 10, 20]), sort=True)
    (array([10, 30, 20]), array([2, 1, 1]))
    """
    original = given(keys, "keys")
    if original.ordinal is not None:
        from . import _device

        ops: Any = need(original.library)
        values, counts = _device.value_counts(original)
        if sort:
            order = ops.order(-counts)
            values, counts = ops.take(values, order), ops.take(counts, order)
        return _made(original, original.as_given(values)), _made(original, counts)
    first, sizes, _ = _groups(original, (True, False), progress)
    if sort:
        order = np.argsort(-sizes, kind="stable")
        first, sizes = first[order], sizes[order]
    found = original.as_given(_taken(original, first))
    return original.result(found), original.result(sizes)


class GroupBy:
    """The rows of an array of keys, grouped: made by `group_by`.

    Each method returns the distinct keys and a result for each, in the order of first rows unless
    `group_by` was told otherwise.
    """

    def __init__(self, keys: Any, ordered: bool = True) -> None:
        self._given = given(keys, "keys")
        self._keys = keys
        self._ordered = ordered
        self._numbered: tuple[Any, Any] | None = None

    def sum(self, values: Any, *, progress: Progress = None) -> tuple[Any, Any]:
        """Add the values of each group.

        Integers are added in 64 bits and wrap around; floating-point numbers in 64 bits, with a
        result of their own type. A NaN makes its group's result a NaN, in all methods.

        Examples
        --------
        >>> import numpy as np, warpproof as wp
        >>> wp.group_by(np.array([7, 8, 7])).sum(np.array([1.5, 2.0, 3.0]))
        (array([7, 8]), array([4.5, 2. ]))
        """
        return self._fold(values, "sum", progress)

    def min(self, values: Any, *, progress: Progress = None) -> tuple[Any, Any]:
        """Find the lowest value of each group.

        Examples
        --------
        >>> import numpy as np, warpproof as wp
        >>> wp.group_by(np.array([7, 8, 7])).min(np.array([1, 2, -3]))
        (array([7, 8]), array([-3,  2]))
        """
        return self._fold(values, "min", progress)

    def max(self, values: Any, *, progress: Progress = None) -> tuple[Any, Any]:
        """Find the highest value of each group.

        Examples
        --------
        >>> import numpy as np, warpproof as wp
        >>> wp.group_by(np.array([7, 8, 7])).max(np.array([1, 2, -3]))
        (array([7, 8]), array([1, 2]))
        """
        return self._fold(values, "max", progress)

    def mean(self, values: Any, *, progress: Progress = None) -> tuple[Any, Any]:
        """Average the values of each group, as 64-bit floating-point numbers.

        Examples
        --------
        >>> import numpy as np, warpproof as wp
        >>> wp.group_by(np.array([7, 8, 7])).mean(np.array([1, 2, 4]))
        (array([7, 8]), array([2.5, 2. ]))
        """
        return self._fold(values, "mean", progress)

    def count(self, *, progress: Progress = None) -> tuple[Any, Any]:
        """Count the rows of each group, as 64-bit integers.

        Examples
        --------
        >>> import numpy as np, warpproof as wp
        >>> wp.group_by(np.array([7, 8, 7])).count()
        (array([7, 8]), array([2, 1]))
        """
        if self._given.ordinal is None:
            return value_counts(self._keys, progress=progress)
        ops: Any = need(self._given.library)
        if not self._ordered:
            from . import _device

            return self._found(*_device.value_counts(self._given))
        numbers, first = self._groups_on_device()
        return self._with_keys(first, ops.counts(numbers, len(first)))

    def _fold(self, values: Any, how: str, progress: Progress) -> tuple[Any, Any]:
        folded = given(values, "values")
        same_place(self._given, folded)
        same_length(self._given, folded)
        if folded.dtype.kind in "mM":
            raise TypeError(f"values of type {folded.dtype} are not possible; numbers are")
        if self._given.ordinal is not None:
            from . import _device

            if how == "sum" and folded.dtype.kind in "iu" and not self._ordered:
                return self._found(*_device.group_sums(self._given, folded))
            numbers, first = self._groups_on_device()
            return self._with_keys(first, _device.fold(numbers, len(first), folded, how))
        with report(progress, how, None) as said:
            native = _native.fold(self._given.bits(), folded.array, how, said)
        first, states = column(native[0], np.int64), native[1]
        kind, dtype = folded.dtype.kind, folded.dtype
        if how == "mean" or (how == "sum" and kind == "f"):
            result = column(states, np.float64).astype(
                np.float64 if how == "mean" else dtype, copy=False
            )
        elif how == "sum":
            result = column(states, np.int64 if kind == "i" else np.uint64)
        else:
            result = column(states, dtype)
        found = self._given.as_given(_taken(self._given, first))
        return self._given.result(found), self._given.result(result)

    def _groups_on_device(self) -> tuple[Any, Any]:
        if self._numbered is None:
            from . import _device

            self._numbered = _device.factorize(self._given)
        return self._numbered

    def _with_keys(self, first: Any, result: Any) -> tuple[Any, Any]:
        ops: Any = need(self._given.library)
        return self._found(ops.take(self._given.array, first), result)

    def _found(self, keys: Any, result: Any) -> tuple[Any, Any]:
        return _made(self._given, self._given.as_given(keys)), _made(self._given, result)


def group_by(keys: Any, *, ordered: bool = True) -> GroupBy:
    """Group the rows of an array by their keys.

    Parameters
    ----------
    keys : array-like
        Numbers of up to 64 bits. The array must not change while the result is used.
    ordered : bool
        Whether groups are in the order of their first rows. Otherwise a GPU counts rows and adds
        integers faster (`python benches/bench.py`), and each call returns the groups in another
        order: the results of `sum` and `count` do not line up.

    Returns
    -------
    GroupBy
        Its methods `sum`, `min`, `max`, `mean` and `count` return the distinct keys and a result
        for each.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> keys, sums = wp.group_by(np.array([7, 8, 7])).sum(np.array([1, 2, 4]))
    >>> keys, sums
    (array([7, 8]), array([5, 2]))
    """
    return GroupBy(keys, ordered)


def inner_join(left: Any, right: Any, *, progress: Progress = None) -> tuple[Any, Any]:
    """Find the pairs of rows with one key.

    Parameters
    ----------
    left, right : array-like
        Keys of one type, in one memory.
    progress : bool or callable, optional
        As of `unique`.

    Returns
    -------
    left_rows, right_rows : array of int64
        A row of `left` and one of `right` for each pair, in ascending order of the left rows, then
        of the right ones.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.inner_join(np.array([9, 7]), np.array([7, 8, 7]))
    (array([1, 1]), array([0, 2]))
    """
    return _join(left, right, "inner", progress)


def left_join(left: Any, right: Any, *, progress: Progress = None) -> tuple[Any, Any]:
    """Find the pairs of rows with one key, and the left rows that have none on the right.

    Parameters
    ----------
    left, right, progress
        As of `inner_join`.

    Returns
    -------
    left_rows, right_rows : array of int64
        As of `inner_join`; the right row is -1 if there is none.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.left_join(np.array([9, 7]), np.array([7, 8, 7]))
    (array([0, 1, 1]), array([-1,  0,  2]))
    """
    return _join(left, right, "left", progress)


def semi_join(left: Any, right: Any, *, progress: Progress = None) -> Any:
    """Find the left rows whose key occurs on the right.

    Parameters
    ----------
    left, right, progress
        As of `inner_join`.

    Returns
    -------
    rows : array of int64
        In ascending order.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.semi_join(np.array([9, 7]), np.array([7, 8, 7]))
    array([1])
    """
    return _join(left, right, "semi", progress)[0]


def anti_join(left: Any, right: Any, *, progress: Progress = None) -> Any:
    """Find the left rows whose key does not occur on the right.

    Parameters
    ----------
    left, right, progress
        As of `inner_join`.

    Returns
    -------
    rows : array of int64
        In ascending order.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> wp.anti_join(np.array([9, 7]), np.array([7, 8, 7]))
    array([0])
    """
    return _join(left, right, "anti", progress)[0]


def _join(
    left: Any, right: Any, how: Literal["inner", "left", "semi", "anti"], progress: Progress
) -> tuple[Any, Any]:
    one, other = _alike(given(left, "left keys"), given(right, "right keys"))
    if one.ordinal is not None:
        from . import _device

        lefts, rights = _device.join(one, other, how)
        return _made(one, lefts), None if rights is None else _made(one, rights)
    with report(progress, f"{how} join", None) as said:
        native = _native.join(one.bits(), other.bits(), how, said)
    lefts, rights = (one.result(column(rows, np.int64)) for rows in native)
    return lefts, rights


def _alike(one: Given, other: Given) -> tuple[Given, Given]:
    """Return two columns of keys in one memory as numbers of one type."""
    same_place(one, other)
    if one.dtype == other.dtype:
        return one, other
    common = np.promote_types(one.dtype, other.dtype)
    if common.kind == "f" and {one.dtype.kind, other.dtype.kind} != {"f"}:
        raise TypeError(f"keys of types {one.dtype} and {other.dtype} cannot be compared")
    return one.cast(common), other.cast(common)


def _groups(
    keys: Given, asked: tuple[bool, bool], progress: Progress
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return first rows; and if asked for, how many rows groups have, and the group of each row."""
    with report(progress, "grouping", None) as said:
        first, sizes, numbers = _native.groups(keys.bits(), *asked, said)
    return column(first, np.int64), column(sizes, np.int64), column(numbers, np.int64)


def _taken(keys: Given, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return column(_native.gather(keys.bits(), rows), keys.dtype)


def _made(keys: Given, array: Any) -> Any:
    """Return a result on a GPU as an array of the caller's library."""
    return need(keys.library).reshape(array, (len(array),))


def _unique_on_device(
    original: Given,
    plain: bool,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    sort: bool,
) -> Any:
    from . import _device

    ops: Any = need(original.library)
    if plain:
        found = _device.unique(original)
        return _made(original, original.as_given(ops.sorted(found) if sort else found))
    numbers, first = _device.factorize(original)
    found = ops.take(original.array, first)
    if sort:
        order = ops.order(found)
        place = ops.full(len(order), 0, _INT64, original.ordinal)
        place = ops.scatter_add(place, order, ops.rows(len(order), _INT64, original.ordinal))
        found, first, numbers = (
            ops.take(found, order),
            ops.take(first, order),
            ops.take(place, numbers),
        )
    results = [_made(original, original.as_given(found))]
    if return_index:
        results.append(_made(original, first))
    if return_inverse:
        results.append(ops.reshape(numbers, original.shape))
    if return_counts:
        results.append(_made(original, ops.counts(numbers, len(first))))
    return tuple(results)
