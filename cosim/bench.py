#!/usr/bin/env python3
"""Instructions per cycle of each block and configuration, by callgrind, which counts the same in every run: `make bench`.

    python3 cosim/bench.py [BLOCK ...]

C++       a plain test bench of the Verilated library, which evaluates it twice in a cycle
bridge    the library behind the bridge
lockstep  model and library, compared
model     the model alone
ports     a block that only takes its inputs and shows outputs

Exit status 1 where a configuration misses a goal and REASONS has none for it, or has one for a configuration that does not."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

BENCH = os.path.abspath("target/release/examples/bench")
# Instructions of the C++ test bench for one of the bridge, and of the lockstep.
GOALS = {"bridge": 0.85, "lockstep": 0.85}
REASONS = {}
LOOPS = ("setup", "floor", "rtl", "lockstep", "model", "ports")


def inclusive(path):
    """Instructions in each function counted_*, with what it calls, of callgrind's file."""
    names, counts, called = {}, collections.Counter(), ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            found = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
            if found:
                if found[2]:
                    names[found[1]] = found[2]
                called = names.get(found[1], "") if line.startswith("c") else ""
            elif called and not line.startswith(("calls=", "cfi=", "cob=")):
                kind = re.search(r"counted_(\w+)", called)
                if kind:
                    counts[kind[1]] += int(line.split()[-1])
                called = ""
    return counts


def count(block, config):
    """Instructions per cycle of each loop, and evaluations of the library."""
    with tempfile.NamedTemporaryFile() as file:
        words = ["valgrind", "--tool=callgrind", "--toggle-collect=*counted_*",
                 f"--callgrind-out-file={file.name}", BENCH, "--count", block, config]
        ended = subprocess.run(words, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"bench: {' '.join(words)}: {ended.stderr}")
        counts = inclusive(file.name)
    cycles, evaluations = map(int, ended.stdout.split())
    setup, floor, *loops = (counts[loop] for loop in LOOPS)
    return [(floor - setup) / (cycles - 1), *(loop / cycles for loop in loops)], evaluations


def main():
    if not shutil.which("valgrind"):
        sys.exit("bench: valgrind is not installed; no instructions are counted")
    listed = subprocess.run([BENCH, "--list"], check=True, capture_output=True, text=True)
    pairs = [line.split() for line in listed.stdout.splitlines()]
    pairs = [pair for pair in pairs if not sys.argv[1:] or pair[0] in sys.argv[1:]]
    heads = ("evaluations", "C++", "bridge", "lockstep", "model", "ports", "C++/bridge", "C++/lockstep", "bridge/lockstep")
    print(f"{'block':24} {'config':22}" + "".join(f"{head:>{len(head) + 2}}" for head in heads))
    wrong = []
    for block, config in pairs:
        (cpp, bridge, lockstep, model, ports), evaluations = count(block, config)
        reached = {"bridge": cpp / bridge, "lockstep": cpp / lockstep}
        cells = [f"{evaluations}", *(f"{n:.0f}" for n in (cpp, bridge, lockstep, model, ports))]
        cells += [f"{ratio:.2f}" for ratio in (*reached.values(), bridge / lockstep)]
        print(f"{block:24} {config:22}" + "".join(f"{c:>{len(h) + 2}}" for c, h in zip(cells, heads)), flush=True)
        missed = [goal for goal, ratio in reached.items() if ratio < GOALS[goal]]
        reason = REASONS.get((block, config))
        if bool(missed) != bool(reason):
            wrong.append(f"{block} {config}: misses {' and '.join(missed) or 'no goal'}, reason: {reason or 'none'}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
