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

import collections
import os
import re
import resource
import subprocess
import sys

import pyosys
from pyosys import libyosys as ys

# From processes to cells of words, less the bits of integers that nothing reads: a fault there is
# none. Multiplexers of single bits have no form in Verilog.
TO_CELLS = (
    "proc", "opt_clean", "opt_expr", "wreduce", "opt_clean", "memory -nordff -nomap", "bwmuxmap",
    "opt_clean",
)
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
# What reading and writing ABC's files takes at most.
OWN_SECONDS = 60
# Ports of an array's cell that are constants where it is read at once, and its clock.
NO_LOGIC = re.compile("-port (RD_(EN|CLK|ARST|SRST)|WR_CLK) ")
# What numbers a name that yosys has made.
NUMBER = re.compile(r"\$(\d+)")
# The port with a block's counters of events, their width, and what they begin with: so few events
# before they wrap that all their bits move in any run.
COUNTERS = "cnt_o"
WIDTH = 32
BEGIN = f"{(1 << WIDTH) - 16:0{WIDTH}b}"


def public(name):
    return ys.IdString("\\" + name)


def bits(signal):
    """Name and number of each bit; None for a constant."""
    return [(str(bit.wire.name), bit.offset) if bit.is_wire() else None for bit in signal]


def split(bits):
    """Its words, as wide as a counter."""
    return [tuple(bits[at:at + WIDTH]) for at in range(0, len(bits), WIDTH)]


def counters(module):
    """The registers that count events: cells, and for each of these the value that it shall have
    after reset; for each word of the port with the counters whether it shows one of them; and the
    cells by which others are read, those that an index chooses."""
    port = module.wire(public(COUNTERS))
    if port is None:
        return [], [], []
    drivers = {}
    for left, right in module.connections_:
        drivers.update(zip(bits(left), bits(right)))
    shown = bits(ys.SigSpec(port))
    for at, bit in enumerate(shown):
        while bit in drivers:
            bit = drivers[bit]
        shown[at] = bit
    words = split(shown)

    def of(kind):
        return [cell for cell in module.cells_.values() if str(cell.type) == kind]

    # A maximum, to which nothing is added, would stay what it begins with. Of several counters an
    # adder has the one that an index chooses.
    counted = {tuple(bits(cell.getPort(public(side)))) for cell in of("$add") for side in "AB"}
    reads = []
    for cell in of("$bmux"):
        [one, several] = [tuple(bits(cell.getPort(public(side)))) for side in "YA"]
        if one in counted:
            counted.update(split(several))
        elif len(one) == WIDTH:
            reads.append((cell, split(several)))
    reads = [(cell, several) for cell, several in reads if counted.issuperset(several)]
    wanted = counted.intersection(words) | {word for _, several in reads for word in several}
    found, done = [], set()
    for cell in of("$aldff"):
        if not cell.getPort(public("AD")).is_fully_zero():
            continue
        register = split(bits(cell.getPort(public("Q"))))
        done.update(word for word in register if word in wanted)
        begin = [BEGIN if word in wanted else "0" * len(word) for word in register]
        if BEGIN in begin:
            found.append((cell, "".join(reversed(begin))))
    reads = [cell for cell, several in reads if done.issuperset(several)]
    return found, [word in done for word in words], reads


def preset(module, registers, reads):
    """Has registers begin with these values instead of 0, so that a fault in what they begin with
    is one still, and takes from what is read what it began with."""
    for number, (cell, value) in enumerate(registers):
        begin = cell.getPort(public("AD"))
        other = ys.SigSpec(module.addWire(public(f"begin_{number}"), begin.size()))
        value = ys.SigSpec(ys.Const.from_string(value))
        module.addXor(public(f"preset_{number}"), begin, value, other)
        cell.setPort(public("AD"), other)
    for number, cell in enumerate(reads):
        value = cell.getPort(public("Y"))
        inner = ys.SigSpec(module.addWire(public(f"read_{number}"), WIDTH))
        cell.setPort(public("Y"), inner)
        begin = ys.SigSpec(ys.Const.from_string(BEGIN))
        module.addSub(public(f"read_from_0_{number}"), inner, begin, value)


