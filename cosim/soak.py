#!/usr/bin/env python3
"""Runs every block in lockstep in each of its configurations, and with parameters that it draws, a
run on each core at a time, and adds up what has run: `make soak`.

    python3 cosim/soak.py --cycles N [--seeds S ...] [--random N] [--block BLOCK ...]
        [--out FOLDER] [--jobs N] [--markdown]

`--random N` adds N runs of each block with `--config random`, seeds 1 to N.

The result of each run stays in the folder, so that the same command goes on where it was ended; a
run whose result is older than the program is made again. Exit status 1 where a run fails, and what
it said last is shown."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DUET = os.environ.get("DUET") or os.path.join(ROOT, "target", "release", "duet")


def pairs():
    """Each block with each of its configurations."""
    listed = subprocess.run([DUET, "list", "blocks", "--json"], check=True, capture_output=True)
    blocks = json.loads(listed.stdout)["blocks"]
    return [(block["name"], config) for block in blocks for config in block["configs"]]


def is_done(path, cycles):
    """Whether the result is of so many cycles, and of this program."""
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(DUET):
        return False
    with open(path, encoding="utf-8") as file:
        return json.load(file)["cycles"] >= cycles


def run(folder, cycles, block, config, seed):
    """The result of a run, and what the program said last where it failed."""
    path = os.path.join(folder, f"{block}.{config}.{seed}.json")
    if not is_done(path, cycles):
        words = [DUET, "cosim", block, "--config", config, "--seed", str(seed)]
        words += ["--cycles", str(cycles), "--json", path]
        process = subprocess.run(words, capture_output=True, text=True, check=False)
        if process.returncode:
            said = (process.stdout + process.stderr).strip().splitlines()
            said = said[-1] if said else f"status {process.returncode}"
            if os.path.exists(path):
                os.remove(path)
            return None, f"{' '.join(words[1:])}: {said}"
    with open(path, encoding="utf-8") as file:
        return json.load(file), None


def count(text):
    """A number of runs."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--random", type=count, default=0, metavar="N",
                        help="runs of each block with drawn parameters")
    parser.add_argument("--block", nargs="+", metavar="BLOCK", help="these alone")
    parser.add_argument("--out", default=os.path.join(ROOT, "out", "soak"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    chosen = pairs()
    known = {block for block, _ in chosen}
    for block in arguments.block or []:
        if block not in known:
            parser.error(f"--block {block}: must be one of {', '.join(sorted(known))}")
    chosen = [pair for pair in chosen if pair[0] in (arguments.block or known)]
    os.makedirs(arguments.out, exist_ok=True)
    rows, failures = {}, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # All configurations with the first seed first, as each is a body to be built.
        runs = [(block, config, seed) for seed in arguments.seeds for block, config in chosen]
        drawn = range(1, arguments.random + 1)
        runs += [(block, "random", seed) for seed in drawn for block in dict(chosen)]
        results = pool.map(lambda of: run(arguments.out, arguments.cycles, *of), runs)
        for (block, config, seed), (result, failure) in zip(runs, results):
            if failure:
                failures.append(failure)
                print(f"FAIL {failure}", flush=True)
                continue
            row = rows.setdefault(block, {"configs": set(), "seeds": set(), "drawn": 0,
                                          "cycles": 0, "moved": 0})
            if config == "random":
                row["drawn"] += 1
            else:
                row["configs"].add(config)
                row["seeds"].add(seed)
            row["cycles"] += result["cycles"]
            row["moved"] += sum(result["transfers"].values())
    if arguments.markdown:
        print("| block | configurations | seeds | drawn | million cycles | million transfers |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
    form = "| `{}` | {} | {} | {} | {:.1f} | {:.1f} |" if arguments.markdown else \
        "{:26} {:3} configurations {:2} seeds {:3} drawn {:9.1f} million cycles " \
        "{:9.1f} million transfers"
    for block, row in rows.items():
        print(form.format(block, len(row["configs"]), len(row["seeds"]), row["drawn"],
                          row["cycles"] / 1e6, row["moved"] / 1e6))
    total = sum(row["cycles"] for row in rows.values())
    verdict = f"soak: {total / 1e6:.1f} million cycles in {len(runs) - len(failures)} runs"
    print(f"{'FAIL' if failures else 'PASS'} {verdict}, {len(failures)} runs failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
