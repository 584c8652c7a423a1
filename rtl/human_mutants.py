#!/usr/bin/env python3
"""Runs the faults that an engineer has made by hand, one at a time: `make mutate`. They are patches,
`human_mutants/BLOCK/NAME.patch` of the RTL and `human_mutants/both/BLOCK/NAME.patch` of the model
and the RTL alike; each begins with the fault and the rule that it breaks.

    python3 rtl/human_mutants.py [--check] [--kind rtl|both] [--out FOLDER] [--cycles N] [--random N]
                                  [--jobs N] [--markdown] [BLOCK[/NAME] ...]

--check only applies each patch to a copy of the tree.

A fault of the RTL is killed where lockstep or an assertion finds it: in the named configurations,
`small` first, then in random parameter sets. A fault of both is killed where a test of the block
fails: the model's own, then its rules in tests/blocks/, on the model alone. Several faults are
planted in one copy of the tree where no test runs the blocks of two.

human_mutants/survivors.txt has the reasons for those that survive, as `KIND | BLOCK | NAME |
REASON`. Exit status 1 where a survivor has none, where a reason is about a fault that is killed or
that there is not, where fewer than 95 % of the faults of the RTL are killed, and where a patch does
not apply, with its name. Results stay in the folder, results.json has them all; one that
is older than the program or its patch is made again."""

import argparse
import collections
import importlib.util
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import reasons
import tree
from mutants import DUET, LEAST, ROOT, RTL

FOLDER = "human_mutants"
REASONS = os.path.join(FOLDER, "survivors.txt")
FORM = "KIND | BLOCK | NAME | REASON"
# Not copied: what is built or fetched, and the patches themselves.
LEFT_OUT = {".git", ".tools", "target", "out", "human_mutants"}
# `duet cosim`: model and RTL differ, or an assertion failed; a deadlock.
KILLED = {1: "lockstep", 3: "deadlock"}


class Failure(Exception):
    """What keeps a mutant from being run; it begins with the patch's name."""


class Mutant:
    """A patch, and what its first lines say."""

    def __init__(self, path):
        self.path = path
        *_, self.family, _, self.kind, self.block, _ = path.split(os.sep)
        self.name = os.path.basename(path).removesuffix(".patch")
        self.place = self.kind, self.block, self.name
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.fault = lines[0].removeprefix("Fault: ") if lines else ""
        self.breaks = lines[1].removeprefix("Breaks: ") if len(lines) > 1 else ""

    def __str__(self):
        return os.path.relpath(self.path, ROOT)

    def apply(self, tree):
        """Changes a copy of the tree. Git looks for no repository around it."""
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(tree))
        process = subprocess.run(["git", "apply", self.path], cwd=tree, env=environment,
                                 capture_output=True, text=True, check=False)
        if process.returncode:
            raise Failure(f"{self}: does not apply: {process.stderr.strip()}")


def mutants(wanted):
    """All patches, or those of these blocks or names."""
    for family in tree.beside(RTL, FOLDER):
        for path in sorted(glob.glob(os.path.join(family, "*", "*", "*.patch"))):
            mutant = Mutant(path)
            if not wanted or {mutant.block, f"{mutant.block}/{mutant.name}"} & set(wanted):
                yield mutant


def copy(into, folders):
    """A copy of these folders of the tree."""
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    for folder in folders:
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(into, folder), ignore=ignore)


def check(chosen):
    """What does not apply. Each patch has a copy of the files that it changes."""
    for mutant in chosen:
        with tempfile.TemporaryDirectory() as tree:
            with open(mutant.path, encoding="utf-8") as file:
                changed = re.findall(r"^--- a/(\S+)", file.read(), re.M)
            for path in changed:
                os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
                if os.path.exists(os.path.join(ROOT, path)):
                    shutil.copy(os.path.join(ROOT, path), os.path.join(tree, path))
            try:
                mutant.apply(tree)
            except Failure as failure:
                yield str(failure)


def listed():
    """Of each block its named configurations, `small` first."""
    output = subprocess.run([DUET, "list", "blocks", "--json"], check=True, capture_output=True)
    return {block["name"]: sorted(block["configs"], key=lambda name: (name != "small", name))
            for block in json.loads(output.stdout)["blocks"]}


