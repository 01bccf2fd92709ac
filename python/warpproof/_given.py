"""An argument after it was taken: a flat and contiguous array, and the library that it is of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class Library(Protocol):
    """What is needed of a library with arrays on a GPU."""

    def empty(self, length: int, dtype: np.dtype[Any], ordinal: int) -> Any: ...
    def address(self, array: Any) -> int: ...
    def stream(self, ordinal: int) -> int: ...
    def cast(self, array: Any, dtype: np.dtype[Any]) -> Any: ...
    def times(self, array: Any, number: int) -> Any: ...
    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any: ...
    def from_host(self, array: np.ndarray[Any, Any], ordinal: int | None) -> Any: ...
    def to_host(self, array: Any) -> np.ndarray[Any, Any]: ...


@dataclass(frozen=True)
class Given:
    """An argument: a flat and contiguous array."""

    array: Any
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    #: The GPU that it is on; None for host memory.
    ordinal: int | None
    #: Its library; None for NumPy.
    library: Library | None
    #: The type that the caller's array has, if this one was widened.
    source: np.dtype[Any] | None = None

    def __len__(self) -> int:
        return math.prod(self.shape)

    def cast(self, dtype: np.dtype[Any]) -> Given:
        """Return it as numbers of another type."""
        if self.dtype == dtype:
            return self
        if self.ordinal is None:
            array = self.array.astype(dtype)
        else:
            array = need(self.library).cast(self.array, dtype)
        source = self.source or self.dtype
        return Given(array, dtype, self.shape, self.ordinal, self.library, source)

    def bits(self) -> np.ndarray[Any, Any]:
        """Return the bits of an array in host memory, as unsigned numbers."""
        bits: np.ndarray[Any, Any] = self.array.view(unsigned(self.dtype))
        return bits

    def host(self) -> Given:
        """Return it in host memory; its library stays."""
        if self.ordinal is None:
            return self
        array = need(self.library).to_host(self.array)
        return Given(array, self.dtype, self.shape, None, self.library)

    def as_given(self, keys: Any) -> Any:
        """Return some of these numbers as the type that the caller's array has."""
        if self.source is None or self.source == self.dtype:
            return keys
        if self.ordinal is None:
            return keys.astype(self.source)
        return need(self.library).cast(keys, self.source)

    def result(self, array: np.ndarray[Any, Any], shape: tuple[int, ...] | None = None) -> Any:
        """Return a result in host memory as an array of the library and place of this argument."""
        if shape is not None:
            array = array.reshape(shape)
        return array if self.library is None else self.library.from_host(array, self.ordinal)


def need(library: Library | None) -> Library:
    """Return the library of an array on a GPU."""
    assert library is not None, "an array on a GPU has a library"
    return library


def unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the bits of numbers."""
    return np.dtype(np.uint32 if dtype.itemsize == 4 else np.uint64)
