#!/usr/bin/env python3
"""Plants faults in the Rust sources, one at a time, and runs the tests that must find them: `make mutate-models`.

    tests/mutants.py [--shard K/N] [--group NAME]... [--json FILE]

cargo-mutants plants them, in a copy of the tree below target/. A group of files has stages of tests, the cheapest
first; a later stage runs for the mutants that the earlier ones have missed. What all of them miss must stand in
mutants.txt beside this file, with the reason; what stands there must not be found. Exit status 1 where one of the two
is wrong.

`--shard K/N` takes every Nth mutant of a group, beginning with the Kth; without it, all of them."""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "rtl"))

import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "target", "mutants")
TREE = os.path.join(WORK, "tree")
REASONS = os.path.join(ROOT, "tests", "mutants.txt")
# In Cargo.toml.
PROFILE = "mutants"
# Of the time of tests without a mutant, and seconds.
TIMEOUT, LEAST_TIMEOUT = 4, 60
CARGO = os.path.join(ROOT, ".tools", "bin", "cargo-mutants")

# What several blocks share: the blocks that run it. Others run what lies in a folder of their own.
SHARED = {
    "common/bits.rs": ["cp_crossbar", "epoch_manager"],
    "race/bloom": ["access_validation_unit", "race_detection_unit"],
    "common/fifo.rs": ["depacketizer", "epoch_agent"],
    "cpelide/message.rs": ["cp_crossbar"],
    "race/small.rs": ["speculative_load_queue"],
    "common/random.rs": ["epoch_manager", "timestamp_l1"],
    "stc/small.rs": ["epoch_agent", "epoch_manager"],
    "sharing/use_order.rs": ["sharing_l1_policy"],
    "race/race_signature.rs": ["access_validation_unit"],
    "finepack/tlp_header.rs": ["packetizer"],
}


class Stage:
    """A call of cargo test: package, arguments, and arguments of the tests. Without `rtl`, tests that run on both
    bodies run on the model alone."""

    def __init__(self, package, *arguments, tests=(), rtl=False):
        self.test = ["cargo", "test", "--profile", PROFILE, "--package", package, *arguments]
        self.tests = ["--", *tests] if tests else []
        self.options = ["--test-package", package, *(f"--cargo-arg={argument}" for argument in arguments)]
        self.options += ["--", *self.tests] if tests else []
        self.environment = {} if rtl else {"VERILATOR": "/no/verilator"}
        self.name = " ".join(self.options)

    def timeout(self, environment):
        """Seconds after which a mutant is endless: some times what the tests take without one, where they must
        pass. cargo-mutants would try them in the package that it mutates."""
        for last in (["--no-run"], self.tests):
            start = time.monotonic()
            if subprocess.run([*self.test, *last], cwd=TREE, env=environment).returncode:
                sys.exit(f"mutants: without a mutant this fails: {' '.join([*self.test, *last])}")
        return max(LEAST_TIMEOUT, round(TIMEOUT * (time.monotonic() - start)))


UNITS = Stage("hwmodel", "--lib")
# The table's unit tests, then programs on table and firmware.
TABLE_UNITS = Stage("hwmodel", "--lib", tests=["chiplet_coherence_table"])
TABLE = Stage("duet-tests", "--test", "chiplet_coherence_table")
# Without the one test that takes longer than all others.
MACHINE = [Stage("machine", "--lib", tests=["--skip", "directory_that_is_visited_for_ever"]),
           Stage("machine", "--test", "machine")]
# The command refuses settings without an effect.
REFUSED = Stage("duet", "--test", "command", tests=["refusals"])


def family(block):
    """The family of a block, which is the module of tests/blocks with its rules."""
    return os.path.dirname(tree.places(os.path.join(ROOT, "rtl"))[block])


def of_blocks(path):
    """For a file of hwmodel: rules and lockstep of the blocks that run it; of what has no RTL, the machine's tests."""
    inside = path.removeprefix("hwmodel/src/")
    shared = next((blocks for part, blocks in SHARED.items() if inside.startswith(part)), None)
    blocks = shared or inside.split("/")[1:2]
    if not all(block in tree.places(os.path.join(ROOT, "rtl")) for block in blocks):
        return MACHINE
    rules = sorted({family(block) + "::" for block in blocks})
    agree = [f"lockstep::{block}::{test}" for block in blocks for test in ("agrees", "rests")]
    return [Stage("duet-tests", "--test", "blocks", tests=rules),
            Stage("duet-tests", "--test", "cosim", tests=agree, rtl=True)]


# Of each group: the package, its files, those of them that are left out, and the stages of a file.
Group = collections.namedtuple("Group", "package files without stages")
TABLE_FILES = "hwmodel/src/cpelide/chiplet_coherence_table/**"
GROUPS = {
    "models": Group("hwmodel", "hwmodel/src/**", TABLE_FILES, lambda path: [UNITS, *of_blocks(path)]),
    "table": Group("hwmodel", TABLE_FILES, None, lambda path: [TABLE_UNITS, TABLE]),
    "firmware": Group("firmware", "firmware/src/**", "firmware/src/image{.rs,/**}", lambda path: [TABLE]),
    "machine": Group("machine", "testbench/machine/src/**", None, lambda path: [*MACHINE, REFUSED]),
}


