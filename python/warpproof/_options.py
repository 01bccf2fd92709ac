"""What all functions for several hosts take, whichever engine moves the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._devices import chosen
from ._owner import rows_of, shards_for
from ._placed import Place

#: Where the types of results are found out, by a step on no rows: not on a worker's device.
HERE: dict[str, Any] = {"place": Place("cpu")}


@dataclass(frozen=True)
class Options:
    """How many shards there are, how large a call may be, and where the tables are."""

    shards: int | None
    budget: int | str | None
    device: str

    def __post_init__(self) -> None:
        """Check what can be checked before a worker runs."""
        if self.shards is not None and not 1 <= self.shards < 1 << 31:
            raise ValueError(f"{self.shards} shards are not possible")
        rows_of(self.budget, 8)
        chosen(self.device)

    @property
    def place(self) -> Place:
        """Where workers compute."""
        return Place(str(self.device))

    def sized(self, partitions: int, width: int, rows: Callable[[], int]) -> tuple[int, int | None]:
        """Return how many shards there are, and how many rows a call gets.

        Rows have so many bytes each, and are only counted if that must be known.
        """
        limit = rows_of(self.budget, width)
        if self.shards is not None:
            return self.shards, limit
        if limit is None:
            return partitions, limit
        return max(partitions, shards_for(rows(), limit)), limit
