#!/usr/bin/env python3
"""What an access costs the host, of this tree, and of another revision beside it in the same run.

    testbench/machine/bench.py [REVISION]

Instructions and last-level cache misses of the machine alone for each access, by callgrind, which count the same in every run;
and accesses per second, the median of runs of both in turn, which depend on what else the host does."""

import os
import shutil
import statistics
import subprocess
import sys

CAPTURE = "testbench/traces/workloads/bfs.trace"
# Program, system and settings, as the example takes them.
CASES = [(f"stream:{size}", "cpelide-4") for size in (65536, 131072, 262144)]
CASES += [(CAPTURE, "cpelide-4-small")]
CASES += [("stream:16384", "stc-8cu", f"l1.design={design}")
          for design in ("src", "stc-nv", "stc-es", "stc-ab", "stc-mb")]
CASES += [("stream:16384", "fermi-16sm", f"l1.design={design}")
          for design in ("src", "race-base", "race-ideal", "race-nospec", "race-spec")]
CASES += [("pagerank", "rec-4gpu-small", f"machine.gpus={gpus}") for gpus in (1, 2, 4, 8, 16)]
# Programs of which the share of statistics is measured, on cpelide-4.
KERNELS = ("gaussian", "color_max", "nw", "bfs", "stream")
RUNS = 5
OWN = os.path.abspath("target/release/examples/machine")


def build(folder, into):
    words = ["cargo", "build", "--release", "-q", "-p", "machine", "--example", "machine", "--target-dir", into]
    subprocess.run(words, cwd=folder, check=True)
    return os.path.join(into, "release", "examples", "machine")


def of_revision(revision):
    """The example of another revision, built from its files alone."""
    words = ["git", "rev-parse", "--verify", "--quiet", revision + "^{commit}"]
    found = subprocess.run(words, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"bench: {revision}: no revision of this repository")
    folder = os.path.abspath("target/bench/before")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    archive = subprocess.Popen(["git", "archive", found.stdout.strip()], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    if archive.wait() != 0:
        sys.exit(f"bench: {revision}: git archive failed")
    return build(folder, os.path.abspath("target/bench/build"))


def run(program, case, before=()):
    """Standard output and standard error; None where another revision does not know the case."""
    ended = subprocess.run([*before, program, *case], capture_output=True, text=True)
    if ended.returncode == 0:
        return ended.stdout, ended.stderr
    if program == OWN:
        sys.exit(f"bench: {' '.join([*before, program, *case])}: {ended.stderr}")
    return None


def accesses(stdout):
    words = stdout.split()
    return int(words[0]), float(words[4])


def counts(program, case):
    """Of each access: instructions, and misses of the last-level cache. None without valgrind."""
    words = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--callgrind-out-file=/dev/null",
             "--toggle-collect=*measured*"]
    ended = run(program, case, words) if shutil.which("valgrind") else None
    if ended is None:
        return None
    line = {words[1]: words[3:] for words in map(str.split, ended[1].splitlines()) if len(words) > 3}
    found = dict(zip(line["Events"], map(int, line["Collected"])))
    each = accesses(ended[0])[0]
    return found["Ir"] / each, (found["DLmr"] + found["DLmw"]) / each


def main():
    build(".", os.path.abspath("target"))
    programs = [OWN]
    names = ["this tree"]
    if len(sys.argv) > 1:
        programs.insert(0, of_revision(sys.argv[1]))
        names.insert(0, sys.argv[1])
    heads = ("instructions", "misses", "M accesses/s")
    print(f"{'':44}" + "".join(f"{head + ', ' + name:>28}" for head in heads for name in names))
    for case in CASES:
        counted = [counts(program, case) for program in programs]
        speeds = [[] for _ in programs]
        for _ in range(RUNS):
            for program, all_of_it in zip(programs, speeds):
                ended = run(program, case)
                if ended:
                    all_of_it.append(accesses(ended[0])[1])
        cells = [f"{c[0]:.0f}" if c else "-" for c in counted]
        cells += [f"{c[1]:.2f}" if c else "-" for c in counted]
        cells += [f"{statistics.median(s):.3f}" if s else "-" for s in speeds]
        program, *rest = case
        name = " ".join([os.path.basename(program), *rest])
        print(f"{name:44}" + "".join(f"{cell:>28}" for cell in cells), flush=True)
    for program in KERNELS:
        case = (program, "cpelide-4")
        off, on = (counts(OWN, [*case, *more]) for more in ((), ("kernels",)))
        if on:
            share = 100 * (on[0] - off[0]) / on[0]
            print(f"statistics of kernels: {program} on cpelide-4: {share:.1f} % of the machine's instructions")


if __name__ == "__main__":
    main()
