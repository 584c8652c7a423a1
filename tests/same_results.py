#!/usr/bin/env python3
"""Runs the programs that two builds of `duet` share over systems, designs and bodies; compares the results byte by byte.

    tests/same_results.py OLD NEW [--captures FOLDER] [--rename OLD=NEW]... [--other-traces]

OLD and NEW are the programs. What is compared is the JSON of each run: cycles, statistics, transfers, checked values; and
the exit status. `--rename` names a JSON key that has another name since; `--other-traces` compares all but the checksums of
traces. A change that must change nothing passes."""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

TWO = ["--set", "machine.gpus=2"]
SYSTEMS = [
    ("cpelide-4-small", []),
    ("cpelide-4-small", TWO),
    ("rec-4gpu-small", []),
    ("finepack-4gpu-small", []),
    ("stc-8cu-small", []),
]
DESIGNS = ["software", "cpelide", "directory", "hmg", "rec", "ideal"]
EGRESS = ["p2p", "write-combine", "dma", "infinite", "config-packet"]
LOCKSTEP = [
    "remote_write_queue", "packetizer", "depacketizer", "coherence_directory", "cp_crossbar",
    "local_command_processor",
]


def workloads(duet):
    """Names of the built-in programs."""
    listed = json.loads(subprocess.run([duet, "list", "--json"], capture_output=True, check=True).stdout)
    return [w["name"] for w in listed["workloads"]]


def matrix(programs, captures):
    """The runs, as lists of words."""
    for program in programs:
        for system, more in SYSTEMS:
            yield ["--system", system, "--workload", program] + more
        for design in DESIGNS:
            words = ["--system", "cpelide-4-small", "--workload", program, "--set", f"l2.design={design}"]
            yield words
            yield words + TWO
    for egress in EGRESS:
        for program in ("pagerank_push", "stream"):
            yield ["--system", "finepack-4gpu-small", "--workload", program, "--set", f"egress.design={egress}"]
    for capture in captures:
        for design in DESIGNS:
            yield ["--system", "cpelide-4-small", "--workload", capture, "--set", f"l2.design={design}"]
    # With RTL beside models.
    for program in ("reuse", "pagerank_push"):
        base = ["--system", "cpelide-4-small", "--workload", program, "--set", "l2.design=rec"] + TWO
        for block in LOCKSTEP:
            for body in ("rtl", "lockstep"):
                yield base + ["--impl", f"{block}={body}"]
        for cp in ("iss", "rtl", "lockstep"):
            yield ["--system", "cpelide-4-small", "--workload", program, "--set", "l2.design=cpelide", "--cp", cp]


def result(duet, words, folder, renames):
    """Status and JSON of a run."""
    path = os.path.join(folder, "result.json")
    if os.path.exists(path):
        os.remove(path)
    status = subprocess.run([duet, "run"] + words + ["--json", path], capture_output=True).returncode
    if not os.path.exists(path):
        return status, None

    def renamed(pairs):
        return {renames.get(key, key): value for key, value in pairs}

    with open(path) as file:
        return status, json.load(file, object_pairs_hook=renamed)


def difference(old, new, place=""):
    """The first place where two results differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(set(old) | set(new)):
            found = difference(old.get(key), new.get(key), f"{place}.{key}")
            if found:
                return found
        return None
    return None if old == new else f"{place}: {old} and {new}"


def compare(args, renames, words):
    with tempfile.TemporaryDirectory() as folder:
        old = result(args.old, words, folder, renames)
        new = result(args.new, words, folder, {})
    if old[0] != new[0]:
        return f"status {old[0]} and {new[0]}"
    if args.other_traces and old[1] and new[1]:
        for _, of_run in (old, new):
            of_run["workload"] = of_run["workload"].rsplit(" ", 1)[0]
    return difference(old[1] or {}, new[1] or {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--captures", help="folder with traces (*.trace) besides the built-in programs")
    parser.add_argument("--rename", action="append", default=[], metavar="OLD=NEW")
    parser.add_argument("--other-traces", action="store_true", help="compare all but the checksums of traces")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.old, args.new = os.path.abspath(args.old), os.path.abspath(args.new)
    renames = dict(rename.split("=") for rename in args.rename)
    captures = sorted(glob.glob(os.path.join(args.captures, "*.trace"))) if args.captures else []
    known = set(workloads(args.old))
    programs = workloads(args.new)
    runs = list(matrix([program for program in programs if program in known], captures))
    gone = sorted(known.difference(programs))
    if gone:
        sys.exit(f"only OLD has the programs {', '.join(gone)}")
    different = passed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for words, found in zip(runs, pool.map(lambda words: compare(args, renames, words), runs)):
            if found:
                different += 1
                print(f"DIFFERENT  {' '.join(words)}\n           {found}", flush=True)
            else:
                passed += 1
    print(f"{passed} of {len(runs)} runs have the same results")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
