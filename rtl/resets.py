#!/usr/bin/env python3
"""Takes away the reset of every register of every block, one at a time, and runs model and RTL in
lockstep until a run differs: `make resets`.

A register whose reset is gone holds what it held when the next reset comes: a random value at first,
and later what the traffic has left in it. Of a struct that is reset as a whole each field is a
register. What no run finds must stand in resets.txt beside this file with the reason why nobody can
see it; what stands there must not be found. Exit status 1 where one of the two is wrong."""

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

RTL = os.path.dirname(os.path.abspath(__file__))
DUET = os.environ.get("DUET") or os.path.join(os.path.dirname(RTL), "target", "release", "duet")
REASONS = os.path.join(RTL, "resets.txt")
# Configurations that reach every register of a block; `small` does of the others.
CONFIGS = {
    "remote_write_queue": ["small", "single-bank"],
    "depacketizer": ["small", "single-bank"],
    "coherence_directory": ["small", "small-hmg", "small-ideal"],
}

RESET = re.compile(r"if \(!rst_ni\)\s*(begin\b)?")
ASSIGNMENT = re.compile(r"(\w+)\s*<=\s*([^;]+);")
STRUCT = re.compile(r"typedef struct packed \{(.*?)\}\s*(\w+)\s*;", re.S)
FIELD = re.compile(r"(\w+)\s*;")


class Mutant:
    """A register without its reset."""

    def __init__(self, path, register, start, end, text):
        self.path, self.register, self.start, self.end, self.text = path, register, start, end, text

    @property
    def name(self):
        return f"{self.path} {self.register}"


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


def mutants_of(path):
    with open(os.path.join(RTL, path), encoding="utf-8") as file:
        code = blank_comments(file.read())
    for reset in RESET.finditer(code):
        # The branch has assignments alone: up to its `end`, or one.
        stop = code.index("end", reset.end()) if reset[1] else code.index(";", reset.end()) + 1
        for found in ASSIGNMENT.finditer(code, reset.end(), stop):
            register, value = found[1], found[2]
            place = (path, register, *found.span())
            yield Mutant(*place, f"{register} <= {register};")
            for name in fields(code, register):
                of = f"{register}.{name}"
                text = f"begin {register} <= {value}; {of} <= {of}; end"
                yield Mutant(path, of, *found.span(), text)


def sources(folder):
    names = sorted(os.listdir(os.path.join(RTL, folder)))
    return [f"{folder}/{name}" for name in names if name.endswith(".sv")]


def blocks():
    listed = subprocess.run([DUET, "list", "blocks", "--json"], check=True, capture_output=True)
    names = [block["name"] for block in json.loads(listed.stdout)["blocks"]]
    return [name for name in names if os.path.isdir(os.path.join(RTL, name))]


def users(path, names):
    """The blocks that instantiate what is in the file."""
    folder, file = path.split("/")
    if folder != "common":
        return [folder]
    module = file.removesuffix(".sv")

    def uses(name):
        texts = (open(os.path.join(RTL, path), encoding="utf-8").read() for path in sources(name))
        return any(re.search(rf"\b{module}\b", text) for text in texts)

    return [name for name in names if uses(name)]


class Bench:
    """Runs lockstep on changed copies of the RTL."""

    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, scratch
        self.local = threading.local()

    def run(self, block, config, seed, rtl):
        """None where nothing differs, else what does."""
        options = ["--config", config, "--seed", str(seed), "--cycles", str(self.arguments.cycles)]
        # Bodies of one worker, so that they can be removed.
        cache = os.path.join(self.scratch, f"cache-{threading.get_ident()}")
        done = subprocess.run(
            [DUET, "cosim", block, *options, "--rtl", rtl], capture_output=True, text=True,
            cwd=self.scratch, env={**os.environ, "DUET_CACHE": cache}, check=False)
        if done.returncode == 0:
            return None
        if done.returncode != 1:
            sys.exit(f"resets.py: {block} {config}: {done.stdout}{done.stderr}")
        cycle = re.search(r"at cycle (\d+)", done.stdout.splitlines()[-1])[1]
        port = re.search(r"^MISMATCH \w+\.(\S+)", done.stdout, re.M)
        rule = re.search(r"Assertion failed in \S*\.(\w+)", done.stdout)
        what = port[1] if port else f"assertion {rule[1]}" if rule else "?"
        return f"{what} at cycle {cycle}, {block} {config} seed {seed}"

    def find(self, mutant, names):
        folder = os.path.join(self.scratch, f"rtl-{threading.get_ident()}")
        shutil.rmtree(folder, ignore_errors=True)
        ignored = shutil.ignore_patterns("*.py", "*.md", "embed", "__pycache__")
        shutil.copytree(RTL, folder, ignore=ignored)
        path = os.path.join(folder, mutant.path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:mutant.start] + mutant.text + text[mutant.end:])
        # All blocks once before a second configuration or seed.
        runs = [(n, block, config, seed)
                for block in users(mutant.path, names)
                for n, (config, seed) in enumerate(
                    (config, seed)
                    for config in CONFIGS.get(block, ["small"])
                    for seed in range(1, self.arguments.seeds + 1))]
        for _, block, config, seed in sorted(runs, key=lambda run: run[0]):
            found = self.run(block, config, seed, folder)
            if found:
                return found
        return None


def reasons():
    """By file and register: why nobody can see its reset."""
    known = {}
    with open(REASONS, encoding="utf-8") as file:
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
    names = blocks()
    all_mutants = [m for folder in ["common", *names] for path in sources(folder) for m in mutants_of(path)]
    wanted = [m for m in all_mutants
              if not arguments.names or any(name in m.name for name in arguments.names)]
    if arguments.list:
        print("\n".join(mutant.name for mutant in wanted))
        return 0
    known = reasons()
    wrong = [f"{name}: resets.txt names it, and no such register is reset"
             for name in known if name not in {m.name for m in all_mutants}]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="duet-resets-") as scratch:
        bench = Bench(arguments, scratch)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = pool.map(lambda mutant: (mutant, bench.find(mutant, names)), wanted)
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
