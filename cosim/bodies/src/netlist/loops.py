"""Mutants that close a loop of gates: a bit of a port is inverted where another bit of it is 1, which
may depend on the first."""

import re

from ports import bits, public

# Has each mutant chosen by an input of its own, which all passes of yosys keep.
OWN_CHOICE = "chosen_{0} 1 1"
CHOSEN = re.compile(r"\\chosen_(\d+)")
# What yosys says of each loop: its cells.
FOUND = re.compile(r"^Found an SCC: (.*)$", re.MULTILINE)
# An input of a gate whose value depends on that of another bit.
CONDITIONAL = " -ctrlbit "


def cells_of_loops(said):
    """The cells of all loops, from what `scc` says."""
    return {name for loop in FOUND.findall(said) for name in loop.split()}


def closed_by(module, cells, mutants):
    """Numbers of the mutants, planted with `OWN_CHOICE`, that close a loop; `cells` are those of the
    loops."""
    inputs, inverted = {}, {}
    for cell in module.cells_.values():
        ports = [public(name) for name in "AB" if cell.hasPort(public(name))]
        inputs[str(cell.name)] = read = [bits(cell.getPort(port))[0] for port in ports]
        if str(cell.type) == "$_NOT_":
            inverted[bits(cell.getPort(public("Y")))[0]] = read[0]
    read = {bit for name in cells for bit in inputs.get(name, ())}
    read |= {inverted[bit] for bit in read if bit in inverted}
    found = {int(match[1]) for bit in read if bit and (match := CHOSEN.fullmatch(bit[0]))}
    return {number for number in found if CONDITIONAL in mutants[number - 1]}