def lockstep(mutant, configs, arguments):
    """Where the fault is found: the killer and the run, or nothing."""
    runs = [["--config", name] for name in configs]
    runs += [["--config", "random", "--seed", str(seed)] for seed in range(1, arguments.random + 1)]
    with tempfile.TemporaryDirectory() as tree:
        copy(tree, ["rtl"])
        mutant.apply(tree)
        # Each body is used once: they stay out of the user's cache.
        environment = dict(os.environ, DUET_CACHE=os.path.join(arguments.out, "cache"))
        for run in runs:
            words = [DUET, "cosim", mutant.block, *run, "--rtl", os.path.join(tree, "rtl"),
                     "--brief", "--cycles", str(arguments.cycles)]
            process = subprocess.run(words, env=environment, capture_output=True, text=True,
                                     check=False)
            if process.returncode in KILLED:
                by = "assertion" if "assertion" in process.stdout + process.stderr else \
                    KILLED[process.returncode]
                return {"by": by, "where": " ".join(run[1::2])}
            if process.returncode:
                raise Failure(f"{mutant}: {' '.join(words)}: {process.stderr.strip()[-2000:]}")
    return None


def kept(mutant, arguments):
    """The file of a mutant's result."""
    return os.path.join(arguments.out, "-".join(mutant.place) + ".json")


def result(mutant, arguments):
    """What was found before, if it is of this program and this patch."""
    path, newest = kept(mutant, arguments), max(map(os.path.getmtime, (DUET, mutant.path)))
    if not os.path.exists(path) or os.path.getmtime(path) < newest:
        return None
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    wanted = arguments.cycles, arguments.random
    # One that is killed is so by more cycles and sets, too.
    return found if found["killed"] or (found["cycles"], found["random"]) == wanted else None


