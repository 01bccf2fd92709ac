"""The native module: see python/src."""

from collections.abc import Callable
from typing import Any, Self, final

import numpy as np

__version__: str
__all__ = [
    "Column",
    "DeviceCall",
    "Gpu",
    "Grouping",
    "Table",
    "__version__",
    "count",
    "fold",
    "gather",
    "groups",
    "isin",
    "join",
]

_Words = np.ndarray[Any, np.dtype[Any]]
_Report = Callable[[int], Any] | None

@final
class Column:
    def __len__(self) -> int: ...

@final
class Gpu:
    def __new__(cls, ordinal: int) -> Self: ...

@final
class Table:
    def __new__(
        cls,
        kind: str,
        width: int,
        capacity: int,
        gpu: Gpu | None = None,
        budget: int = 0,
        ranks: int = 1,
    ) -> Self: ...
    @staticmethod
    def open(width: int, path: str, budget: int, gpu: Gpu | None = None) -> Table: ...
    def len(self) -> int: ...
    def clear(self) -> None: ...
    def put(self, how: str, keys: _Words, values: _Words, report: _Report = None) -> Column: ...
    def add(self, keys: _Words, report: _Report = None) -> Column: ...
    def search(
        self, keys: _Words, missing: int, report: _Report = None
    ) -> tuple[Column, Column]: ...
    def contains(self, keys: _Words, report: _Report = None) -> Column: ...
    def delete(self, keys: _Words, report: _Report = None) -> Column: ...
    def count(self, keys: _Words, report: _Report = None) -> Column: ...
    def search_all(self, keys: _Words) -> tuple[Column, Column]: ...
    def delete_all(self, keys: _Words) -> Column: ...
    def retrieve_all(self) -> tuple[Column, Column]: ...
    def save(self, path: str) -> None: ...
    def copied(self) -> tuple[int, int] | None: ...
    def shards(self) -> list[int] | None: ...

@final
class DeviceCall:
    def __new__(cls, table: Table, gpu: Gpu, stream: int, len: int) -> Self: ...
    def put(self, how: str, keys: int, values: int, codes: int) -> None: ...
    def add(self, keys: int, codes: int) -> None: ...
    def search(
        self,
        keys: int,
        values: int,
        found: int,
        missing: int,
        filter: tuple[int, int],
    ) -> None: ...
    def contains(self, keys: int, found: int, filter: tuple[int, int]) -> None: ...
    def delete(self, keys: int, codes: int) -> None: ...

@final
class Grouping:
    def __new__(cls, width: int, gpu: Gpu) -> Self: ...
    MOST_FEW: int
    def scratch_bytes(self, rows: int, sums: bool) -> int: ...
    def among(
        self,
        stream: int,
        column: tuple[int, int],
        few: list[int],
        scratch: int,
        found: int,
    ) -> None: ...
    def run(
        self,
        stream: int,
        rows: int,
        keys: int,
        values: int,
        scratch: int,
        room: int,
        found: int,
        counts: int,
        sums: int,
    ) -> int: ...

def count() -> int: ...
def groups(
    keys: _Words, counted: bool, numbered: bool, report: _Report = None
) -> tuple[Column, Column, Column]: ...
def fold(
    keys: _Words, values: _Words, how: str, report: _Report = None
) -> tuple[Column, Column]: ...
def gather(column: _Words, rows: _Words) -> Column: ...
def isin(keys: _Words, others: _Words, report: _Report = None) -> Column: ...
def join(
    left: _Words, right: _Words, how: str, report: _Report = None
) -> tuple[Column, Column]: ...
