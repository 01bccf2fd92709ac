"""Measure the functions of columns beside what a user would take instead, in one run.

    python benches/bench.py --rows 10000000 --keys uniform zipf few --device cpu --record

Keys are 64-bit: *uniform* draws from as many numbers as there are rows, *zipf* with the exponent
1.1 from as many, *few* from 100. Every answer is compared with a peer's, outside the time. Each
figure is the median of the rounds, in millions of rows per second. On a GPU arrays are in device
memory, and the time ends when the GPU has finished.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import warpproof as wp

Call = Callable[[], Any]
ROWS = ["unique", "isin", "value counts", "factorize", "group by, sum", "inner join"]
COLUMNS = "machine card date commit command row size load entry figure unit floor verified"


def keys_of(kind: str, rows: int, seed: int) -> np.ndarray[Any, Any]:
    """Make keys whose bits are spread by a bijection."""
    rng = np.random.default_rng(seed)
    if kind == "uniform":
        drawn = rng.integers(0, rows, rows, np.int64)
    elif kind == "few":
        drawn = rng.integers(0, 100, rows, np.int64)
    else:
        drawn = np.minimum(rng.zipf(1.1, rows), rows).astype(np.int64)
    return drawn * np.int64(-7046029254386353131)


def on_gpu(kind: str, rows: int, seed: int) -> Any:
    """Make such keys, which are not by Zipf's law, in device memory: many in little time."""
    import torch

    source = torch.Generator("cuda").manual_seed(seed)
    most = rows if kind == "uniform" else 100
    drawn = torch.randint(0, most, (rows,), generator=source, device="cuda")
    return drawn.mul_(-7046029254386353131)


