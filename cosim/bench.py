#!/usr/bin/env python3
"""Instructions per cycle of each block and configuration, by callgrind, which counts the same in every run: `make bench`.

    python3 cosim/bench.py [BLOCK ...]

C++       a plain test bench of the Verilated library, which evaluates it twice in a cycle
bridge    the library behind the bridge
lockstep  model and library, compared
model     the model alone
ports     a block that only takes its inputs and shows outputs

Goals: for one instruction of the C++ test bench at most 1/0.85 of the bridge, and as many of the lockstep. Exit status 1 where a
configuration misses one and REASONS has none for it, or has one for a configuration that does not."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.environ.get("BENCH") or os.path.join(ROOT, "target", "release", "examples", "bench")
# As cargo would run it.
ENVIRONMENT = dict(os.environ, DUET_RTL=os.path.join(ROOT, "rtl"), DUET_TOOLS=os.path.join(ROOT, ".tools"))
GOAL = 0.85
SMALL = "the least RTL of the block beside a model that is as large as in the others"
SMS = "the ports of 16 SMs are moved and compared, of which the RTL has few"
CLOCK = "Ibex gates its clock, so the lockstep evaluates twice in a cycle as well"
REASONS = {
    ("command_processor", "paper"): CLOCK,
    ("command_processor", "small"): CLOCK,
    ("coherence_directory", "small-ideal"): SMALL,
    ("cp_crossbar", "small"): "the ports of 16 chiplets are moved and compared, of which the RTL has few",
    ("epoch_agent", "small-nv"): SMALL,
    ("race_detection_unit", "least"): SMS,
    ("race_detection_unit", "odd"): SMS,
    ("race_detection_unit", "small"): SMS,
    ("race_detection_unit", "small-half-page"): SMS,
    ("race_detection_unit", "small-word"): SMS,
}
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


def run(*words):
    ended = subprocess.run(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"bench: {' '.join(words)}: {ended.stderr}")
    return ended.stdout


def count(block, config):
    """Instructions per cycle of each loop, and evaluations of the library."""
    with tempfile.NamedTemporaryFile() as file:
        told = run("valgrind", "--tool=callgrind", "--toggle-collect=*counted_*",
                   f"--callgrind-out-file={file.name}", BENCH, "--count", block, config)
        counts = inclusive(file.name)
    cycles, evaluations = map(int, told.split())
    setup, floor, *loops = (counts[loop] for loop in LOOPS)
    return [(floor - setup) / (cycles - 1), *(loop / cycles for loop in loops)], evaluations


def main():
    if not shutil.which("valgrind"):
        sys.exit("bench: valgrind is not installed; no instructions are counted")
    pairs = [line.split() for line in run(BENCH, "--list").splitlines()]
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
        missed = [name for name, ratio in reached.items() if ratio < GOAL]
        reason = REASONS.get((block, config))
        if bool(missed) != bool(reason):
            wrong.append(f"{block} {config}: misses {' and '.join(missed) or 'no goal'}, reason: {reason or 'none'}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
