#!/usr/bin/env python3
"""Says which lines of the RTL were reached, from the files that bodies write where DUET_COVERAGE
names a folder: `make coverage`.

    python3 rtl/coverage.py FOLDER [--lcov FILE] [--markdown]

A line is reached where one body of one configuration has reached it; so is a toggle, a bit of a
signal that goes from 0 to 1 or back. Prints for each block its lines and toggles, then each line
that nothing has reached. Those stand in coverage.txt beside this file with the reason, as
`FILE | TEXT OF THE LINE | REASON`, and nothing else stands there: exit status 1 where a line that
is not reached has no reason, or a reason is about a line that is reached or that is not there.
`--lcov` writes the lines for genhtml and editors."""

import argparse
import collections
import glob
import os
import re
import sys

RTL = os.path.dirname(os.path.abspath(__file__))
REASONS = os.path.join(RTL, "coverage.txt")
POINT = re.compile(r"C '(.*)' (\d+)$")
# What Verilator makes around a block.
TOP = "_top.sv"


def points(folder):
    """File, kind, what it names and how often it was reached, of each point in a folder's files."""
    for path in sorted(glob.glob(os.path.join(folder, "*.dat"))):
        with open(path, encoding="latin-1") as lines:
            for line in lines:
                match = POINT.match(line)
                if not match:
                    continue
                fields = dict(field.split("\2", 1) for field in match[1].split("\1") if field)
                # Files of others, as Ibex, have a whole path.
                if not fields["f"].endswith(TOP) and not os.path.isabs(fields["f"]):
                    yield fields, int(match[2])


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


def reasons():
    """Reason of each file and text of a line."""
    found = {}
    with open(REASONS, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3:
                sys.exit(f"{REASONS}:{number}: must be FILE | TEXT OF THE LINE | REASON")
            found[parts[0], parts[1]] = parts[2]
    return found


def write_lcov(path, lines):
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(lines):
            out.write(f"SF:{os.path.join(RTL, name)}\n")
            out.writelines(f"DA:{line},{lines[name][line]}\n" for line in sorted(lines[name]))
            out.write("end_of_record\n")


def share(counts):
    reached = sum(1 for count in counts if count)
    return reached, len(counts), 100 * reached / max(1, len(counts))


def table(lines, toggles, markdown):
    """Lines and toggles of each folder of rtl/."""
    groups = collections.defaultdict(lambda: ([], []))
    for at, files in enumerate((lines, toggles)):
        for name, counts in files.items():
            groups[os.path.dirname(name)][at].extend(counts.values())
    if markdown:
        print("| block | lines reached | of | toggles reached | of | per cent |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for block in sorted(groups):
        (seen, of, _), (flips, all_flips, percent) = map(share, groups[block])
        if markdown:
            print(f"| `{block}` | {seen} | {of} | {flips} | {all_flips} | {percent:.1f} |")
        else:
            print(f"{block:26} lines {seen:5} of {of:5}   toggles {flips:6} of {all_flips:6}")


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
    table(lines, toggles, arguments.markdown)
    known, used, wrong = reasons(), set(), 0
    for name in sorted(lines):
        with open(os.path.join(RTL, name), encoding="utf-8") as file:
            text = file.read().splitlines()
        for line in sorted(line for line, count in lines[name].items() if not count):
            place = name, text[line - 1].strip()
            used.add(place)
            wrong += place not in known
            print(f"not reached  {name}:{line}: {known.get(place, 'NO REASON')}: {place[1]}")
    for name, line in sorted(set(known) - used):
        if name in lines:
            wrong += 1
            print(f"{name}: reached, or not there: {line}")
    print(f"{'FAIL' if wrong else 'PASS'} coverage: {len(used)} lines not reached, {wrong} of them "
          "without a reason or reasons without a line")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