class Cpu:
    """The peers in host memory."""

    def __init__(self, keys: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> None:
        import pandas as pd
        import polars as pl

        values = np.arange(len(keys), dtype=np.int64)
        self.keys, self.others, self.values = keys, others, values
        one, few = pl.Series("k", keys), pl.Series("k", others)
        frame, series = pl.DataFrame({"k": keys, "v": values}), pd.Series(keys)
        table = pd.DataFrame({"k": keys, "v": values})
        right = pl.DataFrame({"k": others}).with_row_index("r")
        left = pl.DataFrame({"k": keys}).with_row_index("l")
        pandas, polars = f"pandas {pd.__version__}", f"polars {pl.__version__}"
        numpy = f"NumPy {np.__version__}"
        self.peers: dict[str, dict[str, Call]] = {
            "unique": {
                pandas: lambda: pd.unique(keys),
                polars: lambda: one.unique(),
                numpy: lambda: np.unique(keys),
            },
            "isin": {
                pandas: lambda: series.isin(others),
                polars: lambda: one.is_in(few.implode()),
                numpy: lambda: np.isin(keys, others),
            },
            "value counts": {
                pandas: lambda: series.value_counts(sort=False),
                polars: lambda: one.value_counts(),
                numpy: lambda: np.unique(keys, return_counts=True),
            },
            "factorize": {
                pandas: lambda: pd.factorize(keys),
                numpy: lambda: np.unique(keys, return_inverse=True),
            },
            "group by, sum": {
                pandas: lambda: table.groupby("k", sort=False)["v"].sum(),
                polars: lambda: frame.group_by("k").agg(pl.col("v").sum()),
            },
            "inner join": {
                polars: lambda: left.join(right, on="k", how="inner"),
                pandas: lambda: pd.merge(
                    table, pd.DataFrame({"k": others, "r": np.arange(len(others))}), on="k"
                ),
            },
        }

    def wait(self) -> None:
        """Wait for nothing: calls return when they are done."""

    def lengths(self, name: str, answer: Any) -> list[int]:
        """Say what answers of different libraries have in common."""
        import pandas as pd

        if name == "isin":
            return [int(np.asarray(answer).sum())]
        if isinstance(answer, tuple):
            return [
                len(
                    answer[1]
                    if isinstance(answer[0], np.ndarray)
                    and name == "factorize"
                    and len(answer[0]) == len(self.keys)
                    else answer[0]
                )
            ]
        if isinstance(answer, pd.Series):
            return [len(answer)]
        return [len(answer)]


class Gpu(Cpu):
    """The peers in device memory: torch and CuPy."""

    def __init__(self, keys: Any, others: Any) -> None:
        import torch

        self.torch = torch
        self.keys = torch.as_tensor(keys).cuda()
        self.others = torch.as_tensor(others).cuda()
        self.values = torch.arange(len(keys), device="cuda")
        own = f"torch {torch.__version__.partition('+')[0]}"
        one, few, values = self.keys, self.others, self.values

        def by_sort() -> Any:
            order = torch.sort(one)
            new = torch.ones(len(one), dtype=torch.bool, device="cuda")
            new[1:] = order.values[1:] != order.values[:-1]
            group = torch.cumsum(new, 0) - 1
            count = int(group[-1]) + 1
            sums = torch.zeros(count, dtype=torch.int64, device="cuda")
            return order.values[new], sums.index_add_(0, group, values[order.indices])

        self.peers = {
            "unique": {own: lambda: torch.unique(one)},
            "isin": {own: lambda: torch.isin(one, few)},
            "value counts": {own: lambda: torch.unique(one, return_counts=True)},
            "factorize": {own: lambda: torch.unique(one, return_inverse=True)},
            "group by, sum": {f"{own}, sort and index_add": by_sort},
            "inner join": {},
        }
        try:
            import cupy
        except ImportError:
            return
        ours, name = cupy.asarray(one), f"CuPy {cupy.__version__}"
        theirs = cupy.asarray(few)
        self.peers["unique"][name] = lambda: cupy.unique(ours)
        self.peers["isin"][name] = lambda: cupy.isin(ours, theirs)
        self.peers["value counts"][name] = lambda: cupy.unique(ours, return_counts=True)
        self.peers["factorize"][name] = lambda: cupy.unique(ours, return_inverse=True)

    def wait(self) -> None:
        self.torch.cuda.synchronize()

    def lengths(self, name: str, answer: Any) -> list[int]:
        if name == "isin":
            return [int(answer.sum())]
        if isinstance(answer, tuple):
            distinct = (
                answer[1] if len(answer[0]) == len(self.keys) != len(answer[1]) else answer[0]
            )
            return [len(distinct)]
        return [len(answer)]


def ours_of(place: Cpu) -> dict[str, Call]:
    """Return our calls."""
    keys, others, values = place.keys, place.others, place.values
    return {
        "unique": lambda: wp.unique(keys),
        "isin": lambda: wp.isin(keys, others),
        "value counts": lambda: wp.value_counts(keys),
        "factorize": lambda: wp.factorize(keys),
        "group by, sum": lambda: wp.group_by(keys, ordered=False).sum(values),
        "inner join": lambda: wp.inner_join(keys, others),
    }


def timed(place: Cpu, call: Call, rounds: int) -> tuple[float, Any]:
    """Return the median of the seconds of a call, after one that warms up, and an answer."""
    seconds: list[float] = []
    answer = None
    for _ in range(rounds + 1):
        answer = None
        place.wait()
        start = time.perf_counter()
        answer = call()
        place.wait()
        seconds.append(time.perf_counter() - start)
        if seconds[0] > 20:
            return seconds[0], answer
    return statistics.median(seconds[1:]), answer


def card(device: str) -> str:
    """Return the name of the GPU and its architecture."""
    if device == "cpu":
        return "none"
    import torch

    major, minor = torch.cuda.get_device_capability(0)
    return f"{torch.cuda.get_device_name(0)}, sm_{major}{minor}"


def processor() -> str:
    """Return the name of the processor, and how many threads it runs."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        name = platform.machine()
    return f"{name}, {len(os.sched_getaffinity(0))} threads"


def commit(folder: Path) -> str:
    """Return the commit that is measured."""
    said = subprocess.run(
        ["git", "describe", "--always", "--abbrev=40", "--dirty=+"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip() or "unknown"


def main() -> int:
    """Measure, and print or record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), nargs="+", default=[10**7])
    parser.add_argument(
        "--keys", nargs="+", default=["uniform"], choices=["uniform", "zipf", "few"]
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--only", nargs="+", default=ROWS, choices=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    home = Path(__file__).resolve().parents[2] / "benches" / "record"
    parser.add_argument("--record", type=Path, nargs="?", const=home, help="a folder of records")
    asked = parser.parse_args()
    # Before the records change.
    version = commit(home.parent)
    wrong = 0
    for rows in asked.rows:
        for kind in asked.keys:
            date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if asked.device == "cuda" and kind != "zipf":
                keys: Any = on_gpu(kind, rows, 1)
                others: Any = on_gpu(kind, max(rows // 10, 1), 2).unique()
            else:
                keys = keys_of(kind, rows, 1)
                others = np.unique(keys_of(kind, max(rows // 10, 1), 2))
            place = Gpu(keys, others) if asked.device == "cuda" else Cpu(keys, others)
            command = f"python benches/bench.py --device {asked.device} --rows {rows} --keys {kind}"
            where = [processor(), card(asked.device), date]
            for name, call in ours_of(place).items():
                if name not in asked.only:
                    continue
                seconds, answer = timed(place, call, asked.rounds)
                said = place.lengths(name, answer)
                del answer
                written = []
                peers = []
                for peer, theirs in place.peers[name].items():
                    try:
                        taken, other = timed(place, theirs, asked.rounds)
                    except Exception as error:  # a peer without memory is no reason to stop
                        print(f"{peer}: {name}: {type(error).__name__}")
                        continue
                    same = said == place.lengths(name, other)
                    wrong += not same
                    del other
                    peers.append((peer, taken, same))
                right = all(same for *_, same in peers)
                size = [name, rows, 0, f"{kind} u64 keys"]
                speed = rows / seconds / 1e6
                ratios = ", ".join(
                    f"{peer} {rows / taken / 1e6:,.0f} ({taken / seconds:.2f}x)"
                    for peer, taken, _ in peers
                )
                print(f"{kind:8} {rows:>13,} {name:14} {speed:>9,.1f} Mop/s  {ratios}", flush=True)
                written.append(
                    [
                        *where,
                        version,
                        command,
                        *size,
                        f"{speed:.3f}",
                        "Mop/s",
                        "",
                        str(right).lower(),
                    ]
                )
                others_written = [
                    [
                        *where,
                        peer.split(" ")[1].rstrip(","),
                        f"{peer}: {command}",
                        *size,
                        f"{rows / taken / 1e6:.3f}",
                        "Mop/s",
                        "",
                        str(same).lower(),
                    ]
                    for peer, taken, same in peers
                ]
                if asked.record is not None:
                    append(asked.record / "python.csv", written)
                    append(asked.record / "peers.csv", others_written)
    return 1 if wrong else 0


def append(path: Path, rows: list[list[Any]]) -> None:
    """Append rows to a file of records."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS.split())
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
