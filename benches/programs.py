"""`warpproof join` and `kmers` beside other programs: CPU seconds and peak memory, all in one run.

    python benches/programs.py join kmers --record

Every program runs on its own, one after the other, on files that this script makes, with two threads. What they write is
compared: rows of joins sorted, tables of k-mers byte by byte, those of jellyfish by how many k-mers occur how often. A
result that differs ends the run. Needs numpy, polars and duckdb in this Python, and sqlite3, jellyfish, kmc and
GNU time.
"""

import argparse
import csv
import datetime
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = 2
LETTERS = np.frombuffer(b"ACGT", dtype=np.uint8)
COLUMNS = "machine,card,date,commit,command,row,size,load,entry,figure,unit,floor,verified".split(",")

POLARS = """
import polars as pl
l, r = pl.scan_{f}('l.{f}'), pl.scan_{f}('r.{f}')
l.join(r, on='{k}', maintain_order='left').sink_{f}('out.{f}')
"""
DUCKDB = """
import duckdb
duckdb.sql("set threads = 2")
duckdb.sql("copy (select l.*, r.name from 'l.{f}' l join 'r.{f}' r using ({k})) to 'out.{f}' {o}")
"""
SQLITE = """create table l(id integer, {k} {t}, value integer); create table r({k} {t}, name text);
.mode csv
.import --skip 1 l.csv l
.import --skip 1 r.csv r
create index i on r({k});
.headers on
.output out.csv
select l.*, r.name from l join r using ({k}) order by l.rowid;
"""


def measured(command, folder):
    """CPU seconds, seconds, and MB at the peak, by GNU time: a child of this process would seem to have its memory."""
    timed = ["/usr/bin/time", "-f", "%U %S %e %M", "-o", "time.txt", *command]
    done = subprocess.run(timed, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.decode()}")
    user, system, wall, memory = map(float, (folder / "time.txt").read_text().split())
    return user + system, wall, memory / 1024


