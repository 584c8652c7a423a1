#!/usr/bin/env python3
"""Two threads against one, `duet run` on every system: the median of five pairs of runs, and a table.

    python3 tests/threads.py target/release/duet [PAIRS]

Figures are times with `--threads 2` over times with `--threads 1`. Two cores must be idle."""

import json
import statistics
import subprocess
import sys
import time

PROGRAMS = {"stream": 100_000, "bfs": 10_000, "pagerank": 8_192, "gaussian": 64, "locks": 2_048}


def systems(duet):
    listed = subprocess.run([duet, "list", "systems", "--json"], capture_output=True, check=True)
    return [system["name"] for system in json.loads(listed.stdout)["systems"]]


def seconds(duet, system, program, threads):
    begin = time.monotonic()
    subprocess.run(
        [duet, "run", "--system", system, "--workload", program]
        + ["--set", f"workload.size={PROGRAMS[program]}", "--threads", str(threads)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def ratio(duet, system, program, pairs):
    ratios = []
    for number in range(pairs):
        order = (1, 2) if number % 2 == 0 else (2, 1)
        times = {threads: seconds(duet, system, program, threads) for threads in order}
        ratios.append(times[2] / times[1])
    return statistics.median(ratios)


def main():
    duet, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print("| system | " + " | ".join(PROGRAMS) + " |")
    print("| --- |" + " --- |" * len(PROGRAMS))
    worst = 0
    for system in systems(duet):
        row = [ratio(duet, system, program, pairs) for program in PROGRAMS]
        worst = max(worst, *row)
        print(f"| `{system}` | " + " | ".join(f"{figure:.2f}" for figure in row) + " |", flush=True)
    print(f"largest: {worst:.3f}")


if __name__ == "__main__":
    main()
