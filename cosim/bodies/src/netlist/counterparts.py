"""Finds the cells of a block as synthesis sees it in the block with its assertions."""

import collections
import re

# What numbers a name that yosys has made.
NUMBER = re.compile(r"\$(\d+)")


class Cells:
    """The cells of a module: of each its name, the widths of its ports, the bits with a name in the
    RTL that its ports have, and `around`, the wires with such a name which it reaches by way of those
    that have none."""

    def __init__(self, module):
        self.widths, self.named, self.around = {}, {}, {}
        # Of each cell its wires, of each wire its cells; of what made a cell, its type, and the
        # lines that it stands for, all that are alike.
        wires, at, self.kinds = {}, collections.defaultdict(list), collections.defaultdict(list)
        for cell in module.cells_.values():
            name = str(cell.name).lstrip("\\")
            ports = {str(port).lstrip("\\"): cell.getPort(port) for port in cell.connections_}
            self.widths[name] = {port: signal.size() for port, signal in ports.items()}
            self.named[name] = sorted(
                (port, at_bit, str(bit.wire.name), bit.offset)
                for port, signal in ports.items() for at_bit, bit in enumerate(signal)
                if bit.is_wire() and str(bit.wire.name).startswith("\\")
            )
            wires[name] = {
                str(bit.wire.name) for signal in ports.values() for bit in signal if bit.is_wire()
            }
            for wire in wires[name]:
                at[wire].append(name)
            kind = NUMBER.sub("$", name), str(cell.type), cell.get_src_attribute()
            self.kinds[kind].append(name)
        for name in wires:
            if name in self.around:
                continue
            cells, todo, named = {name}, [name], set()
            while todo:
                for wire in wires[todo.pop()]:
                    if wire.startswith("\\"):
                        named.add(wire)
                    else:
                        todo += (new := set(at.pop(wire, ())) - cells)
                        cells |= new
            self.around.update(dict.fromkeys(cells, frozenset(named)))

    def by_place(self, cells):
        """Some of them, in order, by what is around them."""
        found = collections.defaultdict(list)
        for cell in cells:
            order = sorted(self.widths[cell].items()), self.named[cell], made(cell)
            found[self.around[cell]].append((*order, cell))
        return {around: [cell for *_, cell in sorted(cells)] for around, cells in found.items()}


def made(name):
    """By this cells stand in the order in which they were made."""
    return [int(number) for number in NUMBER.findall(name)]


class Counterparts:
    """Which cell of the block with assertions is which one of the block that synthesis sees."""

    def __init__(self, drawn, checked):
        """Of the second what only assertions read is left out. Cells have no counterpart where one
        has more of their kind than the other."""
        self.cells, self.widths = {}, checked.widths
        for kind, cells in drawn.kinds.items():
            others = checked.kinds.get(kind, [])
            # slang makes cells as they stand in the RTL.
            if kind[0] == "$":
                self.pair(sorted(cells, key=made), sorted(others, key=made))
                continue
            # Passes of yosys do not: an instance's cells are those with its wires around them, and
            # of these the widths and the bits with names tell what they are.
            left = checked.by_place(others)
            for around, cells in drawn.by_place(cells).items():
                if left:
                    nearest = min(left, key=lambda other: len(around ^ other))
                    self.pair(cells, left.pop(nearest))

    def pair(self, cells, others):
        if len(cells) == len(others):
            self.cells.update(zip(cells, others))

    def of(self, mutant):
        """The mutant in the block with assertions; None where that has no such bit."""
        words = mutant.split()
        cell, port, bit = (words[words.index(word) + 1] for word in ("-cell", "-port", "-portbit"))
        name = self.cells.get(cell)
        if name is None or int(bit) >= self.widths[name].get(port, 0):
            return None
        words[words.index("-cell") + 1] = name
        return " ".join(words)
