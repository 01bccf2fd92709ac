"""Arrays of CuPy."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ._given import Given


def given(array: Any) -> Given:
    """Take an array of CuPy."""
    flat = cupy.ascontiguousarray(array).reshape(-1)
    return Given(flat, array.dtype, array.shape, array.device.id, CUPY)


def _flipped(array: Any) -> Any:
    """Return signed numbers of 64 bits as unsigned ones in the same order, or as they were."""
    return array.view(cupy.uint64) ^ np.uint64(1 << 63) if array.dtype == cupy.int64 else array


class Cupy:
    """The operations of CuPy that the package uses."""

    def empty(self, length: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        with cupy.cuda.Device(ordinal):
            return cupy.empty(length, dtype)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def stream(self, ordinal: int) -> int:
        with cupy.cuda.Device(ordinal):
            return int(cupy.cuda.get_current_stream().ptr)

    def cast(self, array: Any, dtype: np.dtype[Any]) -> Any:
        with array.device:
            return array.astype(dtype)

    def view(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.view(dtype)

    def copy(self, array: Any) -> Any:
        with array.device:
            return array.copy()

    def times(self, array: Any, number: int) -> Any:
        with array.device:
            return array * number

    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any:
        return array.reshape(shape)

    def from_host(self, array: np.ndarray[Any, Any], ordinal: int | None) -> Any:
        with cupy.cuda.Device(ordinal):
            return cupy.asarray(array)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        host: np.ndarray[Any, Any] = cupy.asnumpy(array)
        return host

    def rows(self, length: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        with cupy.cuda.Device(ordinal):
            return cupy.arange(length, dtype=dtype)

    def full(self, length: int, value: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        with cupy.cuda.Device(ordinal):
            return cupy.full(length, value, dtype)

    def take(self, array: Any, rows: Any) -> Any:
        return array[rows]

    def select(self, array: Any, mask: Any) -> Any:
        return array[mask]

    def nonzero(self, mask: Any) -> Any:
        return cupy.flatnonzero(mask)

    def cumsum(self, array: Any) -> Any:
        return cupy.cumsum(array, dtype=cupy.int64)

    def where(self, mask: Any, one: Any, other: Any) -> Any:
        return cupy.where(mask, one, other)

    def repeat(self, array: Any, counts: Any) -> Any:
        # cupy.repeat takes counts in host memory alone.
        ends = cupy.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        rows = cupy.searchsorted(ends, cupy.arange(total), side="right")
        return array[rows]

    def order(self, array: Any) -> Any:
        return cupy.argsort(array, kind="stable")

    def scatter_add(self, into: Any, rows: Any, values: Any) -> Any:
        if into.dtype == cupy.int64:
            cupy.add.at(into.view(cupy.uint64), rows, values.view(cupy.uint64))
        else:
            cupy.add.at(into, rows, values)
        return into

    def scatter_min(self, into: Any, rows: Any, values: Any) -> Any:
        least = _flipped(into)
        cupy.minimum.at(least, rows, _flipped(values))
        return _flipped(least.view(into.dtype)).view(into.dtype)

    def scatter_max(self, into: Any, rows: Any, values: Any) -> Any:
        most = _flipped(into)
        cupy.maximum.at(most, rows, _flipped(values))
        return _flipped(most.view(into.dtype)).view(into.dtype)

    def counts(self, numbers: Any, groups: int) -> Any:
        return cupy.bincount(numbers, minlength=groups)

    def isnan(self, array: Any) -> Any:
        return cupy.isnan(array)

    def sorted(self, array: Any) -> Any:
        return cupy.sort(array)


CUPY = Cupy()
