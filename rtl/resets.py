#!/usr/bin/env python3
"""Takes away the reset of every register of every block, one at a time, and runs model and RTL in
lockstep until a run differs: `make resets`.

A register whose reset is gone holds what it held when the next reset comes: a random value at first,
and later what the traffic has left in it. Of a struct that is reset as a whole each field is a
register too. What no run finds must stand in resets.txt beside this file with the reason why nobody
can see it; what stands there must not be found. Exit status 1 where one of the two is wrong.

So that each body is built once, the copies of the RTL that run have all resets under numbers, and
read the number of the one that is off from a file when they start."""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import tree

RTL = os.path.dirname(os.path.abspath(__file__))
DUET = os.environ.get("DUET") or os.path.join(os.path.dirname(RTL), "target", "release", "duet")
REASONS = "resets.txt"
# Configurations that reach every register of a block; `small` does of the others.
CONFIGS = {
    "remote_write_queue": ["small", "single-bank"],
    "depacketizer": ["small", "single-bank"],
    "coherence_directory": ["small", "small-hmg", "small-ideal"],
    "command_processor": ["small", "paper"],
    "race_detection_unit": ["small", "small-half-page"],
    "timestamp_l1": ["small", "short", "small-tcs", "small-tcw"],
    "timestamp_l2": ["small", "small-tcs"],
}

RESET = re.compile(r"if \(!rst_ni\)\s*(begin\b)?")
END, AFTER = re.compile(r"\bend\b"), re.compile(";")
ASSIGNMENT = re.compile(r"(\w+)\s*<=\s*([^;]+);")
STRUCT = re.compile(r"typedef struct packed \{(.*?)\}\s*(\w+)\s*;", re.S)
FIELD = re.compile(r"(\w+)\s*;")


class Mutant:
    """A register without its reset. It is off in the copies where the file says `number`."""

    def __init__(self, number, path, register):
        self.number, self.path, self.register = number, path, register

    @property
    def name(self):
        return f"{self.path} {self.register}"


# How a module learns which reset is off. A parameter may leave none of its registers.
READ = """  // verilator lint_off UNUSEDSIGNAL
  int duet_off;
  // verilator lint_on UNUSEDSIGNAL
  initial begin
    int file;
    file = $fopen("off.txt", "r");
    if ($fscanf(file, "%d", duet_off) != 1) duet_off = 0;
    $fclose(file);
  end
"""


