#!/usr/bin/env python3
"""Says which lines, toggles and rows of the RTL were reached, from the files that bodies write where
DUET_COVERAGE names a folder, and from results of `duet cosim` there: `make coverage`.

    python3 rtl/coverage.py FOLDER [--lcov FILE] [--markdown]

A line is reached where one body of one configuration has reached it; so is a toggle, a bit of a
signal that goes from 0 to 1 or back, and a row, one of the cases that a stimulus counts. Prints for
each block how many there are, then each line, signal and row that nothing has reached. Those stand
in coverage.txt beside this file with the reason: exit status 1 where something has none, or a reason
is about what is reached, but for bits of registers that begin with random values, where chance decides,
and for reasons that go for many files. `--lcov` writes the lines for genhtml and editors."""

import argparse
import collections
import fnmatch
import glob
import json
import os
import re
import sys

import reasons
import tree

RTL = os.path.dirname(os.path.abspath(__file__))
REASONS = "coverage.txt"
FORM = "line, toggle or row | FILE, of a row BLOCK | WHAT | REASON"
# A signal, with all its indices, and the bit that goes one way: `memory_q[3].valid[2]:0->1`.
SIGNAL = re.compile(r"([^\[:]*)(.*)")
# Toggles of a signal that are named, of those that nothing has reached.
SHOWN = 4
# In the reason of a signal of which random values show other bits in other runs.
CHANCE = "random values"
# What Verilator makes around a block.
TOP = "_top.sv"


def points(folder):
    """File, kind, what it names and how often it was reached, of each point in a folder's files."""
    # Of one block's bodies all have the same points: each text is taken apart once.
    counts = collections.Counter()
    for path in sorted(glob.glob(os.path.join(folder, "*.dat"))):
        with open(path, encoding="latin-1") as lines:
            for line in lines:
                text, _, count = line.rpartition("' ")
                if text.startswith("C '"):
                    counts[text] += int(count)
    for text in sorted(counts):
        fields = dict(field.split("\2", 1) for field in text[3:].split("\1") if field)
        # Files of others, as Ibex, have a whole path.
        if not fields["f"].endswith(TOP) and not os.path.isabs(fields["f"]):
            yield fields, counts[text]


def span(text):
    """The lines of `3-5,9`."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def merge(folder):
    """How often each line and each toggle of each file was reached."""
    lines = collections.defaultdict(collections.Counter)
    toggles = collections.defaultdict(collections.Counter)
    for fields, count in points(folder):
        name = fields["f"]
        if fields["t"] == "toggle":
            toggles[name][fields["l"], fields["o"]] += count
        else:
            for line in span(fields.get("S") or fields["l"]):
                lines[name][line] += count
    return lines, toggles


def rows(folder):
    """How often each row of each block was reached."""
    found = collections.defaultdict(collections.Counter)
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        found[result["block"]].update(result["coverage"])
    return found


class Reasons:
    """What each family's coverage.txt says, and which of it is used."""

    def __init__(self):
        self.known, self.used, self.wrong = collections.defaultdict(list), set(), 0
        for kind, place, text, reason in reasons.read(tree.beside(RTL, REASONS), FORM):
            self.known[kind].append((place, text, reason))

    def of(self, kind, place, what):
        """The first reason for something that is not reached; says so where there is none."""
        for file, text, reason in self.known[kind]:
            if matches(kind, place, file) and matches(kind, what, text):
                self.used.add((kind, file, text))
                return reason
        self.wrong += 1
        return "NO REASON"

    def stale(self, places):
        """Reasons about nothing, where something of the place was read."""
        for kind in sorted(self.known):
            for file, text, reason in sorted(self.known[kind]):
                is_read = any(matches(kind, place, file) for place in places)
                if (kind, file, text) not in self.used and is_read:
                    self.wrong += "*" not in file and CHANCE not in reason
                    yield f"reached, or not there: {kind} | {file} | {text}"


def matches(kind, what, text):
    """Of a toggle both file and signal may be a pattern: the text of a line has * of its own."""
    return fnmatch.fnmatchcase(what, text) if kind == "toggle" else what == text


def write_lcov(path, lines):
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(lines):
            out.write(f"SF:{os.path.join(RTL, name)}\n")
            out.writelines(f"DA:{line},{lines[name][line]}\n" for line in sorted(lines[name]))
            out.write("end_of_record\n")


def share(counts):
    reached = sum(1 for count in counts if count)
    return reached, len(counts), 100 * reached / max(1, len(counts))


def not_toggled(counts):
    """The bits of each signal that do not go one way or the other, as `7:0->1`."""
    found = collections.defaultdict(list)
    for (_, what), count in counts.items():
        if not count:
            signal, bit = SIGNAL.match(what).groups()
            found[signal].append(bit)
    return found


def table(lines, toggles, cases, markdown):
    """Lines, toggles and rows of each folder of rtl/."""
    groups = collections.defaultdict(lambda: ([], [], []))
    for at, files in enumerate((lines, toggles)):
        for name, counts in files.items():
            groups[os.path.dirname(name)][at].extend(counts.values())
    for block, counts in cases.items():
        groups[block][2].extend(counts.values())
    if markdown:
        print("| block | lines | of | toggles | of | per cent | rows | of |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    form = "| `{}` | {} | {} | {} | {} | {:.1f} | {} | {} |" if markdown else \
        "{:26} lines {:5} of {:5}   toggles {:6} of {:6} ({:5.1f} %)   rows {:4} of {:4}"
    for block in sorted(groups):
        (seen, of, _), flips, (found, kinds, _) = map(share, groups[block])
        print(form.format(block, seen, of, *flips, found, kinds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--lcov", metavar="FILE")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    lines, toggles = merge(arguments.folder)
    if not lines:
        sys.exit(f"coverage: {arguments.folder} holds no file of a body; run make coverage")
    if arguments.lcov:
        write_lcov(arguments.lcov, lines)
    cases = rows(arguments.folder)
    table(lines, toggles, cases, arguments.markdown)
    known = Reasons()
    for name in sorted(lines):
        with open(os.path.join(RTL, name), encoding="utf-8") as file:
            text = file.read().splitlines()
        for line in sorted(line for line, count in lines[name].items() if not count):
            what = text[line - 1].strip()
            print(f"line    {name}:{line}: {known.of('line', name, what)}: {what}")
    for name in sorted(toggles):
        for signal, missing in sorted(not_toggled(toggles[name]).items()):
            reason = known.of("toggle", name, signal)
            few = " ".join(missing[:SHOWN]) + (" ..." if len(missing) > SHOWN else "")
            print(f"toggle  {name}: {signal}: {reason}: {len(missing)} of them: {few}")
    for block in sorted(cases):
        for row in sorted(row for row, count in cases[block].items() if not count):
            print(f"row     {block}: {known.of('row', block, row)}: {row}")
    for line in known.stale({*lines, *toggles, *cases}):
        print(line)
    verdict = f"{len(known.used)} reasons used, {known.wrong} missing or about nothing"
    print(f"{'FAIL' if known.wrong else 'PASS'} coverage: {verdict}")
    sys.exit(1 if known.wrong else 0)


if __name__ == "__main__":
    main()
