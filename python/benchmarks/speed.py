"""How fast the package is, against other programs in the same run.

    python benchmarks/speed.py measure --adult adult.csv [--pycanon-python PATH]
    python benchmarks/speed.py publish --command target/release/sfumato [--rows 1000000]
    python benchmarks/speed.py copies [--rows 10000000]

`measure` compares with pycanon, which may be installed in an environment of its own. `publish` compares with the
command line, without its reading. `copies` says how much memory it takes to hand a frame in and out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import polars as pl

import sfumato as sf

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "occupation"

PYCANON = """
import sys, time
import pandas as pd
from pycanon import anonymity as a
data, quasi, sensitive = pd.read_csv(sys.argv[1]), sys.argv[2].split(","), [sys.argv[3]]
start = time.perf_counter()
a.k_anonymity(data, quasi)
for one in (a.l_diversity, a.entropy_l_diversity, a.alpha_k_anonymity, a.recursive_c_l_diversity,
            a.basic_beta_likeness, a.enhanced_beta_likeness, a.t_closeness, a.delta_disclosure):
    one(data, quasi, sensitive)
print(time.perf_counter() - start)
"""


def timed(work, times=5):
    """The shortest of some runs, in seconds."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def measure(arguments):
    import pandas as pd

    data = pd.read_csv(arguments.adult)
    ours = timed(lambda: sf.measure(data, quasi=QUASI, sensitive=SENSITIVE))
    call = [arguments.pycanon_python, "-c", PYCANON, arguments.adult, ",".join(QUASI), SENSITIVE]
    theirs = float(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    print(f"{len(data):,} records, {len(QUASI)} quasi-identifiers")
    print(f"pycanon, nine functions: {theirs:.2f} s; sfumato.measure, every criterion: {ours * 1000:.1f} ms")
    print(f"ratio: {theirs / ours:.0f}")


PLAN = """
[columns]
patient = "identifier"
age = { role = "quasi", hierarchy = { intervals = [5, 10, 20], top = 90 } }
sex = "quasi"
zip = { role = "quasi", hierarchy = { redact = 5 } }
nationality = "quasi"
disease = "sensitive"

[[require]]
criterion = "k-anonymity"
k = 5

[[require]]
criterion = "distinct-l-diversity"
l = 3

[method]
name = "optimal"
"""


def publish(arguments):
    frame = sf.demo(arguments.rows).to_polars()
    with tempfile.TemporaryDirectory() as folder:
        data, plan = Path(folder) / "patients.arrow", Path(folder) / "plan.toml"
        plan.write_text(PLAN)
        frame.write_ipc(data, compression="uncompressed")
        made = sf.Plan.from_file(plan)
        ours = timed(lambda: sf.publish(frame, made, record=False), 3)

        def command(*words):
            full = [arguments.command, *words]
            return timed(lambda: subprocess.run(full, capture_output=True, check=False), 3)

        out = Path(folder) / "out"
        whole = command("publish", plan, "--data", data, "--out", out, "--replace", "--no-record")
        # Reading alone, by a command that does next to nothing else.
        reading = command("check", data, "--plan", plan) if arguments.subtract else 0.0
    print(f"{arguments.rows:,} records: sfumato.publish from polars {ours:.2f} s; the command {whole:.2f} s,")
    print(f"of which reading and starting take at most {reading:.2f} s; ratio {ours / (whole - reading):.2f}")


def resident():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def peak_of(work):
    """What memory grows to while something is done."""
    before, highest, done = resident(), [0], threading.Event()

    def watch():
        while not done.wait(0.01):
            highest[0] = max(highest[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = work()
    finally:
        done.set()
        watcher.join()
    return result, max(highest[0], resident()) - before


def copies(arguments):
    rows = arguments.rows
    numbers = pl.int_range(0, rows, eager=True)
    frame = pl.DataFrame({f"c{at}": (numbers * (at + 7)) % (50 + at) for at in range(8)})
    size = frame.estimated_size()
    table, came_in = peak_of(lambda: sf.Table(frame))
    (out, came_out) = peak_of(table.to_arrow)
    print(f"{rows:,} records × 8 columns of {size / 1e6:.0f} MB")
    print(f"in: {came_in / size:.2f} copies; out: {came_out / size:.2f} copies ({out.nbytes / 1e6:.0f} MB)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("measure")
    one.add_argument("--adult", required=True)
    one.add_argument("--pycanon-python", default=sys.executable)
    one.set_defaults(run=measure)
    one = parts.add_parser("publish")
    one.add_argument("--command", required=True)
    one.add_argument("--rows", type=int, default=1_000_000)
    one.add_argument("--subtract", action=argparse.BooleanOptionalAction, default=True)
    one.set_defaults(run=publish)
    one = parts.add_parser("copies")
    one.add_argument("--rows", type=int, default=10_000_000)
    one.set_defaults(run=copies)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
