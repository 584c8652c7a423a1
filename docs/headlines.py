#!/usr/bin/env python3
"""Runs each paper's experiments and compares their means with the README's table of publications:
`make soak`. One program of each row is a test of `make test`.

    python3 docs/headlines.py [PUBLICATION ...]

Exit status 1 where the README shows another mean."""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DUET = os.path.join(ROOT, "target", "release", "duet")
# Of each row: the paper, the figure, its value, and whether that is a run time, not a speedup.
FIGURES = {
    "FinePack": ("finepack", "F3", "p2p.mean", False),
    "REC": ("rec", "R1", "mean", False),
    "HMG": ("rec", "R2", "hmg over baseline", False),
    "STC": ("stc", "STC-4", "over src-lines", True),
    "CPElide": ("cpelide", "C1", "over baseline", False),
    "race detection": ("race-detection", "RD-4", "block.8K", True),
    "G-TSC": ("gtsc", "GT-1", "RC", False),
    "sharing-aware": ("sharing-aware", "SA-1", "qx_adpt+mgt", False),
}


def shown():
    """What the README shows of each publication."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        for line in file:
            if "| `--system " in line:
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                yield re.sub(r" \(.*", "", cells[0]), cells[4]


def figures(paper):
    """The values of each figure of a paper."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figures.json")
        words = [DUET, "reproduce", paper, "--perturbed", "0", "--json", path]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            return {figure["id"]: figure["values"] for figure in json.load(file)["figures"]}


def main():
    """Compares."""
    wanted = sys.argv[1:]
    rows = [(name, mean) for name, mean in shown() if not wanted or name in wanted]
    if not rows or {name for name, _ in shown()} != set(FIGURES):
        sys.exit(f"headlines: the README's rows must be {', '.join(FIGURES)}")
    known, wrong = {}, 0
    for name, mean in rows:
        paper, figure, value, is_time = FIGURES[name]
        if paper not in known:
            known[paper] = figures(paper)
        ours = known[paper][figure][value]
        ours = f"{1 / ours if is_time else ours:.2f}"
        wrong += ours != mean
        print(f"{name}: {figure} {ours}{'' if ours == mean else f', the README shows {mean}'}",
              flush=True)
    print("FAIL headlines" if wrong else f"PASS headlines: {len(rows)} rows")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
