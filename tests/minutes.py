#!/usr/bin/env python3
"""Where the minutes of the tests go: reads the output of `make lint test` as it comes, repeats it, and prints a table.

    make lint test 2>&1 | python3 tests/minutes.py

A step lasts from the line that announces it to the next such line. make's commands are steps; within `cargo test`, so are
the build and each test binary. Steps below five seconds are one row.
"""

import re
import sys
import time

STEPS = [
    re.compile(r"^\s+Running (?:unittests )?\S+ \(\S*/(?P<name>[\w-]+)-[0-9a-f]{16}\)"),
    re.compile(r"^\s+Doc-tests (?P<name>\S+)"),
    re.compile(r"^(?P<name>(?:cargo|python3|target/release/duet|PYTHONPATH=\S+ python3|rustfmt) .*)$"),
]
SHORT = 5.0


def step(line):
    """The name of the step that this line announces, or None."""
    for pattern in STEPS:
        if found := pattern.match(line):
            return found["name"][:70]
    return None


def main():
    seconds, current, since = {}, "before the first step", time.monotonic()
    for line in sys.stdin:
        sys.stdout.write(line)
        sys.stdout.flush()
        if name := step(line):
            now = time.monotonic()
            seconds[current] = seconds.get(current, 0) + now - since
            current, since = name, now
    seconds[current] = seconds.get(current, 0) + time.monotonic() - since

    long = {name: spent for name, spent in seconds.items() if spent >= SHORT}
    print("\n| step | seconds |\n| --- | ---: |")
    for name, spent in sorted(long.items(), key=lambda row: -row[1]):
        print(f"| `{name}` | {spent:.0f} |")
    print(f"| {len(seconds) - len(long)} others | {sum(seconds.values()) - sum(long.values()):.0f} |")
    print(f"| sum | {sum(seconds.values()):.0f} |")


if __name__ == "__main__":
    main()
