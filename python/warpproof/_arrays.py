"""Arrays of any library: what they are, where they are, and how results are made.

An argument becomes a `Given`. Arrays in host memory are NumPy's; on a GPU they are of the library
that made them, torch or CuPy, whose operations the functions of `_device` use. Others come in
through DLPack.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._devices import named
from ._given import Given, need

#: Types of keys and values; those of fewer bits are widened to the first one that holds them.
NUMBERS = tuple(
    np.dtype(name) for name in ("int32", "uint32", "float32", "int64", "uint64", "float64")
)


def number(dtype: Any, what: str) -> np.dtype[Any]:
    """Return a type that a table can hold, or raise TypeError."""
    found: np.dtype[Any] = np.dtype(dtype)
    if found in NUMBERS or found.kind in "mM":
        return found
    allowed = ", ".join(str(one) for one in NUMBERS)
    raise TypeError(f"{what} of type {found} are not possible; {allowed} are")


def wide_enough(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a table that holds numbers of this type."""
    if dtype in NUMBERS or dtype.kind in "mM":
        return dtype
    if dtype.kind in "bui" and dtype.itemsize < 4:
        return np.dtype(np.int32 if dtype.kind == "i" else np.uint32)
    if dtype == np.float16:
        return np.dtype(np.float32)
    raise TypeError(
        f"arrays of type {dtype} are not possible: numbers of up to 64 bits are"
        + ("; convert strings or objects to codes first" if dtype.kind in "OSU" else "")
    )


def given(value: Any, what: str, dtype: np.dtype[Any] | None = None) -> Given:
    """Take an argument.

    Parameters
    ----------
    value : array-like
        The argument.
    what : str
        Its name in messages.
    dtype : numpy.dtype, optional
        The type that is wanted. Arrays of other types are converted if no number can change.
    """
    taken = _taken(value, what, dtype)
    if dtype is None:
        return taken.cast(wide_enough(taken.dtype))
    if taken.dtype != dtype and not np.can_cast(taken.dtype, dtype, "safe"):
        raise TypeError(f"{what} are {taken.dtype}, which cannot be converted to {dtype} safely")
    return taken.cast(dtype)


def _taken(value: Any, what: str, dtype: np.dtype[Any] | None) -> Given:
    kind = type(value).__module__.partition(".")[0]
    if kind == "torch":
        from . import _torch

        return _torch.given(value)
    if kind == "cupy":
        from . import _cupy

        return _cupy.given(value)
    if isinstance(value, np.ndarray):
        return _host(value, what)
    if kind == "polars" or kind == "pyarrow":
        return _host(_without_nulls(value, what), what)
    if _on_gpu(value):
        return _foreign(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return _host(np.asarray(value), what)
    # A number or a list: of the type that is wanted.
    return _host(np.asarray(value, dtype=dtype), what)


def _host(array: np.ndarray[Any, Any], what: str) -> Given:
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} are masked; fill or drop what is masked first")
    wide_enough(array.dtype)
    # Aligned, too: arrays that came over a network or out of a file may begin anywhere.
    flat = np.require(array, requirements=["C", "A"]).reshape(-1)
    return Given(flat, array.dtype, array.shape, None, None)


def _without_nulls(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Return a column of polars or Arrow, which has no nulls, without a copy if it is one piece."""
    nulls = value.null_count
    count = nulls() if callable(nulls) else nulls
    if count:
        raise ValueError(f"{what} have {count} nulls; fill or drop them first")
    array: np.ndarray[Any, Any] = (
        value.to_numpy() if hasattr(value, "to_numpy") else np.asarray(value)
    )
    return array


def _on_gpu(value: Any) -> bool:
    if hasattr(value, "__cuda_array_interface__"):
        return True
    device = getattr(value, "__dlpack_device__", None)
    # 2 and 13 are CUDA's device memory and its managed memory.
    return device is not None and device()[0] in (2, 13)


def _foreign(value: Any) -> Given:
    """Take an array on a GPU of JAX or another library, through CuPy or torch."""
    try:
        import cupy
    except ImportError:
        try:
            import torch
        except ImportError as error:
            raise TypeError(
                f"{type(value).__name__} on a GPU needs CuPy or torch, and neither is installed"
            ) from error
        from . import _torch

        taken = _torch.given(torch.from_dlpack(value))
    else:
        from . import _cupy

        interface = hasattr(value, "__cuda_array_interface__")
        taken = _cupy.given(cupy.asarray(value) if interface else cupy.from_dlpack(value))
    if type(value).__module__.partition(".")[0] in ("jax", "jaxlib"):
        from . import _jax

        library = _jax.Jax(need(taken.library))
        return Given(taken.array, taken.dtype, taken.shape, taken.ordinal, library)
    return taken


def same_length(keys: Given, values: Given, what: str = "values") -> None:
    """Raise ValueError unless there is a value for each key."""
    if keys.shape != values.shape:
        raise ValueError(f"keys have the shape {keys.shape} and {what} {values.shape}")


def same_place(one: Given, other: Given) -> None:
    """Raise ValueError unless two arrays are in one memory."""
    if one.ordinal != other.ordinal:
        raise ValueError(
            f"arrays are on different devices: {named(one.ordinal)} and {named(other.ordinal)}"
        )


def column(native: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Return a result of the native module as an array, without a copy."""
    return np.frombuffer(native, dtype=dtype)