def outer_port(module, name, suffix):
    """Puts another port in the place of one, which is a wire with the suffix from now on. Returns
    both, the inner one first."""
    inner = module.wire(public(name))
    module.rename(inner, public(name + suffix))
    outer = module.addWire(public(name), inner.width)
    outer.port_input, outer.port_output = inner.port_input, inner.port_output
    outer.port_id = inner.port_id
    inner.port_input, inner.port_output, inner.port_id = False, False, 0
    module.fixup_ports()
    return ys.SigSpec(inner), ys.SigSpec(outer)


def show_counters_from_0(module, shown):
    """Takes from the port what the registers began with."""
    inner, outer = outer_port(module, COUNTERS, "_preset")
    for number, is_preset in enumerate(shown):
        begin = ys.SigSpec(ys.Const.from_string(BEGIN if is_preset else "0" * WIDTH))
        [of, to] = [signal.extract(number * WIDTH, WIDTH) for signal in (inner, outer)]
        module.addSub(public(f"from_0_{number}"), of, begin, to)


def mask_output(module, name, condition, suffix):
    """Has an output be 0 unless a bit is 1."""
    inner, outer = outer_port(module, name, suffix)
    zero = ys.SigSpec(ys.Const(0, inner.size()))
    module.addMux(public(f"mask_{name}{suffix}"), zero, inner, condition, outer)


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


def plant(run, mutants):
    """All of them, of which an input chooses one."""
    for number, line in enumerate(mutants, 1):
        run(line.replace("mutate ", f"mutate -ctrl mutant_sel 16 {number} ", 1))


class Cells:
    """The cells of a module: of each its name, the widths of its ports, and `around`, the wires with
    a name in the RTL which it reaches by way of those that have none."""

    def __init__(self, module):
        self.widths, self.around = {}, {}
        # Of each cell its wires, of each wire its cells; of what made a cell, its type, and the
        # lines that it stands for, all that are alike.
        wires, at, self.kinds = {}, collections.defaultdict(list), collections.defaultdict(list)
        for cell in module.cells_.values():
            name = str(cell.name).lstrip("\\")
            ports = {str(port).lstrip("\\"): cell.getPort(port) for port in cell.connections_}
            self.widths[name] = {port: signal.size() for port, signal in ports.items()}
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

    def made(self, name):
        """Cells that slang makes are numbered as they stand in the RTL."""
        return [int(number) for number in NUMBER.findall(name)]

    def places(self, cells):
        """Those that passes of yosys make are not: an instance's are those with its wires around
        them, and of these the widths tell what they are."""
        found = collections.defaultdict(list)
        for cell in cells:
            order = sorted(self.widths[cell].items()), self.made(cell)
            found[self.around[cell]].append((*order, cell))
        return {around: [cell for *_, cell in sorted(cells)] for around, cells in found.items()}


class Counterparts:
    """Which cell of the block with assertions is which one of the block that synthesis sees."""

    def __init__(self, drawn, checked):
        """Of the second what only assertions read is left out. Cells have no counterpart where one
        has more of their kind than the other."""
        self.cells, self.widths = {}, checked.widths
        for kind, cells in drawn.kinds.items():
            others = checked.kinds.get(kind, [])
            if kind[0] == "$":
                self.pair(sorted(cells, key=drawn.made), sorted(others, key=checked.made))
                continue
            left = checked.places(others)
            for around, cells in drawn.places(cells).items():
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
    run("opt_clean")
    run(f"write_verilog -noattr -norename {task['verilog']}")
    return mutants


def write_gates(read, task):
    """Writes the block with all mutants as gates, behind a cycle of reset, with payloads that are 0
    where they mean nothing."""
    module, run = read(task["read"])
    for name, valid in (pair.split(":") for pair in task["payloads"].split()):
        mask_output(module, name, ys.SigSpec(module.wire(public(valid))), "_without_valid")
    with open(task["mutants"], encoding="utf-8") as lines:
        plant(run, lines.read().splitlines())
    hold_reset_first(module)
    run("setattr -set init 1'b0 w:began")
    for command in ("memory_map", "async2sync", *TO_GATES):
        run(command)
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