def copy_tree():
    """The tree's files as they are now, below target/. Files that have not changed are not written, nor built again."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {path for path in listed.split("\0") if path and os.path.exists(os.path.join(ROOT, path))}
    for path in wanted:
        old, new = os.path.join(TREE, path), os.path.join(ROOT, path)
        text = read(new)
        if not os.path.exists(old) or read(old) != text:
            os.makedirs(os.path.dirname(old), exist_ok=True)
            with open(old, "wb") as file:
                file.write(text)
            shutil.copymode(new, old)
    for folder, _, names in os.walk(TREE):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, TREE) not in wanted:
                os.remove(path)
    tools = os.path.join(TREE, ".tools")
    if not os.path.islink(tools):
        os.symlink(os.path.join(ROOT, ".tools"), tools)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Mutants:
    """cargo-mutants in the copy."""

    def __init__(self, group):
        self.select = ["--package", group.package, "--file", group.files]
        self.select += ["--exclude", group.without] if group.without else []
        listed = subprocess.run([*self.command(), "--list"], capture_output=True, text=True, check=True)
        self.all = listed.stdout.splitlines()

    def command(self):
        return [CARGO, "mutants", "--dir", TREE, *self.select]

    def run(self, names, stage):
        """What becomes of each of them: `CaughtMutant`, `MissedMutant`, `Unviable`, `Timeout`."""
        # Patterns do not select mutants of all kinds. So the others are those that an earlier run has caught.
        results = os.path.join(WORK, "results", "mutants.out")
        shutil.rmtree(results, ignore_errors=True)
        os.makedirs(results)
        with open(os.path.join(results, "previously_caught.txt"), "w") as file:
            file.writelines(f"{name}\n" for name in sorted(set(self.all) - set(names)))
        environment = {**os.environ, "CARGO_TARGET_DIR": os.path.join(WORK, "build"), **stage.environment}
        command = [*self.command(), "--in-place", "--iterate", "--output", os.path.dirname(results)]
        command += ["--profile", PROFILE, "--baseline", "skip", "--timeout", str(stage.timeout(environment)), *stage.options]
        status = subprocess.run(command, env=environment).returncode
        if status not in (0, 2, 3):
            sys.exit(f"mutants: status {status} of cargo-mutants")
        with open(os.path.join(results, "outcomes.json")) as file:
            outcomes = json.load(file)["outcomes"]
        return {o["scenario"]["Mutant"]["name"]: o["summary"] for o in outcomes if o["scenario"] != "Baseline"}


def run_group(group, shard):
    """The results of a group's sample, by name. Survivors with the same next stage run together."""
    mutants = Mutants(group)
    short = without_places(mutants.all)
    number, count = shard
    sample = mutants.all[number - 1::count]
    results = {}
    waiting = [(name, group.stages(name.split(":")[0])) for name in sample]
    while waiting:
        calls = collections.defaultdict(list)
        for name, stages in waiting:
            calls[stages[0].name].append((name, stages))
        waiting = []
        for call in calls.values():
            found = mutants.run([name for name, _ in call], call[0][1][0])
            for name, stages in call:
                results[short[name]] = found[name]
                if found[name] == "MissedMutant" and stages[1:]:
                    waiting.append((name, stages[1:]))
    return results


def without_places(names):
    """The names of all mutants of a group, in order, without line and column, which move. Of those that are the same
    then each has its number: one may be found and another one not."""
    short = [re.sub(r"^([^:]*):\d+:\d+:", r"\1:", name) for name in names]
    of_name, seen, result = collections.Counter(short), collections.Counter(), {}
    for name, text in zip(names, short):
        seen[text] += 1
        result[name] = text if of_name[text] == 1 else f"{text} ({seen[text]} of {of_name[text]})"
    return result


def reasons():
    """What mutants.txt explains: `NAME  # reason` in each line, a name as `without_places` has it."""
    with open(REASONS) as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return {line.split("  # ")[0].strip() for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shard", default="1/1", metavar="K/N")
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    shard = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", options.shard)
    if not shard or int(shard[1]) > int(shard[2]):
        parser.error(f"--shard {options.shard}: K/N, 1 <= K <= N")
    if not os.path.exists(CARGO):
        sys.exit(f"mutants: {CARGO} is missing: make .tools/bin/cargo-mutants")
    copy_tree()
    results = {}
    for name in options.group or GROUPS:
        results[name] = run_group(GROUPS[name], (int(shard[1]), int(shard[2])))
        if options.json:
            with open(options.json, "w") as file:
                json.dump(results, file, indent=1)
    report(results)


def report(results):
    kinds = ["CaughtMutant", "MissedMutant", "Timeout", "Unviable"]
    print("| group | mutants | caught | missed | timeouts | do not compile |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for group, found in results.items():
        counts = collections.Counter(found.values())
        print(f"| {group} | {len(found)} | " + " | ".join(str(counts[kind]) for kind in kinds) + " |")
    results = {name: result for found in results.values() for name, result in found.items()}
    missed = {name for name, result in results.items() if result == "MissedMutant"}
    known = reasons()
    wrong = [f"missed: {name}" for name in sorted(missed - known)]
    found = set(results) - missed
    wrong += [f"mutants.txt has a reason, but it was found: {name}" for name in sorted(found & known)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
