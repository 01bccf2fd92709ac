"""Measure columns on a cluster of Dask with one worker and with more, beside Dask's own functions.

    python benches/dask_bench.py --rows 8000000 --workers 1 3
    python benches/dask_bench.py --rows 80000000 --workers 1 2 --gpus

All workers are on this machine, and have one thread each, our tables included. Keys are 64-bit:
*few* are drawn from 1,000, *uniform* from a tenth of the rows. Each worker makes its rows before
the time begins, and counts its results in the end, so nothing goes to the caller. Each figure is
the median of the rounds, in which the calls take turns. Answers are compared by their lengths.

With `--gpus` each worker has a GPU of its own for our tables, and *on the CPU* are the same calls
with tables in host memory.

*busiest* is the processor's time of the worker that took most, in seconds. On a machine with a free
core for each worker, it is about what a call takes; on a busy one it says how work is divided.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from bench import processor
from distributed import Client, LocalCluster, wait

import warpproof.dask as wpd

#: Partitions of the argument and of the result.
PARTITIONS = 12
#: The module that starts a worker.
WORKER = "distributed.cli.dask_worker"


def serve(workers: int, gpus: bool) -> None:
    """Run a cluster until the standard input ends."""
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=0 if gpus else workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=None,
            local_directory=folder,
            silence_logs="CRITICAL",
        ) as cluster,
    ):
        command = [sys.executable, "-m", WORKER, cluster.scheduler_address]
        command += ["--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        command += ["--local-directory", folder]
        with contextlib.ExitStack() as stack:
            for gpu in range(workers if gpus else 0):
                env = {**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)}
                worker = stack.enter_context(subprocess.Popen(command, env=env))
                stack.callback(worker.terminate)
            print(cluster.scheduler_address, flush=True)
            sys.stdin.read()


@contextlib.contextmanager
def cluster_of(workers: int, gpus: bool) -> Iterator[Client]:
    """Start a cluster in a process of its own."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve", str(workers), *(["--gpus"] if gpus else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # One thread of our tables in each worker: otherwise one worker has all of them.
        env={**os.environ, "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    ) as process:
        assert process.stdout
        assert process.stdin
        with Client(process.stdout.readline().strip(), timeout=120) as client:
            client.wait_for_workers(workers, timeout=120)
            yield client
        process.stdin.close()


def made(number: int, rows: int, kind: str) -> pd.DataFrame:
    """Make a partition."""
    rng = np.random.default_rng(number)
    drawn = rng.integers(0, 1000 if kind == "few" else rows * PARTITIONS // 10, rows)
    return pd.DataFrame({"k": drawn * np.int64(-7046029254386353131), "v": np.arange(rows)})


def length_of(part: Any) -> Any:
    """Return the length of a partition."""
    return pd.Series([len(part)])


#: Calls by name, and in each of them by what runs them.
Calls = dict[str, dict[str, Callable[[], Any]]]


def ours(frame: Any, other: Any, device: str) -> dict[str, Callable[[], Any]]:
    """Return our calls."""
    return {
        "unique": lambda: wpd.unique(frame["k"], device=device),
        "value counts": lambda: wpd.value_counts(frame["k"], device=device),
        "group by, sum": lambda: wpd.group_by(frame["k"], device=device).sum(frame["v"]),
        "inner join": lambda: wpd.inner_join(frame, other, on="k", device=device),
    }


def theirs(frame: Any, other: Any) -> dict[str, Callable[[], Any]]:
    """Return the same calls of Dask."""
    out = PARTITIONS
    return {
        "unique": lambda: frame["k"].drop_duplicates(split_out=out),
        "value counts": lambda: frame["k"].value_counts(sort=False, split_out=out),
        "group by, sum": lambda: frame.groupby("k", sort=False)["v"].sum(split_out=out),
        "inner join": lambda: frame.merge(other, on="k", how="inner", npartitions=out),
    }


def calls(frame: Any, other: Any, gpus: bool) -> Calls:
    """Return our calls and Dask's."""
    named = {"ours": ours(frame, other, "cuda:0" if gpus else "cpu"), "Dask": theirs(frame, other)}
    if gpus:
        named["on the CPU"] = ours(frame, other, "cpu")
    return {call: {whose: of[call] for whose, of in named.items()} for call in named["ours"]}


def timed(client: Client, call: Callable[[], Any]) -> tuple[float, float, int]:
    """Return the seconds of a call, those of the busiest worker, and the length of its result."""
    before = client.run(time.process_time)
    start = time.perf_counter()
    lengths = call().map_partitions(length_of, meta=length_of([]))
    found = int(client.compute(lengths.sum()).result(timeout=600))
    taken = time.perf_counter() - start
    after = client.run(time.process_time)
    return taken, max(after[worker] - before[worker] for worker in after), found


def measure(workers: int, kind: str, asked: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the medians of the seconds of all calls, and their lengths."""
    part = asked.rows // PARTITIONS
    with cluster_of(workers, asked.gpus) as client:
        frame = dd.from_map(made, range(PARTITIONS), rows=part, kind=kind, meta=made(0, 0, kind))
        other = frame.partitions[:1].drop_duplicates(subset="k").rename(columns={"v": "w"})
        frame, other = client.persist([frame, other])
        wait([frame, other], timeout=600)
        found: dict[str, dict[str, Any]] = {}
        for name, each in calls(frame, other, asked.gpus).items():
            ran: dict[str, list[tuple[float, float, int]]] = {whose: [] for whose in each}
            for _ in range(asked.rounds + 1):
                for whose, call in each.items():
                    ran[whose].append(timed(client, call))
            # The first round warms up.
            found[name] = {
                whose: tuple(map(statistics.median, zip(*all_[1:], strict=True)))
                for whose, all_ in ran.items()
            }
            found[name]["same"] = len({length for all_ in ran.values() for *_, length in all_}) == 1
        return found


def said(rows: int, results: dict[str, Any]) -> str:
    """Return the rates of a call."""
    rate = {whose: rows / taken[0] / 1e6 for whose, taken in results.items() if whose != "same"}
    return "; ".join(
        f"{whose} {rate[whose]:.1f} Mrow/s, busiest {results[whose][1]:.2f} s" for whose in rate
    )


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=8 * 10**6)
    parser.add_argument("--keys", nargs="+", default=["uniform", "few"], choices=["uniform", "few"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--gpus", action="store_true", help="each worker has a GPU of its own")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.serve, asked.gpus)
        return 0
    print(f"{processor()}, {os.getloadavg()[0]:.1f} programs were running")
    wrong = 0
    for kind in asked.keys:
        found = {n: measure(n, kind, asked) for n in asked.workers}
        first = found[asked.workers[0]]
        for name, alone in first.items():
            for workers, results in ((n, found[n][name]) for n in asked.workers):
                wrong += not results["same"]
                faster = alone["ours"][0] / results["ours"][0]
                divided = alone["ours"][1] / results["ours"][1]
                print(
                    f"{kind:8} {name:14} {workers} workers: {said(asked.rows, results)};"
                    f" ours beside {asked.workers[0]}: {faster:.2f}x, busiest {divided:.2f}x",
                    flush=True,
                )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
