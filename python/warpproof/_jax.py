"""Arrays of JAX on a GPU: taken and given back through DLPack, by CuPy or torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._given import Library


class Jax:
    """The library that works on an array of JAX; results become arrays of JAX again."""

    def __init__(self, through: Library) -> None:
        self.through = through

    def __getattr__(self, name: str) -> Any:
        return getattr(self.through, name)

    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any:
        import jax

        return jax.dlpack.from_dlpack(self.through.reshape(array, shape))

    def from_host(self, array: np.ndarray[Any, Any], ordinal: int | None) -> Any:
        return self.reshape(self.through.from_host(array, ordinal), array.shape)
