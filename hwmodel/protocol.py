#!/usr/bin/env python3
"""Counts where a model's protocol refers to what tests need: the types `Rule` (a disabled rule) and `Row` (coverage) of the
model, outside the files that declare or apply them. A model without any reads as its specification.

    python3 hwmodel/protocol.py

Prints the blocks that have any, with their number. Exit status 1 where one has."""

import collections
import glob
import os
import re
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "src")
# Files that declare these types, or apply a disabled rule to a table of choices.
OWN = {"rule.rs", "row.rs", "choices.rs", "tests.rs"}
REFERENCE = re.compile(r"\b(Rule|Row)::[A-Z][a-z0-9]")


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
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
