"""Measure columns on a cluster of Ray on this machine, beside Ray's own functions.

    python benches/ray_bench.py --rows 2000000 --cpus 2

Keys are 64-bit: *few* are drawn from 1,000, *uniform* from a tenth of the rows. The rows are there
before the time begins, and results stay in the workers. Each figure is the median of the rounds, in
which the calls take turns, after one that warms up. Answers are compared by their lengths.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

# Ray reads these when it is imported, or started.
os.environ.update(
    {
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "RAY_idle_worker_killing_time_threshold_ms": "600000",
    }
)

import numpy as np
import pyarrow as pa
import ray
import ray.data
from bench import processor
from ray.data.context import ShuffleStrategy

import warpproof.ray as wpr


def made(rows: int, kind: str, blocks: int) -> Any:
    """Make a dataset of some blocks."""
    drawn = np.random.default_rng(1).integers(0, 1000 if kind == "few" else rows // 10, rows)
    table = pa.table({"k": drawn * np.int64(-7046029254386353131), "v": np.arange(rows)})
    step = -(-rows // blocks)
    return ray.data.from_arrow([table[at : at + step] for at in range(0, rows, step)])


def calls(rows: Any, other: Any, blocks: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return our calls and Ray's."""
    grouped = rows.groupby("k", num_partitions=blocks)
    return {
        "value counts": {
            "ours": lambda: wpr.value_counts(rows, "k"),
            "Ray": lambda: grouped.count(),
        },
        "group by, sum": {
            "ours": lambda: wpr.group_by(rows, "k").sum("v"),
            "Ray": lambda: grouped.sum("v"),
        },
        "inner join": {
            "ours": lambda: wpr.inner_join(rows, other, on="k"),
            "ours, moved": lambda: wpr.inner_join(rows, other, on="k", shards=blocks),
            "Ray": lambda: rows.join(other, "inner", blocks, on=("k",)),
        },
    }


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=2 * 10**6)
    parser.add_argument("--cpus", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shuffle", choices=[one.value for one in ShuffleStrategy])
    asked = parser.parse_args()
    print(f"{processor()}, {os.getloadavg()[0]:.1f} programs were running")
    # Tables of a worker take one thread.
    threads = {"RAYON_NUM_THREADS": "1"}
    ray.init(
        address="local",
        num_cpus=asked.cpus,
        include_dashboard=False,
        object_store_memory=10**9,
        log_to_driver=False,
        runtime_env={"env_vars": threads},
    )
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    if asked.shuffle:
        context.shuffle_strategy = ShuffleStrategy(asked.shuffle)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    wrong = 0
    for kind in ("uniform", "few"):
        rows = made(asked.rows, kind, asked.blocks)
        other = wpr.value_counts(rows, "k").limit(asked.rows // 50).materialize()
        for name, both in calls(rows, other, asked.blocks).items():
            ran: dict[str, list[float]] = {whose: [] for whose in both}
            lengths = set()
            for _ in range(asked.rounds + 1):
                for whose, call in both.items():
                    start = time.perf_counter()
                    lengths.add(call().materialize().count())
                    ran[whose].append(time.perf_counter() - start)
            wrong += len(lengths) != 1
            speeds = (
                f"{whose} {asked.rows / statistics.median(all_[1:]) / 1e6:5.2f} Mrow/s"
                for whose, all_ in ran.items()
            )
            print(f"{kind:8} {name:14} {', '.join(speeds)}", flush=True)
    ray.shutdown()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
