#!/usr/bin/env python3
"""Measures the programs on an NVIDIA GPU by Nsight Compute, for `duet correlate`.

    make cuda && python3 measure.py ../../target/correlation/programs > mine.json

Each case runs once, with caches flushed before each launch and clocks left alone. Needs permission
to read performance counters (NVIDIA's ERR_NVGPUCTRPERM page)."""

import csv
import json
import re
import subprocess
import sys

# Fields of a measurement, and what they are made of.
METRICS = {
    "cycles": "gpc__cycles_elapsed.max",
    "time": "gpu__time_duration.sum",
    "l1_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_sector_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "dram_read": "dram__bytes_read.sum",
    "warp_instructions": "smsp__inst_executed.sum",
}
COMMAND = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--cache-control", "all",
           "--clock-control", "none", "--metrics", ",".join(METRICS.values())]


def product(size):
    """Of a size such as (64, 1, 1)."""
    result = 1
    for number in re.findall(r"\d+", size):
        result *= int(number)
    return result


def launches(text, program, n, m):
    """The measurements of a case, from what ncu prints: names, units, a line for each launch."""
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith('"ID"'))
    rows = list(csv.DictReader(lines[first:]))
    # The row of units comes first. `base` of a time is a nanosecond.
    assert rows[0][METRICS["time"]] in ("ns", "nsecond"), rows[0]
    for number, row in enumerate(rows[1:]):
        record = {"program": program, "n": n, "m": m, "launch": number,
                  "kernel": row["Kernel Name"].split("(")[0],
                  "grid": product(row["Grid Size"]), "block": product(row["Block Size"])}
        for field, metric in METRICS.items():
            record[field] = float(row[metric].replace(",", ""))
        record["time"] /= 1000
        yield record


def main():
    programs = sys.argv[1]
    listed = subprocess.run([programs, "list"], capture_output=True, text=True, check=True)
    records = []
    for line in listed.stdout.splitlines():
        program, n, m = line.split()
        command = COMMAND + [programs, program, n, m]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        records += launches(ran.stdout, program, int(n), int(m))
        print(line, file=sys.stderr)
    json.dump(records, sys.stdout, indent=0)


if __name__ == "__main__":
    main()
