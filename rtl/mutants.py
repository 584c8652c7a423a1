#!/usr/bin/env python3
"""Plants 200 faults in the RTL of each block, one at a time, by `duet mutate`, and wants a reason for
each that neither lockstep nor an assertion finds: `make mutate`.

    python3 rtl/mutants.py [--out FOLDER] [--count N] [--cycles N] [--proof SECONDS]
                            [--markdown] [BLOCK[/CONFIG] ...]

A family's mutated.txt names configurations beside `small`, where `small` leaves a variant of a block
out, as `BLOCK/CONFIG | PER CENT | REASON`, with the per cent that must be killed. Its survivors.txt
has the reasons of survivors, as `BLOCK[/CONFIG] | FILE:LINE | CHANGE | REASON`, by default of `small`.
Exit status 1 where a survivor has no reason, where a reason names a killed or an unknown mutant, where
a block has no proofs, and where fewer than 95 %, or that per cent, are killed of those that are not
proven equivalent: which proofs are found in time depends on the host, so there may be a reason for a
mutant that has one.

The result of each block stays in the folder, so that the same command goes on where it was ended; a
result that is older than the program is made again."""

import argparse
import collections
import json
import os
import subprocess
import sys

import reasons
import tree

RTL = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(RTL)
DUET = os.environ.get("DUET") or os.path.join(ROOT, "target", "release", "duet")
REASONS = "survivors.txt"
FORM = "BLOCK[/CONFIG] | FILE:LINE | CHANGE | REASON"
CONFIGS = "mutated.txt"
FORM_OF_CONFIGS = "BLOCK/CONFIG | PER CENT | REASON"
# Per cent of the mutants that are not equivalent.
LEAST = 95
# Of Ibex, which is in the one, no mutants are made; the other is a chain of blocks.
LEFT_OUT = {"command_processor", "finepack"}


def others():
    """The configurations besides `small`, with the least per cent."""
    found = {}
    for path in tree.beside(RTL, CONFIGS):
        for name, least, _ in reasons.read([path], FORM_OF_CONFIGS):
            if not least.isdigit() or int(least) > 100:
                sys.exit(f"{path}: {name}: {least} per cent: must be 0 to 100")
            found[name] = int(least)
    return found


def blocks(others):
    """All blocks, and the configurations besides `small`."""
    listed = subprocess.run([DUET, "list", "blocks", "--json"], check=True, capture_output=True)
    names = [block["name"] for block in json.loads(listed.stdout)["blocks"]]
    return [name for name in names if name not in LEFT_OUT] + list(others)


def is_done(path, arguments):
    """Whether the result is of so many mutants, cycles and seconds, and of this program."""
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(DUET):
        return False
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    wanted = arguments.count, arguments.cycles, arguments.proof
    return (len(report["mutants"]), report["cycles"], report["proof"]) == wanted


def result(name, arguments):
    """What `duet mutate` found in a block, or in BLOCK/CONFIG, now or before."""
    block, _, config = name.partition("/")
    path = os.path.join(arguments.out, f"{name.replace('/', '-')}.json")
    if not is_done(path, arguments):
        words = [DUET, "mutate", block, "--config", config or "small", "--count", str(arguments.count)]
        words += ["--cycles", str(arguments.cycles), "--proof", str(arguments.proof)]
        words += ["--json", path]
        process = subprocess.run(words, capture_output=True, text=True, check=False)
        if process.returncode:
            sys.exit(f"mutants: {name}: {process.stderr.strip()}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blocks", metavar="BLOCK[/CONFIG]", nargs="*")
    parser.add_argument("--out", default=os.path.join(ROOT, "out", "mutants"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cycles", type=int, default=200_000)
    parser.add_argument("--proof", type=int, default=60, help="seconds for each survivor")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    known = {tuple(fields): reason for *fields, reason in reasons.read(tree.beside(RTL, REASONS), FORM)}
    used, wrong, total = set(), [], collections.Counter()
    leasts = others()
    chosen = [name.removesuffix("/small") for name in arguments.blocks] or blocks(leasts)
    if arguments.markdown:
        print("| block | killed | of | per cent | equivalent | by an assertion | in 2000 cycles |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for block in chosen:
        report = result(block, arguments)
        mutants = report["mutants"]
        if "no_proofs" in report:
            wrong.append(f"{block}: no proofs: {report['no_proofs']}")
        real_ones = [mutant for mutant in mutants if mutant["fate"] != "equivalent"]
        killed = [mutant["fate"]["killed"] for mutant in real_ones if "killed" in mutant["fate"]]
        alive = [mutant for mutant in mutants if "killed" not in mutant["fate"]]
        real, equal = len(real_ones), len(mutants) - len(real_ones)
        percent = 100 * len(killed) / max(1, real)
        at_once = sum(fate["cycles"] <= 2000 for fate in killed)
        asserted = sum(fate["by"] == "assertion" for fate in killed)
        form = "| `{}` | {} | {} | {:.1f} | {} | {} | {} |" if arguments.markdown else \
            "{:26} {:4} of {:4} killed ({:5.1f} %), {:3} equivalent, {:3} by an assertion, " \
            "{:4} within 2000 cycles"
        print(form.format(block, len(killed), real, percent, equal, asserted, at_once), flush=True)
        if percent < (least := leasts.get(block, LEAST)):
            wrong.append(f"{block}: {percent:.1f} % killed; must be {least} %")
        total.update(killed=len(killed), asserted=asserted, equivalent=equal,
                     alive=real - len(killed))
        for mutant in alive:
            place = block, mutant["source"], mutant["change"]
            used.add(place)
            if mutant["fate"] != "equivalent":
                total["by reason"] += known.get(place, "").startswith("equivalent: ")
                if place not in known:
                    wrong.append(" | ".join(place) + " | NO REASON")
    stale = sorted(place for place in known.keys() - used if place[0] in chosen)
    wrong += [f"killed, or not there: {' | '.join(place)}" for place in stale]
    print("{killed} killed, {asserted} of them by an assertion, {equivalent} proven equivalent, "
          "{alive} survive, of which {by reason} are equivalent by their reason".format_map(total))
    print("\n".join(wrong) if wrong else "PASS mutants: each that survives has a reason")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
