"""Reports of how far a call is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: None, True for a bar of tqdm, or a function that is called with the elements that are done.
Progress = bool | Callable[[int], Any] | None


@contextmanager
def report(
    progress: Progress, what: str, total: int | None
) -> Iterator[Callable[[int], Any] | None]:
    """Give what the native module calls with the elements that are done."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield None
            return
        with tqdm(total=total, desc=what, unit=" keys", unit_scale=True) as bar:
            yield lambda done: bar.update(done - bar.n)
