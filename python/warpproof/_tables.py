"""Tables: maps and sets of numbers, on a CPU or a GPU."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _native
from ._arrays import column, given, number, same_length
from ._devices import chosen, gpu, named
from ._given import Given, need
from ._progress import Progress, report

#: Rows of an array on a GPU that are counted at a time: they need memory for two copies of them.
_COUNTED = 1 << 27

_NAMES = {"k": 10, "m": 20, "g": 30, "t": 40}


class _Table:
    """What all tables share."""

    _kind = ""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any | None,
        capacity: int,
        device: Any,
        budget: int = 0,
        path: str | None = None,
        ranks: int = 1,
    ) -> None:
        self._key = number(key_dtype, "keys")
        self._value = None if value_dtype is None else number(value_dtype, "values")
        sizes = [dtype.itemsize for dtype in (self._key, self._value) if dtype is not None]
        self._width = max(sizes) * 8
        self._ordinal = chosen(device)
        on = None if self._ordinal is None else gpu(self._ordinal)
        if capacity < 0:
            raise ValueError(f"a capacity of {capacity} is not possible")
        if path is None:
            self._table = _native.Table(self._kind, self._width, capacity, on, budget, ranks)
        else:
            self._table = _native.Table.open(self._width, path, budget, on)

    @property
    def device(self) -> str:
        """The device that the table is on: "cpu", or "cuda:0" and so on."""
        return named(self._ordinal)

    @property
    def key_dtype(self) -> np.dtype[Any]:
        """The type of the keys."""
        return self._key

    def __len__(self) -> int:
        """Count the entries."""
        return self._table.len()

    def __bool__(self) -> bool:
        """Say whether there are any entries."""
        return len(self) > 0

    def __repr__(self) -> str:
        """Describe the table."""
        value = "" if self._value is None else f", {self._value}"
        return f"<{type(self).__name__} of {len(self)} entries, {self._key}{value}, {self.device}>"

    def clear(self) -> None:
        """Take out all entries."""
        self._table.clear()

    def contains(self, keys: Any, *, progress: Progress = None) -> Any:
        """Say for each key whether it is there.

        Parameters
        ----------
        keys : array-like
            Keys. Arrays on a GPU must be on the table's.
        progress : bool or callable, optional
            True shows a bar if tqdm is there; a callable gets the number of keys that are done.

        Returns
        -------
        array of bool
            Of the shape of `keys`.
        """
        found = self._keys(keys)
        call = self._on_device(found)
        if call is not None:
            return call.ops.reshape(call.contains(self._stored(found)), found.shape)
        with report(progress, "contains", len(found)) as said:
            return self._bools(found, self._table.contains(self._bits(found), said))

    def delete(self, keys: Any, *, progress: Progress = None) -> Any:
        """Delete keys; of a `MultiMap`, one value of each.

        Parameters
        ----------
        keys, progress
            As of `contains`.

        Returns
        -------
        array of bool
            Whether each key was there. If a key is given twice, only one of the two finds it.
        """
        found = self._keys(keys)
        call = self._on_device(found)
        if call is not None:
            return call.ops.reshape(call.delete(self._stored(found)), found.shape)
        with report(progress, "delete", len(found)) as said:
            return self._bools(found, self._table.delete(self._bits(found), said))

    def __contains__(self, key: Any) -> bool:
        """Say whether one key is there."""
        found = self._keys(key).host()
        if len(found) != 1:
            raise ValueError("`in` takes one key; contains() takes many")
        return bool(column(self._table.contains(self._bits(found), None), np.bool_)[0])

    def _keys(self, keys: Any) -> Given:
        return self._here(given(keys, "keys", self._key))

    def _here(self, argument: Given) -> Given:
        if argument.ordinal is not None and argument.ordinal != self._ordinal:
            there = named(argument.ordinal)
            raise ValueError(f"the table is on {self.device} and the array on {there}")
        return argument

    def _on_device(self, keys: Given) -> Any:
        """Return the calls on device memory, if the keys are there."""
        if keys.ordinal is None:
            return None
        from . import _device

        return _device.Call(self._table, keys)

    def _stored(self, argument: Given) -> Given:
        """Return numbers on a GPU as wide as the table's."""
        if argument.dtype.itemsize * 8 == self._width:
            return argument
        return _widened(argument)

    def _bits(self, argument: Given) -> np.ndarray[Any, Any]:
        """Return the bits of numbers in host memory, as many as the table's have."""
        bits = argument.host().bits()
        return bits if self._width == bits.dtype.itemsize * 8 else bits.astype(np.uint64)

    def _numbers(self, native: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Return stored numbers as what they are the bits of."""
        if dtype.itemsize * 8 == self._width:
            return column(native, dtype)
        return column(native, np.uint64).astype(np.uint32).view(dtype)

    def _bools(self, keys: Given, native: Any) -> Any:
        return keys.result(column(native, np.bool_), keys.shape)


def _part(column: Given, first: int) -> Given:
    """Return the rows of a flat array from one on, at most `_COUNTED`."""
    array = column.array[first : first + _COUNTED]
    return Given(array, column.dtype, (len(array),), column.ordinal, column.library, column.source)


def _widened(argument: Given) -> Given:
    """Return 32-bit numbers on a GPU as 64-bit ones, with the same low bits."""
    ops: Any = need(argument.library)
    bits = ops.cast(ops.view(argument.array, np.dtype(np.int32)), np.dtype(np.int64))
    wide = bits & 0xFFFF_FFFF
    return Given(wide, np.dtype(np.int64), argument.shape, argument.ordinal, argument.library)


class Set(_Table):
    """A set of numbers, which grows.

    Parameters
    ----------
    dtype : dtype-like
        The type of the keys: numbers of 32 or 64 bits, compared by their bits.
    capacity : int
        How many keys there is room for at first.
    device : str
        "cpu", "cuda:0" and so on, or "auto": the first GPU if there is one.

    Examples
    --------
    >>> import warpproof as wp
    >>> seen = wp.Set("int64", device="cpu")
    >>> seen.add([3, 5, 3]).sum()
    np.int64(2)
    >>> 5 in seen, len(seen)
    (True, 2)
    >>> seen.contains([4, 5])
    array([False,  True])
    """

    _kind = "Set"

    def __init__(self, dtype: Any = "int64", *, capacity: int = 0, device: Any = "auto") -> None:
        super().__init__(dtype, None, capacity, device)

    def add(self, keys: Any, *, progress: Progress = None) -> Any:
        """Add keys.

        Parameters
        ----------
        keys : array-like
            Keys. Arrays on a GPU must be on the table's.
        progress : bool or callable, optional
            As of `contains`.

        Returns
        -------
        array of bool
            Whether each key is new. If a key is given twice, one of the two is.
        """
        found = self._keys(keys)
        call = self._on_device(found)
        if call is not None:
            return call.ops.reshape(call.add(self._stored(found)) == 0, found.shape)
        with report(progress, "add", len(found)) as said:
            return self._bools(found, self._table.add(self._bits(found), said))

    def keys(self) -> np.ndarray[Any, Any]:
        """Copy out all keys to an array of NumPy, in no particular order."""
        return self._numbers(self._table.retrieve_all()[0], self._key)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over a copy of the keys."""
        return iter(self.keys())


class Map(_Table):
    """A map from numbers to numbers, which grows.

    Parameters
    ----------
    key_dtype, value_dtype : dtype-like
        Numbers of 32 or 64 bits. If one has 64 bits, entries have 16 bytes, otherwise 8.
    capacity : int
        How many entries there is room for at first.
    device : str
        "cpu", "cuda:0" and so on, or "auto": the first GPU if there is one.

    Notes
    -----
    All operations of a call may run at the same time. If a key is given twice to one insert, one
    of its values is kept, and which one is not specified. Other threads may call the same table.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> ages = wp.Map("int64", "float32", device="cpu")
    >>> ages.insert_unique([1, 2, 3], [10, 20, 30])
    array([ True,  True,  True])
    >>> ages[[2, 5]] = [22, 50]
    >>> values, found = ages.search(np.array([2, 9]))
    >>> found
    array([ True, False])
    >>> ages.get([2, 9], default=-1)
    array([22., -1.], dtype=float32)
    >>> len(ages), 5 in ages
    (4, True)
    """

    _kind = "Map"

    def __init__(
        self,
        key_dtype: Any = "int64",
        value_dtype: Any = "int64",
        *,
        capacity: int = 0,
        device: Any = "auto",
    ) -> None:
        super().__init__(key_dtype, value_dtype, capacity, device)

    @property
    def value_dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        assert self._value is not None, "a map has values"
        return self._value

    def insert_unique(self, keys: Any, values: Any, *, progress: Progress = None) -> Any:
        """Store pairs whose keys are absent; keys that are there keep their values.

        Parameters
        ----------
        keys, values : array-like
            As many values as keys, in one memory; or one value for all keys.
        progress : bool or callable, optional
            As of `contains`.

        Returns
        -------
        array of bool
            Whether each pair was stored.
        """
        return self._put("insert_unique", keys, values, progress)

    def insert_or_assign(self, keys: Any, values: Any, *, progress: Progress = None) -> Any:
        """Store pairs, and replace the values of keys that are there.

        Parameters
        ----------
        keys, values, progress
            As of `insert_unique`.

        Returns
        -------
        array of bool
            Whether each key is new.
        """
        return self._put("insert_or_assign", keys, values, progress)

    def insert_or_add(self, keys: Any, values: Any, *, progress: Progress = None) -> Any:
        """Store pairs, and add to the values of keys that are there. Values are integers.

        Parameters
        ----------
        keys, values, progress
            As of `insert_unique`. Sums wrap around.

        Returns
        -------
        array of bool
            Whether each key is new.
        """
        if self.value_dtype.kind == "f":
            raise TypeError(f"values of type {self.value_dtype} cannot be added; integers can")
        return self._put("insert_or_add", keys, values, progress)

    def insert_or_update(
        self, keys: Any, values: Any, how: str, *, progress: Progress = None
    ) -> Any:
        """Store pairs, and change the values of keys that are there.

        Parameters
        ----------
        keys, values, progress
            As of `insert_unique`. Values are integers.
        how : {"add", "min", "max", "or", "and", "xor"}
            What becomes of the value that is there and the given one: their sum, the lesser or the
            greater one, or the bits that either has, that both have, in which they differ. The
            values of "min" and "max" have no sign.

        Returns
        -------
        array of bool
            Whether each key is new.

        Examples
        --------
        >>> import warpproof as wp
        >>> best = wp.Map("int64", "uint64", device="cpu")
        >>> int(best.insert_or_update([1, 2, 1], [30, 7, 50], "max").sum())
        2
        >>> best.get([1, 2])
        array([50,  7], dtype=uint64)
        """
        if how not in ("add", "min", "max", "or", "and", "xor"):
            raise ValueError(f"how: {how!r} is none of add, min, max, or, and, xor")
        kind = self.value_dtype.kind
        if kind == "f":
            raise TypeError(f"values of type {self.value_dtype} cannot be updated; integers can")
        if kind == "i" and how in ("min", "max"):
            raise TypeError(
                f"values of type {self.value_dtype} have a sign: {how!r} is of values without one"
            )
        return self._put(f"insert_or_{how}", keys, values, progress)

    def search(self, keys: Any, *, progress: Progress = None) -> tuple[Any, Any]:
        """Find the values of keys.

        Parameters
        ----------
        keys, progress
            As of `contains`.

        Returns
        -------
        values : array
            The value of each key, 0 where it is absent.
        found : array of bool
            Whether each key is there.
        """
        asked = self._keys(keys)
        call = self._on_device(asked)
        if call is not None and self._plain:
            values, there = call.search_found(asked, self.value_dtype, 0)
            return call.ops.reshape(values, asked.shape), call.ops.reshape(there, asked.shape)
        with report(progress, "search", len(asked)) as said:
            values, there = self._table.search(self._bits(asked), 0, said)
        there = column(there, np.bool_)
        return asked.result(self._numbers(values, self.value_dtype), asked.shape), asked.result(
            there, asked.shape
        )

    def get(
        self, keys: Any, default: Any = 0, *, out: Any = None, progress: Progress = None
    ) -> Any:
        """Find the values of keys, or a default.

        Parameters
        ----------
        keys, progress
            As of `contains`.
        default : number
            What stands for the value of a key that is absent.
        out : array, optional
            Where to write the values: a contiguous array of their type, of the shape of `keys`, in
            the same memory.

        Returns
        -------
        array
            The value of each key; `out` if it was given.
        """
        asked = self._keys(keys)
        missing = np.asarray(default).astype(self.value_dtype)
        if missing.shape != ():
            raise ValueError("the default is one number")
        bits = int(missing.view(np.uint32 if missing.dtype.itemsize == 4 else np.uint64))
        call = self._on_device(asked)
        if call is not None and self._plain:
            into = None if out is None else self._output(out, asked)
            values = call.search(asked, self.value_dtype, bits, into)
            return call.ops.reshape(values, asked.shape) if out is None else out
        with report(progress, "get", len(asked)) as said:
            native, _ = self._table.search(self._bits(asked), bits, said)
        found = self._numbers(native, self.value_dtype)
        if out is None:
            return asked.result(found, asked.shape)
        self._output(out, asked)[...] = (
            found if asked.ordinal is None else self._moved(found, asked)
        )
        return out

    def __getitem__(self, keys: Any) -> Any:
        """Return the values of keys that are there; raise KeyError if one is not."""
        values, found = self.search(keys)
        if not bool(found.all()):
            raise KeyError("a key is not in the map; get() takes a default")
        return values if values.shape else values[()]

    def __setitem__(self, keys: Any, values: Any) -> None:
        """Store pairs, and replace the values of keys that are there."""
        self.insert_or_assign(keys, values)

    def items(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Copy out all entries to arrays of NumPy: the keys, and their values at the same places.

        They are in no particular order.
        """
        keys, values = self._table.retrieve_all()
        return self._numbers(keys, self._key), self._numbers(values, self.value_dtype)

    def keys(self) -> np.ndarray[Any, Any]:
        """Copy out all keys to an array of NumPy, in no particular order."""
        return self.items()[0]

    def values(self) -> np.ndarray[Any, Any]:
        """Copy out all values to an array of NumPy, in the order of `keys` if nothing changed."""
        return self.items()[1]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over a copy of the keys."""
        return iter(self.keys())

    @property
    def _plain(self) -> bool:
        """Whether keys and values are as wide as the table's, so that nothing is converted."""
        return self._key.itemsize == self.value_dtype.itemsize

    def _output(self, out: Any, keys: Given) -> Any:
        """Check an output, and return it flat."""
        taken = given(out, "out", self.value_dtype)
        if taken.dtype != self.value_dtype or getattr(out, "dtype", None) is None:
            raise TypeError(f"out must be an array of {self.value_dtype}")
        if taken.shape != keys.shape or taken.ordinal != keys.ordinal:
            raise ValueError(f"out must have the shape and the place of the keys: {keys.shape}")
        flat = taken.array
        if keys.ordinal is None:
            if not np.shares_memory(flat, np.asarray(out)) and flat.size:
                raise ValueError("out must be contiguous")
            if not flat.flags.writeable:
                raise ValueError("out is read-only")
        elif need(taken.library).address(flat) != need(taken.library).address(out):
            raise ValueError("out must be contiguous")
        return flat

    def _moved(self, array: np.ndarray[Any, Any], keys: Given) -> Any:
        return need(keys.library).from_host(array, keys.ordinal)

    def _put(self, how: str, keys: Any, values: Any, progress: Progress) -> Any:
        pairs = self._keys(keys)
        taken = self._here(given(values, "values", self.value_dtype))
        if taken.shape == () and pairs.shape != ():
            taken = self._filled(taken, pairs)
        same_length(pairs, taken)
        call = self._on_device(pairs)
        if call is not None and taken.ordinal is not None:
            codes = call.put(how, self._stored(pairs), self._stored(taken).array)
            self._check(codes)
            return call.ops.reshape(codes == 0, pairs.shape)
        with report(progress, how, len(pairs)) as said:
            return self._bools(
                pairs, self._table.put(how, self._bits(pairs), self._bits(taken), said)
            )

    def _check(self, codes: Any) -> None:
        """Raise MemoryError if an entry found no room. A growing map has room, or has raised."""

    def _filled(self, value: Given, keys: Given) -> Given:
        """Return one value as many times as there are keys."""
        host = np.full(len(keys), value.host().array[0])
        array = host if keys.ordinal is None else self._moved(host, keys)
        return Given(array, self.value_dtype, keys.shape, keys.ordinal, keys.library)


class Counter(Map):
    """A map from numbers to how often they were counted.

    Parameters
    ----------
    dtype : dtype-like
        The type of the keys. Counts have as many bits, and a sign.
    capacity, device
        As of `Map`.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> words = wp.Counter("int64", device="cpu")
    >>> words.add(np.array([7, 9, 7]))
    >>> words.get([7, 8])
    array([2, 0])
    >>> words.most_common(1)
    (array([7]), array([2]))
    """

    def __init__(self, dtype: Any = "int64", *, capacity: int = 0, device: Any = "auto") -> None:
        keys = number(dtype, "keys")
        super().__init__(keys, f"int{keys.itemsize * 8}", capacity=capacity, device=device)

    def add(self, keys: Any, amounts: Any = 1, *, progress: Progress = None) -> None:
        """Count keys.

        Parameters
        ----------
        keys : array-like
            Keys. Arrays on a GPU must be on the table's.
        amounts : int or array-like
            How often each is counted.
        progress : bool or callable, optional
            As of `contains`.
        """
        counted = self._keys(keys)
        if counted.ordinal is None:
            self.insert_or_add(keys, amounts, progress=progress)
            return
        added = self._here(given(amounts, "amounts", self.value_dtype))
        if added.shape != ():
            same_length(counted, added)
            if added.ordinal is None:
                added = given(self._moved(added.array, counted), "amounts", self.value_dtype)
        # Equal keys are added up first: additions to one entry wait for each other.
        for first in range(0, len(counted), _COUNTED):
            part, ops = _part(counted, first), need(counted.library)
            found, sums = self._sums(part, added if added.shape == () else _part(added, first))
            self.insert_or_add(found, ops.cast(sums, self.value_dtype), progress=progress)

    def _sums(self, keys: Given, amounts: Given) -> tuple[Any, Any]:
        """Return the distinct keys of an array on a GPU, and the sums of their amounts."""
        from . import _device

        if amounts.shape != ():
            return _device.group_sums(keys, amounts)
        found, rows = _device.value_counts(keys)
        return found, need(keys.library).times(rows, int(amounts.host().array[0]))

    def most_common(self, n: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the `n` keys that were counted most often, and their counts."""
        keys, counts = self.items()
        order = np.argsort(-counts, kind="stable")[:n]
        return keys[order], counts[order]


class MultiMap(Map):
    """A map from numbers to any number of values each.

    Parameters
    ----------
    key_dtype, value_dtype, capacity, device
        As of `Map`. When there are more entries than the capacity, all move to a table that is
        twice as large.

    Notes
    -----
    Arrays on a GPU are copied through host memory.

    Examples
    --------
    >>> import numpy as np, warpproof as wp
    >>> edges = wp.MultiMap("int64", "int64", device="cpu")
    >>> edges.insert([1, 1, 2], [10, 11, 20])
    >>> edges.count([1, 2, 3])
    array([2, 1, 0], dtype=uint32)
    >>> offsets, values = edges.search_all([2, 3])
    >>> offsets, values
    (array([0, 1, 1]), array([20]))
    """

    _kind = "MultiMap"

    def insert(self, keys: Any, values: Any, *, progress: Progress = None) -> None:
        """Store pairs, whether or not their keys are there.

        Parameters
        ----------
        keys, values, progress
            As of `Map.insert_unique`.
        """
        self._put("insert", keys, values, progress)

    def count(self, keys: Any, *, progress: Progress = None) -> Any:
        """Count the values of each key."""
        found = self._keys(keys)
        with report(progress, "count", len(found)) as said:
            counts = column(self._table.count(self._bits(found), said), np.uint32)
        return found.result(counts, found.shape)

    def search_all(self, keys: Any) -> tuple[Any, Any]:
        """Find all values of each key.

        Parameters
        ----------
        keys : array-like
            Keys.

        Returns
        -------
        offsets : array of int64
            Where the values of each key begin, and last where they end: one more than keys.
        values : array
            The values.
        """
        asked = self._keys(keys)
        offsets, values = self._table.search_all(self._bits(asked))
        found = self._numbers(values, self.value_dtype)
        return asked.result(column(offsets, np.int64)), asked.result(found)

    def delete_all(self, keys: Any) -> Any:
        """Delete all values of each key, and return how many there were."""
        found = self._keys(keys)
        counts = column(self._table.delete_all(self._bits(found)), np.uint32)
        return found.result(counts, found.shape)

    def _on_device(self, keys: Given) -> Any:
        """Return nothing: there are no calls on device memory."""
        return None


class PagedMap(Map):
    """A map larger than the memory of a GPU: its entries are in host memory.

    Parameters
    ----------
    key_dtype, value_dtype : dtype-like
        As of `Map`.
    capacity : int
        How many entries there is room for. A paged map does not grow: an insert that finds no room
        raises MemoryError.
    budget : int or str
        Bytes of device memory that it may use, such as "1GiB". On a CPU nothing is paged.
    device
        As of `Map`.

    Examples
    --------
    >>> import os, tempfile, warpproof as wp
    >>> big = wp.PagedMap("int64", "int64", capacity=1000, budget="16MiB", device="cpu")
    >>> big[[1, 2]] = [10, 20]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "big.wp")
    ...     big.save(path)
    ...     again = wp.PagedMap.open(path, "int64", "int64", budget="16MiB", device="cpu")
    >>> again.get([2, 3])
    array([20,  0])
    """

    _kind = "PagedMap"

    def __init__(
        self,
        key_dtype: Any = "int64",
        value_dtype: Any = "int64",
        *,
        capacity: int,
        budget: int | str,
        device: Any = "auto",
        _path: str | None = None,
    ) -> None:
        _Table.__init__(self, key_dtype, value_dtype, capacity, device, _bytes(budget), _path)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        key_dtype: Any = "int64",
        value_dtype: Any = "int64",
        *,
        budget: int | str,
        device: Any = "auto",
    ) -> PagedMap:
        """Open the file of a saved map.

        Parameters
        ----------
        path : path-like
            The file.
        key_dtype, value_dtype, budget, device
            As of `PagedMap`. The file says how many bits there are, not what they mean.

        Raises
        ------
        OSError
            If the file cannot be read, is damaged, or has other entries.
        """
        name = os.fspath(path)
        return cls(key_dtype, value_dtype, capacity=0, budget=budget, device=device, _path=name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the map to a file, with checksums. The file is whole, or the old one stays."""
        self._table.save(os.fspath(path))

    @property
    def copied(self) -> tuple[int, int]:
        """Bytes that were copied to device memory, and from it."""
        return self._table.copied() or (0, 0)

    def _check(self, codes: Any) -> None:
        full = int((codes == 2).sum())
        if full:
            raise MemoryError(f"the table is full: {full} of {len(codes)} entries found no room")


def _bytes(budget: int | str) -> int:
    """Return a number of bytes, such as 1073741824 or "1GiB"."""
    if isinstance(budget, str):
        parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b?|b)?", budget.strip().lower())
        if parts is None:
            raise ValueError(f"budget {budget!r} is not a number of bytes, such as '1GiB'")
        amount, unit, binary = parts.groups()
        power = _NAMES[unit] if unit else 0
        factor = 2**power if binary else 1000 ** (power // 10)
        budget = int(float(amount) * factor)
    if budget <= 0:
        raise ValueError(f"a budget of {budget} bytes is not possible")
    return budget
