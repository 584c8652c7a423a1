"""Draws mutants, and writes the block with all of them."""

import os
import re

from pyosys import libyosys as ys

from counterparts import Cells, Counterparts
from counters import counters, preset, show_counters_from_0
from ports import public

# Ports of an array's cell that are constants where it is read at once, and its clock.
NO_LOGIC = re.compile("-port (RD_(EN|CLK|ARST|SRST)|WR_CLK) ")


def plant(run, mutants, left_out=(), choice="mutant_sel 16 {0}"):
    """All of them but those of some numbers. An input chooses one: its name, width and value."""
    for number, line in enumerate(mutants, 1):
        if number not in left_out:
            run(line.replace("mutate ", f"mutate -ctrl {choice.format(number)} ", 1))


def choose_by_index(module):
    """Reads what an index chooses as Verilog's `A[B +: WIDTH]`. yosys writes a tree of multiplexers
    instead, of which Verilator writes all again for each bit, wherever that is used."""
    chosen = [cell for cell in module.cells_.values() if cell.type.str() == "$bmux"]
    for number, cell in enumerate(chosen):
        [several, index, one] = [cell.getPort(public(name)) for name in ("A", "S", "Y")]
        first = ys.SigSpec(module.addWire(public(f"first_{number}"), several.size().bit_length()))
        module.addMul(public(f"first_of_{number}"), index, ys.SigSpec(ys.Const(one.size())), first)
        module.addShiftx(public(f"chosen_{number}"), several, first, one)
        module.remove(cell)


def write_netlist(read, task):
    """Draws mutants of the block as synthesis sees it, so that none is of an assertion, and writes
    the block with assertions and all of them. Returns them."""
    module, run = read(task["read"])
    listed, count = task["result"] + ".list", int(task["count"])
    run(f"mutate -list {count + count // 10 + 1} -seed {task['seed']} -o {listed}")
    with open(listed, encoding="utf-8") as lines:
        drawn = [line.strip() for line in lines if line.startswith("mutate ")]
    os.remove(listed)
    cells = Cells(module)
    module, run = read(task["checked"])
    for command in ("design -save checked", "delete t:$check", "opt_clean"):
        module = run(command)
    counterparts = Counterparts(cells, Cells(module))
    module = run("design -load checked")
    both = [(line, counterparts.of(line)) for line in drawn if not NO_LOGIC.search(line)]
    both = [(line, other) for line, other in both if other][:count]
    mutants = [line for line, _ in both]
    registers, shown, reads = counters(module)
    plant(run, [other for _, other in both])
    if registers:
        preset(module, registers, reads)
        show_counters_from_0(module, shown)
    choose_by_index(module)
    run("opt_clean")
    run(f"write_verilog -noattr -norename {task['verilog']}")
    return mutants
