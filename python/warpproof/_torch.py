"""Tensors of torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._given import Given

_NAMES = ["bool", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
_NAMES += ["uint8", "uint16", "uint32", "uint64"]
_TYPES: dict[Any, np.dtype[Any]] = {
    getattr(torch, name): np.dtype(name) for name in _NAMES if hasattr(torch, name)
}
_TENSORS = {dtype: tensor for tensor, dtype in _TYPES.items()}


def given(tensor: Any) -> Given:
    """Take a tensor, on a CPU or a GPU."""
    if tensor.layout is not torch.strided:
        raise TypeError("sparse tensors are not possible; convert them with to_dense()")
    if tensor.dtype not in _TYPES:
        raise TypeError(f"tensors of type {tensor.dtype} are not possible")
    dtype, shape = _TYPES[tensor.dtype], tuple(tensor.shape)
    flat = tensor.detach().contiguous().reshape(-1)
    if tensor.device.type == "cpu":
        return Given(flat.numpy(), dtype, shape, None, TORCH)
    if tensor.device.type != "cuda":
        raise ValueError(f"tensors on {tensor.device} are not possible: on cpu or cuda they are")
    return Given(flat, dtype, shape, tensor.device.index, TORCH)


def _bits(tensor: Any) -> Any:
    """Return the bits as signed numbers, which all operations of torch take."""
    return tensor.view(torch.int32 if tensor.element_size() == 4 else torch.int64)


def _ordered(tensor: Any) -> Any:
    """Return unsigned numbers as signed ones in the same order: torch cannot sort them."""
    if tensor.dtype in (torch.uint32, torch.uint64):
        bits = _bits(tensor)
        return bits ^ torch.iinfo(bits.dtype).min
    return tensor


class Torch:
    """The operations of torch that the package uses."""

    def empty(self, length: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        return torch.empty(length, dtype=_TENSORS[np.dtype(dtype)], device=f"cuda:{ordinal}")

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def stream(self, ordinal: int) -> int:
        return int(torch.cuda.current_stream(ordinal).cuda_stream)

    def cast(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.to(_TENSORS[np.dtype(dtype)])

    def view(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.view(_TENSORS[np.dtype(dtype)])

    def copy(self, array: Any) -> Any:
        return array.clone()

    def times(self, array: Any, number: int) -> Any:
        return array * number

    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any:
        return array.reshape(shape)

    def from_host(self, array: np.ndarray[Any, Any], ordinal: int | None) -> Any:
        tensor = torch.from_numpy(array)
        return tensor if ordinal is None else tensor.to(f"cuda:{ordinal}")

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        host: np.ndarray[Any, Any] = array.cpu().numpy()
        return host

    def rows(self, length: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        return torch.arange(length, dtype=_TENSORS[np.dtype(dtype)], device=f"cuda:{ordinal}")

    def full(self, length: int, value: int, dtype: np.dtype[Any], ordinal: int) -> Any:
        return torch.full(
            (length,), value, dtype=_TENSORS[np.dtype(dtype)], device=f"cuda:{ordinal}"
        )

    def take(self, array: Any, rows: Any) -> Any:
        return _bits(array)[rows].view(array.dtype)

    def select(self, array: Any, mask: Any) -> Any:
        return _bits(array)[mask].view(array.dtype)

    def nonzero(self, mask: Any) -> Any:
        return mask.nonzero().reshape(-1)

    def cumsum(self, array: Any) -> Any:
        return array.cumsum(0, dtype=torch.int64)

    def where(self, mask: Any, one: Any, other: Any) -> Any:
        return torch.where(mask, one, other)

    def repeat(self, array: Any, counts: Any) -> Any:
        return torch.repeat_interleave(array, counts)

    def order(self, array: Any) -> Any:
        return torch.sort(_ordered(array), stable=True).indices

    def scatter_add(self, into: Any, rows: Any, values: Any) -> Any:
        return into.index_add_(0, rows, values)

    def scatter_min(self, into: Any, rows: Any, values: Any) -> Any:
        return into.scatter_reduce_(0, rows, values, "amin")

    def scatter_max(self, into: Any, rows: Any, values: Any) -> Any:
        return into.scatter_reduce_(0, rows, values, "amax")

    def counts(self, numbers: Any, groups: int) -> Any:
        return torch.bincount(numbers, minlength=groups)

    def isnan(self, array: Any) -> Any:
        return torch.isnan(array)

    def sorted(self, array: Any) -> Any:
        return self.take(array, self.order(array))


TORCH = Torch()
