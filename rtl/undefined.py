"""Registers that can never get a value: without reset, and with a next value that needs their own, or
that of another such register, whatever the inputs are. In four states they are X for ever.

Found is what is left when all bits are marked that can get a value: those of constants, inputs and
registers with a reset; and those of a cell, if enough of its inputs can. Enough is what forces the
output in the best case, such as one input of an AND or one of two that a multiplexer chooses from: so a
register that is found is X for ever, and one that is not found may be."""

import collections

# Cells of which bit i of the output needs bit i of each input, and those of which one input does.
EACH = {"$not", "$pos", "$xor", "$xnor", "$buf"}
ONE = {"$and", "$or"}
# Cells that one bit of their inputs can force.
ANY = {"$logic_and", "$logic_or", "$logic_not", "$reduce_and", "$reduce_or", "$reduce_bool"}


def bit_of(bits, at):
    """Bit `at` of an operand; above its width the last one, or a constant."""
    return bits[min(at, len(bits) - 1)]


class Module:
    """A flat module, as yosys writes it as JSON."""

    def __init__(self, module):
        self.cells = module["cells"]
        self.names = {}
        for name, net in module["netnames"].items():
            for at, bit in enumerate(net["bits"]):
                if bit not in self.names or self.names[bit].startswith("$"):
                    self.names[bit] = f"{name}[{at}]"
        self.defined = {"0", "1"}
        for port in module["ports"].values():
            if port["direction"] == "input":
                self.defined.update(port["bits"])
        self.readers = collections.defaultdict(set)
        self.memories = collections.defaultdict(lambda: {"wr": [], "rd": [], "init": []})
        for name, cell in self.cells.items():
            if cell["type"].startswith("$mem"):
                memory = self.memories[cell["parameters"]["MEMID"]]
                kind = cell["type"].removeprefix("$mem").removesuffix("_v2")
                memory[kind].append(name)
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "input":
                    for bit in bits:
                        self.readers[bit].add(name)

    def is_defined(self, bits):
        return all(bit in self.defined for bit in bits)

    def column(self, cell, at):
        """Whether bit `at` of a word of the memory can get a value."""
        memory = self.memories[cell["parameters"]["MEMID"]]
        written = (self.cells[name]["connections"]["DATA"] for name in memory["wr"])
        return memory["init"] != [] or any(bit_of(bits, at) in self.defined for bits in written)

    def outputs(self, cell):
        """The bits of the cell's outputs that can get a value."""
        kind, ports = cell["type"], cell["connections"]
        given = [bits for port, bits in ports.items() if cell["port_directions"][port] == "input"]
        if "Q" in ports:
            has_reset = "ARST" in ports or "ALOAD" in ports or "SRST" in ports
            return [q for q, d in zip(ports["Q"], ports["D"]) if has_reset or d in self.defined]
        if kind == "$memrd" or kind == "$memrd_v2":
            address = self.is_defined(ports["ADDR"])
            return [y for at, y in enumerate(ports["DATA"]) if address and self.column(cell, at)]
        out = ports.get("Y", [])
        if kind in EACH:
            return [y for at, y in enumerate(out) if self.is_defined(bit_of(b, at) for b in given)]
        if kind in ONE:
            some = ({bit_of(b, at) for b in given} & self.defined for at in range(len(out)))
            return [y for y, found in zip(out, some) if found]
        if kind in ANY:
            return out if any(bit in self.defined for bits in given for bit in bits) else []
        if kind in ("$mux", "$bwmux"):
            legs = zip(out, ports["A"], ports["B"])
            return [
                y for at, (y, a, b) in enumerate(legs)
                if bit_of(ports["S"], at) in self.defined and {a, b} & self.defined
            ]
        if kind == "$pmux":
            width, selected = len(out), self.is_defined(ports["S"])
            legs = [{ports["A"][at], *ports["B"][at::width]} for at in range(width)]
            return [y for y, leg in zip(out, legs) if selected and leg & self.defined]
        if kind in ("$shift", "$shiftx", "$bmux"):
            by = ports["S"] if kind == "$bmux" else ports["B"]
            return out if self.is_defined(by) and set(ports["A"]) & self.defined else []
        return out if all(self.is_defined(bits) for bits in given) else []

    def undefined(self):
        """The registers that are X for ever, each bit by its name."""
        todo = set(self.cells)
        while todo:
            name = todo.pop()
            cell = self.cells[name]
            for bit in self.outputs(cell):
                if bit not in self.defined:
                    self.defined.add(bit)
                    todo |= self.readers[bit]
            if cell["type"] in ("$memwr", "$memwr_v2"):
                memory = self.memories[cell["parameters"]["MEMID"]]
                key = frozenset(bit in self.defined for bit in cell["connections"]["DATA"])
                if memory.get(name) != key:
                    memory[name] = key
                    todo.update(memory["rd"])
        left = [
            bit for cell in self.cells.values() for bit in cell["connections"].get("Q", [])
            if bit not in self.defined
        ]
        return sorted(self.names[bit] for bit in left)
