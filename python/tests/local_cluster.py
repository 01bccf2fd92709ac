"""A cluster of three workers on loopback, in a process of its own, until its standard input ends.

The scheduler is not in the process of the tests: Dask's expressions are shared by all threads of a
process through weak references, and a client and a scheduler that make the same one at a time may
fail (`SingletonExpr.__new__` of Dask 2026.8 looks a name up twice).
"""

from __future__ import annotations

import sys

import dask
from distributed import LocalCluster

SETTINGS = {"distributed.comm.timeouts.connect": "60s", "distributed.comm.timeouts.tcp": "60s"}


def main(folder: str) -> None:
    """Run the cluster, and print its address."""
    with (
        dask.config.set(SETTINGS),
        LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=None,
            local_directory=folder,
            silence_logs="CRITICAL",
        ) as cluster,
    ):
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
