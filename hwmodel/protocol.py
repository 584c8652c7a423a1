#!/usr/bin/env python3
"""Counts where a model's protocol refers to what tests need: the types `Rule` (a disabled rule) and `Row` (coverage) of the
model, outside the files that declare or apply them. A model without any reads as its specification.

    python3 hwmodel/protocol.py

Exit status 1 where a block has more references than MOST says, or fewer: then MOST is to be lowered."""

import collections
import glob
import os
import re
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "src")
# Files that declare these types, or apply a disabled rule to a table of choices.
OWN = {"rule.rs", "row.rs", "choices.rs", "tests.rs"}
REFERENCE = re.compile(r"\b(Rule|Row)::[A-Z][a-z0-9]")
# References that are left, by block.
MOST = {
    "access_validation_unit": 8,
    "cta_scheduler": 3,
    "depacketizer": 38,
    "epoch_agent": 9,
    "epoch_manager": 4,
    "packetizer": 23,
    "race_detection_unit": 7,
    "remote_write_queue": 50,
    "sharing_l1_policy": 10,
    "sharing_l2_policy": 3,
    "speculative_load_queue": 4,
}


def references():
    """References of each block."""
    found = collections.Counter()
    for path in glob.glob(os.path.join(SOURCE, "*", "*", "**", "*.rs"), recursive=True):
        family, block, *inside = os.path.relpath(path, SOURCE).split(os.sep)
        if inside and inside[-1] not in OWN and "tests" not in inside:
            with open(path, encoding="utf-8") as source:
                found[block] += len(REFERENCE.findall(source.read()))
    return found


def main():
    found = references()
    for block in sorted(found):
        if found[block]:
            print(f"{block:<26} {found[block]:>4}")
    wrong = [block for block in sorted({*found, *MOST}) if found[block] != MOST.get(block, 0)]
    for block in wrong:
        print(f"protocol: {block}: {found[block]} references to rules or coverage, MOST has {MOST.get(block, 0)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