class Run:
    """One run: what was measured, for the records."""

    def __init__(self, args):
        self.args, self.rows = args, []
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    def case(self, command, size, entry, programs):
        """Measures our command and others: the name and version of each, its commands, and a check of what it wrote."""
        for name, commands, check in programs:
            parts = [measured(part, self.args.work) for part in commands]
            figures = sum(part[0] for part in parts), sum(part[1] for part in parts), max(part[2] for part in parts)
            check()
            shown = f"{figures[0]:7.1f} s of CPU {figures[1]:7.1f} s {figures[2]:7.0f} MB"
            print(f"{entry:34} {name:28} {shown}", flush=True)
            for row, figure, unit in zip(("cpu", "wall", "memory"), figures, ("s", "s", "MB")):
                ours = name.startswith("warpproof")
                label = command if ours else f"{name}: {command}"
                self.rows.append((ours, label, row, size, entry, round(figure, 2), unit))

    def record(self):
        """Appends the figures to the records."""
        folder = ROOT / "benches/record"
        git = ["git", "-C", ROOT, "rev-parse", "HEAD"]
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
        model = platform.processor() or "unknown"
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
        machine = f"{model}, {os.cpu_count()} threads"
        for name, mine in (("programs.csv", True), ("peers.csv", False)):
            path = folder / name
            new = not path.exists()
            with open(path, "a", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                if new:
                    out.writerow(COLUMNS)
                for ours, label, row, size, entry, figure, unit in self.rows:
                    if ours == mine:
                        by = commit if ours else "unknown"
                        out.writerow([machine, "none", self.date, by, label, row, size, 0, entry, figure, unit, "", "true"])


def join_files(work, rows):
    """Left rows, a tenth as many right rows, four of five left rows with a partner; keys as numbers and as text."""
    import polars as pl

    draw = np.random.default_rng(1)
    keys = draw.permutation(rows // 8)[: rows // 10].astype(np.int64) * 7919
    left = pl.DataFrame(
        {
            "id": np.arange(rows),
            "k": draw.integers(0, rows // 8, rows) * 7919,
            "value": draw.integers(0, 10**6, rows),
        }
    )
    right = pl.DataFrame({"k": keys, "name": [f"name of {i}" for i in range(len(keys))]})
    for name, frame in (("l", left), ("r", right)):
        frame.write_csv(work / f"{name}.csv")
        frame.write_parquet(work / f"{name}.parquet")


def join(run):
    """Joins of text files and of Parquet."""
    import duckdb
    import polars as pl

    work, rows = run.args.work, run.args.rows
    if not (work / "l.parquet").exists():
        join_files(work, rows)
    expected = []

    def check(suffix):
        def rows_of():
            path = work / f"out.{suffix}"
            frame = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
            frame = frame.select("id", "k", "value", "name").sort("id")
            path.unlink()
            if not expected:
                expected.append(frame)
            if not frame.equals(expected[0]) or len(frame) < rows // 2:
                sys.exit("the results differ")

        return rows_of

    (work / "join.sql").write_text(SQLITE.format(k="k", t="integer"))
    ours = str(run.args.program)

    def command(f, *more):
        return [ours, "join", f"l.{f}", f"r.{f}", "--on", "k", *more, "--backend", "cpu", "--threads", str(THREADS)]

    def python(script, f, o=""):
        return [sys.executable, "-c", script.format(f=f, k="k", o=o)]

    sqlite = subprocess.run(["sqlite3", "--version"], capture_output=True, text=True).stdout.split()[0]
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    text = "python benches/programs.py join"
    run.case(
        text,
        rows,
        "rows of CSV",
        [
            ("warpproof", [[*command("csv"), "-o", "out.csv"]], check("csv")),
            (f"duckdb {duckdb.__version__}", [python(DUCKDB, "csv", "(header)")], check("csv")),
            (f"polars {pl.__version__}", [python(POLARS, "csv")], check("csv")),
            (f"sqlite3 {sqlite}", [["sqlite3", "-batch", ":memory:", ".read join.sql"]], check("csv")),
        ],
    )
    run.case(
        text,
        rows,
        "rows of CSV, keys as integers",
        [("warpproof", [[*command("csv", "--as", "integer"), "-o", "out.csv"]], check("csv"))],
    )
    run.case(
        text,
        rows,
        "rows of Parquet",
        [
            ("warpproof", [[*command("parquet"), "-o", "out.parquet"]], check("parquet")),
            (f"duckdb {duckdb.__version__}", [python(DUCKDB, "parquet")], check("parquet")),
            (f"polars {pl.__version__}", [python(POLARS, "parquet")], check("parquet")),
        ],
    )


def sequences(path, reads):
    """Random letters, or reads of a random genome with one wrong letter in 200."""
    draw = np.random.default_rng(1)
    with open(path, "wb") as file:
        if not reads:
            for name in range(4):
                letters = LETTERS[draw.integers(0, 4, 12_500_000, dtype=np.uint8)]
                lines = np.full((len(letters) // 80, 81), ord("\n"), np.uint8)
                lines[:, :80] = letters.reshape(-1, 80)
                file.write(b">s%d\n" % name + lines.tobytes())
            return
        genome = LETTERS[draw.integers(0, 4, 30_000_000, dtype=np.uint8)]
        for _ in range(20):
            starts = draw.integers(0, len(genome) - 150, 100_000)
            read = genome[starts[:, None] + np.arange(150)]
            other = LETTERS[draw.integers(0, 4, read.shape, dtype=np.uint8)]
            lines = np.full((len(read), 154), ord("\n"), np.uint8)
            lines[:, :3] = np.frombuffer(b">r\n", np.uint8)
            lines[:, 3:153] = np.where(draw.random(read.shape) < 0.005, other, read)
            file.write(lines.tobytes())


def kmers(run):
    """Counts of k-mers, as a sorted table of text."""
    work = run.args.work
    for name, size, entry, k in (
        ("random.fa", 50_000_000, "random letters, k = 25", 25),
        ("reads.fa", 300_000_000, "letters of reads, k = 31", 31),
    ):
        if not (work / name).exists():
            sequences(work / name, name == "reads.fa")
        shutil.rmtree(work / "bins", ignore_errors=True)
        (work / "bins").mkdir()
        threads = str(THREADS)

        def same(ours, theirs):
            subprocess.run(["cmp", ours, theirs], cwd=work, check=True)
            (work / theirs).unlink()

        ours = [str(run.args.program), "kmers", name, "-k", str(k), "--top", "0", "--backend", "cpu", "--threads", threads]
        count = ["kmc", f"-k{k}", "-fm", "-ci1", "-cs1000000", f"-t{threads}", "-m2", name, "kmc", "bins"]
        dump = ["kmc_tools", f"-t{threads}", "transform", "kmc", "dump", "-s", "kmc.tsv"]
        fish = ["jellyfish", "count", "-C", "-m", str(k), "-s", "100M", "-t", threads, "-o", "fish.jf", name]
        spectrum = ["jellyfish", "histo", "-h", "1000000", "-o", "fish.txt", "fish.jf"]
        versions = [
            subprocess.run(["kmc"], capture_output=True, text=True).stdout.split("ver. ")[1].split()[0],
            subprocess.run(["jellyfish", "--version"], capture_output=True, text=True).stdout.split()[-1],
        ]

        def histogram():
            subprocess.run(spectrum, cwd=work, check=True)
            same("ours.txt", "fish.txt")

        nothing = lambda: None  # noqa: E731
        run.case(
            "python benches/programs.py kmers",
            size,
            entry,
            [
                ("warpproof", [[*ours, "-o", "ours.tsv", "--histogram", "ours.txt"]], nothing),
                (f"KMC {versions[0]}", [count, dump], lambda: same("ours.tsv", "kmc.tsv")),
                (f"jellyfish {versions[1]} (its own format)", [fish], histogram),
            ],
        )
        for left in ("ours.tsv", "ours.txt", "fish.jf", "kmc.kmc_pre", "kmc.kmc_suf"):
            (work / left).unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="+", choices=["join", "kmers"])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target/release/warpproof")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/programs")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    args.program, args.work = args.program.resolve(), args.work.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    for what in args.what:
        globals()[what](run)
    if args.record:
        run.record()


main()
