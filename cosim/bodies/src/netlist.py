"""Mutants of a block by yosys (pyosys, with slang), in one netlist that holds all of them, or proofs
that some are no mutants at all. The task is JSON on stdin:

    read     the yosys command that reads the block
    top      its module
    verilog  where the netlist goes, with an input `mutant_sel` of 16 bits: 0 for none
    count    mutants, and the seed by which yosys draws them
    seed
    prove    instead of these: a mutant that may be equivalent to the block
    seconds  of processor time, after which the process ends without an answer
    result   where the answer goes, as JSON: `mutants`, a yosys command for each, or `equivalent`
"""

import json
import os
import resource
import sys

from pyosys import libyosys as ys

# Cycles over which two netlists are unrolled for a proof by induction.
STEPS = 4


def run(design, command, log="/dev/null"):
    ys.run_pass(f"tee -q -o {log} {command}", design)


def is_equivalent(design, task, mutant):
    """Whether yosys proves that no output ever shows the mutant."""
    top, log = task["top"], task["result"] + ".log"
    run(design, "design -load gold")
    run(design, mutant)
    run(design, f"rename {top} gate")
    run(design, f"design -copy-from gold -as gold {top}")
    run(design, "equiv_make gold gate equiv")
    run(design, "hierarchy -top equiv")
    run(design, "opt_clean")
    run(design, "equiv_struct")
    run(design, "equiv_simple -short")
    run(design, f"equiv_induct -seq {STEPS}")
    run(design, "equiv_status", log)
    with open(log, encoding="utf-8") as said:
        return "Equivalence successfully proven" in said.read()


def main():
    task = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"]))
    design = ys.Design()
    # What it says of the RTL is shown.
    ys.run_pass(task["read"], design)
    run(design, "proc")
    run(design, "opt_clean")
    if "prove" in task:
        run(design, "memory -nordff")
        run(design, "async2sync")
        run(design, "opt_clean")
        run(design, "design -save gold")
        result = {"equivalent": is_equivalent(design, task, task["prove"])}
    else:
        listed = task["result"] + ".list"
        run(design, f"mutate -list {task['count']} -seed {task['seed']} -o {listed}")
        with open(listed, encoding="utf-8") as lines:
            mutants = [line.strip() for line in lines if line.startswith("mutate ")]
        os.remove(listed)
        for number, line in enumerate(mutants, 1):
            control = f"mutate -ctrl mutant_sel 16 {number} "
            run(design, line.replace("mutate ", control, 1))
        run(design, "opt_clean")
        run(design, f"write_verilog -noattr -norename {task['verilog']}")
        result = {"mutants": mutants}
    with open(task["result"], "w", encoding="utf-8") as out:
        json.dump(result, out)


main()
