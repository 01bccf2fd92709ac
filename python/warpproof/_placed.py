"""Where a worker computes: rows are in host memory, and are copied to a GPU and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._devices import chosen
from ._given import need


@dataclass(frozen=True)
class Place:
    """A device, named as the argument `device` does; "auto" is another one in each worker."""

    device: str = "cpu"

    def put(self, array: np.ndarray[Any, Any]) -> Any:
        """Return an array on the device."""
        ordinal = chosen(self.device)
        if ordinal is None:
            return np.ascontiguousarray(array)
        library = _library()
        if library is None:
            if self.device == "auto":
                return np.ascontiguousarray(array)
            raise ImportError(f"device {self.device!r} needs CuPy or torch in each worker")
        # torch takes no array that it may not write to.
        return library.from_host(np.require(array, requirements=["C", "W"]), ordinal)

    def get(self, array: Any) -> np.ndarray[Any, Any]:
        """Return an array in host memory."""
        if isinstance(array, np.ndarray):
            return array
        return need(_library()).to_host(array)


def _library() -> Any:
    """Return the library whose arrays are on a GPU, if there is one."""
    try:
        from ._cupy import CUPY
    except ImportError:
        try:
            from ._torch import TORCH
        except ImportError:
            return None
        return TORCH
    return CUPY
