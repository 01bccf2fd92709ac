"""Datasets of Ray for the tests; workers import this file, too."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import ray.data


def odd_floats(rows: int) -> np.ndarray[Any, Any]:
    """Make keys of which some are only equal by their numbers, or only by their bits."""
    others = np.array([0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000], np.uint64).view(np.float64)
    pool = np.array([0.0, -0.0, np.nan, *others, np.inf, -1.5])
    return pool[np.random.default_rng(5).integers(0, len(pool), rows)]


RNG = np.random.default_rng(1)
#: Keys, and where their blocks end.
KEYS: dict[str, tuple[np.ndarray[Any, Any], list[int]]] = {
    "random": (RNG.integers(-(2**63), 2**63 - 1, 3000), [500, 1500, 2200]),
    "one key": (np.full(1000, -3), [300, 700]),
    "empty blocks": (RNG.integers(-100, 100, 2000), [0, 0, 1500, 1500, 2000]),
    "no rows": (np.empty(0, np.int64), [0, 0]),
    "floats": (odd_floats(2000), [100, 300]),
    "narrow floats": (odd_floats(2000).astype(np.float32), [100]),
    "skewed": (RNG.zipf(1.3, 3000).astype(np.uint64), [1000, 2000]),
    "narrow": (RNG.integers(-128, 128, 1500).astype(np.int8), [1000]),
    "times": (RNG.integers(0, 500, 1000).astype("datetime64[ns]"), [500]),
}


def table_of(columns: dict[str, Any]) -> pa.Table:
    """Make a table without a change of any NaN."""
    return pa.table({name: pa.array(np.asarray(column)) for name, column in columns.items()})


def dataset_of(columns: dict[str, Any], ends: list[int], kind: str = "arrow") -> Any:
    """Make a dataset of tables of Arrow or frames of pandas, whose blocks end at some rows."""
    rows = len(next(iter(columns.values())))
    starts, last = [0, *ends], [*ends, rows]
    if kind == "pandas":
        frame = pd.DataFrame(columns)
        parts = [frame.iloc[a:b] for a, b in zip(starts, last, strict=True)]
        return ray.data.from_pandas(parts)
    table = table_of(columns)
    return ray.data.from_arrow([table[a:b] for a, b in zip(starts, last, strict=True)])


def gathered(dataset: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Compute a dataset, and return its columns without a change of any NaN."""
    dataset = dataset.materialize()
    schema = dataset.schema()
    blocks = list(dataset.iter_batches(batch_size=None, batch_format="pyarrow"))
    empty = pa.schema(list(zip(schema.names, schema.types, strict=True))).empty_table()
    table = pa.concat_tables([empty, *blocks], promote_options="default")
    return {name: table[name].to_numpy() for name in table.column_names}


def kill_once(marker: str) -> None:
    """End this process and leave its number, unless that was done before."""
    try:
        with open(marker, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def mortal(block: Any, armed: str, marker: str) -> Any:
    """Return a block, but end the process once after a file was made."""
    if os.path.exists(armed):
        kill_once(marker)
    return block
