"""Mutants of a block by yosys (pyosys, with slang), in one netlist that holds all of them, and
proofs that some are no mutants at all. The task comes on stdin, a name and its value in each line:

    seconds  of processor time for ABC, or for yosys, after which there is no answer
    result   where the answer goes; `.log` behind its name is what yosys said last

and one of three:

    read     the yosys command that reads the block as synthesis does: mutants are drawn of that
    checked  the one that reads it with its assertions: that has the mutants
    count    mutants, and the seed by which yosys draws them
    seed
    verilog  where the netlist goes, with an input `mutant_sel` of 16 bits: 0 for none. The answer
             has a yosys command for each mutant in a line of its own

    read
    mutants  the answer of the first
    payloads outputs that mean something while another is 1, each as OUTPUT:VALID
    gates    where the block goes with all of them, as gates, a file of ABC's; `.map` behind its
             name has the names of its inputs

    prove    the number of a mutant
    gates    that. The answer: `equivalent`, `shown N`, where outputs show it in cycle N, or `open`
"""

import resource
import sys

from pyosys import libyosys as ys

from mutants import write_netlist
from proofs import OWN_SECONDS, prove, write_gates

# From processes to cells of words, less the bits of integers that nothing reads: a fault there is
# none. Multiplexers of single bits have no form in Verilog.
TO_CELLS = (
    "proc", "opt_clean", "opt_expr", "wreduce", "opt_clean", "memory -nordff -nomap", "bwmuxmap",
    "opt_clean",
)


def main():
    task = dict(line.rstrip("\n").split(" ", 1) for line in sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (int(task["seconds"]) + OWN_SECONDS,) * 2)
    log = task["result"] + ".log"

    def read(command):
        """The block's module as cells of words, and what runs a command of yosys on it and returns
        the module, which the command may have replaced."""
        design = ys.Design()
        # What it says of the RTL is shown.
        ys.run_pass(command, design)

        def run(command):
            ys.run_pass(f"tee -q -o {log} {command}", design)
            return design.top_module()

        for command in TO_CELLS:
            run(command)
        return design.top_module(), run

    if "prove" in task:
        result = [prove(task)]
    elif "mutants" in task:
        result = write_gates(read, task)
    else:
        result = write_netlist(read, task)
    with open(task["result"], "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in result)


main()
