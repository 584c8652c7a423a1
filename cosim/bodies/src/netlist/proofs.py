"""Proves by ABC that some mutants are none."""

import os
import re
import resource
import subprocess

import pyosys
from pyosys import libyosys as ys

from loops import OWN_CHOICE, cells_of_loops, closed_by
from mutants import plant
from ports import mask_output, outer_port, public

# From cells of words to flip-flops and gates of two inputs.
TO_GATES = (
    "opt_clean", "simplemap", "opt -nodffe -nosdff", "techmap", "opt -fast -nodffe -nosdff",
    "dffunmap", "setundef -zero -init", "setundef -undriven -zero", "aigmap", "opt_clean",
)
# What ABC does. It asks whether the next state and outputs are the same in every state; puts the
# block beside itself, and joins flip-flops and gates that are equal in all cycles, which leaves
# nothing of most mutants that are none; looks for inputs that show the mutant; and for a proof that
# there are none. Each has a part of the seconds that are given for a mutant.
SAME = "comb; write_aiger {0}; read_aiger {1}; comb; cec -n {0}"
MITER = "miter -n {0} {1}; strash; write_aiger {2}; lcorr; write_aiger {2}; scorr; write_aiger {2}"
SEARCH = "strash; bmc3 -F 40 -T LIMIT; print_status"
PROOF = "strash; dprove -b -r -m -j -T LIMIT; print_status"
SAME_PART, MITER_PART, SEARCH_PART, PROOF_PART = 4, 2, 20, 3
# Suffix of the file that lists the mutants left out of the gates.
LEFT_OUT = ".left_out"
# What reading and writing ABC's files takes at most.
OWN_SECONDS = 60


def hold_reset_first(module):
    """Has the block begin with a cycle of reset, whose outputs nobody compares."""
    began = ys.SigSpec(module.addWire(public("began"), 1))
    one = ys.SigSpec(ys.Const(1, 1))
    module.addDff(public("begin"), ys.SigSpec(module.wire(public("clk_i"))), one, began)
    inner, outer = outer_port(module, "rst_ni", "_held")
    module.addAnd(public("hold_rst_ni"), outer, began, inner)
    outputs = [str(wire.name)[1:] for wire in module.wires_.values() if wire.port_output]
    for name in outputs:
        mask_output(module, name, began, "_in_reset")


def to_gates(run, mutants, **planting):
    """Plants mutants in the block that was saved, and makes gates of it, behind a cycle of reset."""
    module = run("design -load without")
    plant(run, mutants, **planting)
    hold_reset_first(module)
    run("setattr -set init 1'b0 w:began")
    for command in ("memory_map", "async2sync", *TO_GATES):
        module = run(command)
    return module


def write_gates(read, task):
    """Writes the block with its mutants as gates, with payloads that are 0 where they mean nothing.
    Beside it stand the numbers of mutants that close a loop of gates, which are left out: nothing is
    proven of them."""
    module, run = read(task["read"])
    for name, valid in (pair.split(":") for pair in task["payloads"].split()):
        mask_output(module, name, ys.SigSpec(module.wire(public(valid))), "_without_valid")
    run("design -save without")
    with open(task["mutants"], encoding="utf-8") as lines:
        mutants = lines.read().splitlines()
    said, left_out = task["gates"] + ".loops", set()

    def loops():
        run(f"tee -q -o {said} scc")
        with open(said, encoding="utf-8") as text:
            return cells_of_loops(text.read())

    to_gates(run, mutants)
    if loops():
        module = to_gates(run, mutants, choice=OWN_CHOICE)
        left_out = closed_by(module, loops(), mutants)
        to_gates(run, mutants, left_out=left_out)
    with open(task["gates"] + LEFT_OUT, "w", encoding="utf-8") as out:
        out.writelines(f"{number}\n" for number in sorted(left_out))
    run(f"write_aiger -zinit -map {task['gates']}.map {task['gates']}")
    return []


def choose(path, number, chosen):
    """Writes a circuit of ABC's whose input `mutant_sel` is a number. The input stays, and nothing
    reads it."""
    fixed = {}
    with open(path + ".map", encoding="utf-8") as lines:
        named = (line.split(" ", 3) for line in lines if line.startswith("input "))
        for _, at, bit, name in named:
            if name.strip().endswith("mutant_sel"):
                fixed[int(at) + 1] = number >> int(bit) & 1

    def literal(of):
        return fixed[of >> 1] ^ of & 1 if of >> 1 in fixed else of

    with open(path, "rb") as file:
        head = file.readline()
        _, inputs, latches, outputs, gates = (int(word) for word in head.split()[1:6])
        roots = [file.readline().split() for _ in range(latches + outputs)]
        rest = file.read()
    place = 0

    def number_of():
        """A number of seven bits a byte, the lowest first."""
        nonlocal place
        value = shift = 0
        while rest[place] & 128:
            value |= (rest[place] & 127) << shift
            shift, place = shift + 7, place + 1
        value |= rest[place] << shift
        place += 1
        return value

    with open(chosen, "wb") as out:
        out.write(head)
        for root in roots:
            out.write(b" ".join([b"%d" % literal(int(root[0])), *root[1:]]) + b"\n")
        coded = bytearray()
        for gate in range(inputs + latches + 1, inputs + latches + 1 + gates):
            first = 2 * gate - number_of()
            second = first - number_of()
            first, second = sorted((literal(first), literal(second)), reverse=True)
            for value in (2 * gate - first, first - second):
                while value > 127:
                    coded.append(value & 127 | 128)
                    value >>= 7
                coded.append(value)
        out.write(coded)


def prove(task):
    """Whether outputs that mean something ever show the mutant, behind a reset and with memories
    that begin with 0."""
    number, seconds = int(task["prove"]), int(task["seconds"])
    with open(task["gates"] + LEFT_OUT, encoding="utf-8") as lines:
        if number in map(int, lines):
            return "open"
    made = []

    def circuit(path, number):
        made.append(f"{task['result']}-{len(made)}.aig")
        choose(path, number, made[-1])
        return made[-1]

    def abc(circuit, commands, part):
        """ABC's process, within a part of the time."""
        program = os.path.join(os.path.dirname(pyosys.__file__), "yosys-abc")
        limit = max(1, seconds // part)
        # Of itself it counts time that passes, and a busy host gives it less.
        command = [program, "-c", f"read_aiger {circuit}; {commands.replace('LIMIT', str(limit))}"]
        return subprocess.run(
            command, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit,) * 2),
        )

    try:
        gate = circuit(task["gates"], number)
        gold = task["gates"] + ".gold.aig"
        if not os.path.exists(gold):
            # Another proof may want it at the same time.
            os.replace(circuit(task["gates"], 0), gold)
        made.append(f"{gate}.comb.aig")
        same = abc(gold, SAME.format(made[-1], gate), SAME_PART)
        if "Networks are equivalent" in same.stdout:
            return "equivalent"
        made.append(f"{gate}.miter.aig")
        abc(gold, MITER.format(gold, gate, made[-1]), MITER_PART)
        for commands, part in ((SEARCH, SEARCH_PART), (PROOF, PROOF_PART)):
            output = abc(made[-1], commands, part).stdout
            shown = re.search(r"Status = 0 .*Frame = +(\d+)", output)
            if shown:
                return f"shown {shown.group(1)}"
            if "Status = 1 " in output:
                return "equivalent"
        return "open"
    finally:
        for file in filter(os.path.exists, made):
            os.remove(file)