def blank_comments(text):
    """Comments as spaces, so that places stay."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def fields(code, register):
    """Fields of a register whose type is a struct of the same file."""
    structs = {m[2]: FIELD.findall(m[1]) for m in STRUCT.finditer(code)}
    for kind, names in structs.items():
        if re.search(rf"\b{kind}\b[^;]*\b{register}\b[^;]*;", code):
            return names
    return []


def switched(path, first):
    """The text of a file with a number for each reset, from `first` on, and the registers."""
    with open(os.path.join(RTL, path), encoding="utf-8") as file:
        text = file.read()
    code = blank_comments(text)
    mutants, changes = [], []
    for reset in RESET.finditer(code):
        # The branch has assignments alone: up to its `end`, or one.
        last = END if reset[1] else AFTER
        stop = last.search(code, reset.end()).end()
        for found in ASSIGNMENT.finditer(code, reset.end(), stop):
            register = found[1]
            mutants.append(Mutant(first + len(mutants), path, register))
            new = f"begin if (duet_off != {mutants[-1].number}) {found[0]}"
            for name in fields(code, register):
                of = f"{register}.{name}"
                mutants.append(Mutant(first + len(mutants), path, of))
                new += f" if (duet_off == {mutants[-1].number}) {of} <= {of};"
            changes.append((*found.span(), new + " end"))
    if changes:
        # Behind the ports, so that all generate blocks see it.
        before = re.search(r"^\);\n", code, re.M).end()
        changes.insert(0, (before, before, READ))
    for start, end, new in reversed(changes):
        text = text[:start] + new + text[end:]
    return text, mutants


def sources(folder):
    names = sorted(os.listdir(os.path.join(RTL, folder)))
    return [f"{folder}/{name}" for name in names if name.endswith(".sv")]


def blocks():
    listed = subprocess.run([DUET, "list", "blocks", "--json"], check=True, capture_output=True)
    names = [block["name"] for block in json.loads(listed.stdout)["blocks"]]
    return [name for name in names if name in tree.places(RTL)]


def users(path, names):
    """The blocks that instantiate what is in the file, also by way of other shared parts."""
    folder, file = os.path.split(path)
    if os.path.basename(folder) in names:
        return [os.path.basename(folder)]
    module = file.removesuffix(".sv")

    def uses(text):
        return re.search(rf"\b{module}\s+(#|u_)", blank_comments(text))

    def texts(folder):
        for of in sources(folder):
            with open(os.path.join(RTL, of), encoding="utf-8") as source:
                yield of, source.read()

    places = tree.places(RTL)
    found = {name for name in names if any(uses(text) for _, text in texts(places[name]))}
    for family in tree.families(RTL):
        for of, text in texts(family):
            if of != path and uses(text):
                found.update(users(of, names))
    return [name for name in names if name in found]


class Bench:
    """Runs lockstep on a copy of the RTL whose resets can be taken away."""

    def __init__(self, arguments, scratch):
        self.arguments, self.scratch, self.names = arguments, scratch, blocks()
        self.rtl = os.path.join(scratch, "rtl")
        ignored = shutil.ignore_patterns("*.py", "*.md", "*.txt", "embed", "__pycache__")
        shutil.copytree(RTL, self.rtl, ignore=ignored)
        self.mutants = []
        places = tree.places(RTL)
        folders = [*tree.families(RTL), *(places[name] for name in self.names)]
        for path in (path for folder in folders for path in sources(folder)):
            text, mutants = switched(path, 1 + len(self.mutants))
            self.mutants += mutants
            with open(os.path.join(self.rtl, path), "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, number, block, config, seed):
        """None where nothing differs while this reset is off, else what does."""
        place = os.path.join(self.scratch, str(threading.get_ident()))
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "off.txt"), "w", encoding="utf-8") as file:
            file.write(f"{number}\n")
        options = ["--config", config, "--seed", str(seed), "--cycles", str(self.arguments.cycles)]
        done = subprocess.run(
            [DUET, "cosim", block, "--brief", *options, "--rtl", self.rtl], capture_output=True,
            text=True, cwd=place, env={**os.environ, "DUET_CACHE": os.path.join(self.scratch, "cache")},
            check=False)
        if done.returncode == 0:
            return None
        if done.returncode != 1:
            raise RuntimeError(f"{block} {config}: {done.stdout}{done.stderr}")
        cycle = re.search(r"at cycle (\d+)", done.stdout.splitlines()[-1])[1]
        port = re.search(r"^MISMATCH \w+\.(\S+)", done.stdout, re.M)
        rule = re.search(r"Assertion failed in \S*\.(\w+)", done.stdout)
        what = port[1] if port else f"assertion {rule[1]}" if rule else "?"
        return f"{what} at cycle {cycle}, {block} {config} seed {seed}"

    def runs_of(self, path):
        """Block, configuration and seed: all blocks once before a second configuration or seed."""
        every = [(n, block, config, seed)
                 for block in users(path, self.names)
                 for n, (config, seed) in enumerate(
                     (config, seed)
                     for config in CONFIGS.get(block, ["small"])
                     for seed in range(1, self.arguments.seeds + 1))]
        return [run[1:] for run in sorted(every, key=lambda run: run[0])]

    def find(self, mutant):
        found = (self.run(mutant.number, *run) for run in self.runs_of(mutant.path))
        return next((what for what in found if what), None)

    def check(self):
        """Nothing may differ while no reset is off. It also builds the bodies."""
        every = sorted({run for mutant in self.mutants for run in self.runs_of(mutant.path)})
        for run in every:
            found = self.run(0, *run)
            if found:
                raise RuntimeError(f"with all resets: {found}")


def reasons():
    """By file and register: why nobody can see its reset."""
    known = {}
    for path in tree.beside(RTL, REASONS):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, reason = line.split(":", 1)
                    known[name.strip()] = reason.strip()
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only registers whose file and name contain one of these")
    parser.add_argument("--cycles", type=int, default=300_000, help="cycles of each run")
    parser.add_argument("--seeds", type=int, default=2, help="seeds of each configuration")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--list", action="store_true", help="list the registers and run nothing")
    arguments = parser.parse_args()
    known = reasons()
    with tempfile.TemporaryDirectory(prefix="duet-resets-") as scratch:
        bench = Bench(arguments, scratch)
        wanted = [m for m in bench.mutants
                  if not arguments.names or any(name in m.name for name in arguments.names)]
        if arguments.list:
            print("\n".join(mutant.name for mutant in wanted))
            return 0
        wrong = [f"{name}: resets.txt names it, and no such register is reset"
                 for name in known if name not in {m.name for m in bench.mutants}]
        survivors = 0
        if not arguments.names:
            bench.check()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = pool.map(lambda mutant: (mutant, bench.find(mutant)), wanted)
            for number, (mutant, found) in enumerate(results, 1):
                reason = known.get(mutant.name)
                survivors += not found
                says = found or f"not found: {reason or 'NO REASON IN resets.txt'}"
                print(f"{number:>4}/{len(wanted)} {mutant.name:<68} {says}", flush=True)
                if bool(found) == bool(reason):
                    wrong.append(f"{mutant.name}: {'found' if found else 'not found'}, and resets.txt "
                                 f"{'names it' if reason else 'gives no reason'}")
    print("\n".join(wrong))
    print(f"{'FAIL' if wrong else 'PASS'} resets: {len(wanted)} registers, {len(wanted) - survivors} "
          f"found without their reset, {survivors} that nobody can see")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
