"""Which device a table is on."""

from __future__ import annotations

import threading
from typing import Any

from . import _native

_OPEN: dict[int, _native.Gpu] = {}
_LOCK = threading.Lock()


def devices() -> list[str]:
    """List the devices that a table can be on.

    Returns
    -------
    list of str
        "cpu", and "cuda:0" and so on for each GPU with a driver.

    Examples
    --------
    >>> import warpproof as wp
    >>> wp.devices()[0]
    'cpu'
    """
    return ["cpu", *(f"cuda:{ordinal}" for ordinal in range(_native.count()))]


def gpu(ordinal: int) -> _native.Gpu:
    """Open a GPU, once for all tables."""
    with _LOCK:
        if ordinal not in _OPEN:
            _OPEN[ordinal] = _native.Gpu(ordinal)
        return _OPEN[ordinal]


def chosen(device: Any) -> int | None:
    """Return the number of the GPU that a `device` argument names, or None for the CPU."""
    name = str(device)
    if name == "cpu":
        return None
    if name == "auto":
        return 0 if _native.count() else None
    if name == "cuda":
        return 0
    kind, _, number = name.partition(":")
    if kind == "cuda" and number.isdecimal():
        return int(number)
    raise ValueError(f"device {name!r} is none of 'auto', 'cpu', 'cuda' and 'cuda:N'")


def named(ordinal: int | None) -> str:
    """Return the name of a device."""
    return "cpu" if ordinal is None else f"cuda:{ordinal}"