def keep(mutant, killed, arguments):
    """Writes the result."""
    found = {"kind": mutant.kind, "block": mutant.block, "name": mutant.name,
             "fault": mutant.fault, "breaks": mutant.breaks, "killed": killed,
             "cycles": arguments.cycles, "random": arguments.random}
    with open(kept(mutant, arguments) + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
    os.replace(kept(mutant, arguments) + ".part", kept(mutant, arguments))
    return found


def run_rtl(chosen, arguments):
    """The faults of the RTL, some at a time."""
    configs = listed()

    def one(mutant):
        try:
            found = result(mutant, arguments)
            if not found:
                killed = lockstep(mutant, configs[mutant.block], arguments)
                found = keep(mutant, killed, arguments)
            return found
        except Failure as failure:
            return str(failure)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        yield from pool.map(one, chosen)
    shutil.rmtree(os.path.join(arguments.out, "cache"), ignore_errors=True)


def tests_of_models():
    """tests/mutants.py, which plants other faults in the models: its copy of the tree, and its tests."""
    path = os.path.join(ROOT, "tests", "mutants.py")
    spec = importlib.util.spec_from_file_location("model_mutants", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rounds(chosen):
    """Faults that are planted together: one of each block, as no test of these looks at two."""
    left = list(chosen)
    while left:
        now = {}
        for mutant in left:
            now.setdefault(mutant.block, mutant)
        yield list(now.values())
        left = [mutant for mutant in left if mutant not in now.values()]


def failing(mutant, module):
    """The first test of the fault's block that fails: one of the model's own, else one of those in
    tests/blocks/ that look at the block alone, here on its model."""
    rules = module.of_blocks(f"hwmodel/src/{mutant.family}/{mutant.block}/mod.rs")[0]
    build = os.path.join(module.WORK, "build")
    for test in (module.UNITS.test, rules.test):
        environment = {**os.environ, **rules.environment, "CARGO_TARGET_DIR": build}
        words = [*test, "--no-fail-fast", "--", f"{mutant.block}::"]
        process = subprocess.run(words, cwd=module.TREE, env=environment, capture_output=True,
                                 text=True, check=False)
        failed = sorted(set(re.findall(r"^test (\S+) .*FAILED$", process.stdout, re.M)))
        if failed:
            return {"by": "test", "where": failed[0], "tests": len(failed)}
        if process.returncode or "running 0 tests" in process.stdout:
            output = (process.stderr + process.stdout).strip()[-2000:]
            raise Failure(f"{mutant}: {' '.join(words)}: {output}")
    return None


def run_both(chosen, arguments):
    """The faults of model and RTL."""
    found = [result(mutant, arguments) for mutant in chosen]
    yield from filter(None, found)
    module = tests_of_models()
    missing = [mutant for mutant, is_there in zip(chosen, found) if not is_there]
    for now in rounds(missing):
        module.copy_tree()
        for mutant in now:
            try:
                mutant.apply(module.TREE)
            except Failure as failure:
                yield str(failure)
                return
        for mutant in now:
            try:
                yield keep(mutant, failing(mutant, module), arguments)
            except Failure as failure:
                yield str(failure)
    if missing:
        module.copy_tree()


def table(found):
    """Lines of a table of all blocks."""
    yield "| block | RTL | killed | in `small` | in others | in random ones | both | by a test |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for block in sorted({one["block"] for one in found}):
        of = collections.Counter()
        for one in found:
            if one["block"] != block:
                continue
            of[one["kind"]] += 1
            if one["killed"]:
                of[f"{one['kind']} killed"] += 1
                where = one["killed"]["where"].split()[0]
                of["small" if where == "small" else "random" if where == "random" else "named"] += 1
        yield (f"| `{block}` | {of['rtl']} | {of['rtl killed']} | {of['small']} | "
               f"{of['named'] if not of['both'] else of['named'] - of['both killed']} | "
               f"{of['random']} | {of['both']} | {of['both killed']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wanted", metavar="BLOCK[/NAME]", nargs="*")
    parser.add_argument("--check", action="store_true", help="only apply the patches")
    parser.add_argument("--kind", choices=["rtl", "both"])
    parser.add_argument("--out", default=os.path.join(ROOT, "out", "human_mutants"))
    parser.add_argument("--cycles", type=int, default=300_000, help="of each run")
    parser.add_argument("--random", type=int, default=20, help="random parameter sets")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    chosen = [mutant for mutant in mutants(arguments.wanted)
              if arguments.kind in (None, mutant.kind)]
    if not chosen:
        sys.exit(f"human mutants: none is called {' or '.join(arguments.wanted)}")
    if arguments.check:
        wrong = list(check(chosen))
        print("\n".join(wrong) if wrong else f"PASS human mutants: {len(chosen)} patches apply")
        sys.exit(1 if wrong else 0)
    os.makedirs(arguments.out, exist_ok=True)
    found, wrong = [], []
    for run, kind in ((run_rtl, "rtl"), (run_both, "both")):
        for one in run([mutant for mutant in chosen if mutant.kind == kind], arguments):
            if isinstance(one, str):
                wrong.append(one)
                print(one, flush=True)
            else:
                found.append(one)
                killed = one["killed"]
                fate = f"killed by {killed['by']}: {killed['where']}" if killed else "SURVIVES"
                print(f"{one['kind']:4} {one['block']}/{one['name']}: {fate}", flush=True)
    with open(os.path.join(arguments.out, "results.json"), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
    if arguments.markdown:
        print("\n".join(table(found)))
    judge(chosen, found, wrong)


def judge(chosen, found, wrong):
    """Ends the program: each survivor has a reason, each reason a survivor, and enough are killed."""
    known = {tuple(fields): reason for *fields, reason in reasons.read(tree.beside(RTL, REASONS), FORM)}
    alive = {(one["kind"], one["block"], one["name"]) for one in found if not one["killed"]}
    wrong += [f"{' | '.join(place)} | NO REASON" for place in sorted(alive - known.keys())]
    there = {mutant.place for mutant in chosen} | (known.keys() - {m.place for m in mutants([])})
    wrong += [f"killed, or not there: {' | '.join(place)}"
              for place in sorted((known.keys() - alive) & there)]
    of = collections.Counter(one["kind"] for one in found)
    killed = collections.Counter(one["kind"] for one in found if one["killed"])
    for kind in of:
        print(f"{kind}: {killed[kind]} of {of[kind]} killed")
    if of["rtl"] and 100 * killed["rtl"] < LEAST * of["rtl"]:
        wrong.append(f"fewer than {LEAST} % of the faults of the RTL are killed")
    print("\n".join(wrong) if wrong else "PASS human mutants: each that survives has a reason")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
