"""Mutants of a block by yosys (pyosys, with slang), in one netlist that holds all of them, or proofs
that some are no mutants at all. The task comes on stdin, a name and its value in each line:

    read     the yosys command that reads the block
    top      its module
    verilog  where the netlist goes, with an input `mutant_sel` of 16 bits: 0 for none
    count    mutants, and the seed by which yosys draws them
    seed
    prove    instead of these: a mutant that may be equivalent to the block
    seconds  of processor time, after which the process ends without an answer
    result   where the answer goes: a yosys command for each mutant in a line of its own, or
             `equivalent` or `open`; `.log` behind its name is what yosys said last
"""

import os
import resource
import sys

from pyosys import libyosys as ys

# Cycles over which two netlists are unrolled for a proof by induction.
STEPS = 4


def is_equivalent(run, top, mutant, log):
    """Whether yosys proves that no output ever shows the mutant."""
    run("design -load gold")
    run(mutant)
    run(f"rename {top} gate")
    run(f"design -copy-from gold -as gold {top}")
    run("equiv_make gold gate equiv")
    run("hierarchy -top equiv")
    run("opt_clean")
    run("equiv_struct")
    run("equiv_simple -short")
    run(f"equiv_induct -seq {STEPS}")
    run("equiv_status")
    with open(log, encoding="utf-8") as said:
        return "Equivalence successfully proven" in said.read()


def main():
    task = dict(line.rstrip("\n").split(" ", 1) for line in sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (int(task["seconds"]),) * 2)
    design = ys.Design()
    log = task["result"] + ".log"

    def run(command):
        ys.run_pass(f"tee -q -o {log} {command}", design)

    # What it says of the RTL is shown.
    ys.run_pass(task["read"], design)
    # Multiplexers of single bits, and memories with faults, have no form in Verilog.
    for command in ("proc", "opt_clean", "memory -nordff", "bwmuxmap", "opt_clean"):
        run(command)
    if "prove" in task:
        run("async2sync")
        run("opt_clean")
        run("design -save gold")
        proven = is_equivalent(run, task["top"], task["prove"], log)
        result = ["equivalent" if proven else "open"]
    else:
        listed = task["result"] + ".list"
        run(f"mutate -list {task['count']} -seed {task['seed']} -o {listed}")
        with open(listed, encoding="utf-8") as lines:
            mutants = [line.strip() for line in lines if line.startswith("mutate ")]
        os.remove(listed)
        for number, line in enumerate(mutants, 1):
            control = f"mutate -ctrl mutant_sel 16 {number} "
            run(line.replace("mutate ", control, 1))
        run("opt_clean")
        run(f"write_verilog -noattr -norename {task['verilog']}")
        result = mutants
    with open(task["result"], "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in result)


main()
