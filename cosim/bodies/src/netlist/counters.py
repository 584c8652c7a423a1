"""Has a block's counters of events begin a few events before they wrap, and its port show them less
that."""

from pyosys import libyosys as ys

from ports import bits, outer_port, public

# The port with a block's counters of events, their width, and what they begin with: so few events
# before they wrap that all their bits move in any run.
COUNTERS = "counters_o"
WIDTH = 32
BEGIN = f"{(1 << WIDTH) - 16:0{WIDTH}b}"


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


def show_counters_from_0(module, shown):
    """Takes from the port what the registers began with."""
    inner, outer = outer_port(module, COUNTERS, "_preset")
    for number, is_preset in enumerate(shown):
        begin = ys.SigSpec(ys.Const.from_string(BEGIN if is_preset else "0" * WIDTH))
        [of, to] = [signal.extract(number * WIDTH, WIDTH) for signal in (inner, outer)]
        module.addSub(public(f"from_0_{number}"), of, begin, to)
