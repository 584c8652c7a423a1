#!/usr/bin/env python3
"""Searches documents, help texts and messages for words and patterns that the field does not use
(docs/style.txt): `make lint`.

    python3 docs/style.py [--count] [FILE ...]

Without files: all Markdown, the strings of all Rust outside tests and the help texts of the
command. Code in Markdown is left out. Exit status 1 where one is found, with
file, line and what to write, or where a pattern does not find its own example."""

import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATTERNS = os.path.join(ROOT, "docs", "style.txt")
# Made from strings that are searched where they stand.
GENERATED = {"docs/controls.md", "docs/statistics.md", "docs/system-file.md"}
# Doc comments of these are help texts.
HELP = "testbench/command/src/"
STRING = re.compile(r'b?r(#*)"(.*?)"\1|"((?:[^"\\]|\\.)*)"', re.S)
# A string of one word is a name: of a buffer, a register, a file.
NAME = re.compile(r'b?r?#*"[\w./]*"#*')


class Pattern:
    """An entry of docs/style.txt."""

    def __init__(self, fields):
        self.text = fields["find"]
        self.regex = re.compile(self.text, re.I)
        self.write, self.finds, self.passes = fields["write"], fields["finds"], fields["passes"]

    def wrong(self):
        """Why its examples do not fit, if they do not."""
        if not self.regex.search(self.finds):
            return f"{self.text}: does not find {self.finds!r}"
        if self.regex.search(self.passes):
            return f"{self.text}: finds {self.passes!r}"
        return None


def patterns():
    """The entries, in the order of the file."""
    with open(PATTERNS, encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("#"))
    for block in text.strip().split("\n\n"):
        yield Pattern(dict(line.split(": ", 1) for line in block.strip().splitlines()))


def blank(match):
    """The same lines without their text."""
    return re.sub(r"[^\n]", " ", match.group())


def markdown(text):
    """Prose: without code, link targets and comments."""
    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.S | re.M)
    for code in (r"<!--.*?-->", r"``.*?``", r"`[^`\n]*(?:\n[^`\n]+)?`", r"\]\([^)\s]*\)"):
        text = re.sub(code, blank, text, flags=re.S)
    return text


def rust(text, path):
    """Strings; of the command, doc comments as well. Tests at a file's end are left out."""
    text = re.split(r"^#\[cfg\(test\)\]\s*mod \w+ \{", text, maxsplit=1, flags=re.M)[0]
    kept = [" " if char != "\n" else char for char in text]
    spans = []
    code = re.sub(r"^\s*//.*$|'\"'", blank, text, flags=re.M)
    spans += [match.span() for match in STRING.finditer(code)
              if not NAME.fullmatch(match.group())]
    if path.startswith(HELP):
        spans += [match.span() for match in re.finditer(r"^\s*//[/!].*$", text, re.M)]
    for start, end in spans:
        kept[start:end] = text[start:end]
    # What a message fills in has the names of variables.
    return re.sub(r"`[^`\n]*`|\{\w*[^{}\n]*\}", blank, "".join(kept))


def files():
    """What is searched."""
    listed = subprocess.run(["git", "ls-files", "*.md", "*.rs"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    for path in listed:
        parts = path.split("/")
        if path not in GENERATED and not {"tests", "benches"} & set(parts) \
                and parts[-1] not in ("tests.rs", "build.rs"):
            yield path


def main():
    """Searches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", metavar="FILE", nargs="*")
    parser.add_argument("--count", action="store_true", help="findings of each file")
    arguments = parser.parse_args()
    known = list(patterns())
    found = [wrong for wrong in (pattern.wrong() for pattern in known) if wrong]
    of = collections.Counter()
    for path in arguments.files or files():
        path = os.path.relpath(os.path.abspath(path), ROOT)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        text = markdown(text) if path.endswith(".md") else rust(text, path)
        for pattern in known:
            for match in pattern.regex.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: {match.group()!r}: write {pattern.write}")
                of[path] += 1
    print("\n".join(f"{count:5} {path}" for path, count in of.most_common()) if arguments.count
          else "\n".join(found))
    print(f"{'FAIL' if found else 'PASS'} style: {len(found)} found, {len(known)} patterns")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
