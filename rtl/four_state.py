#!/usr/bin/env python3
"""Simulates a block in four states (0, 1, x, z) under a recorded stimulus and compares its outputs with
those that the model showed: `tests/blocks/four_state.rs` records a run of the model and calls

    python3 rtl/four_state.py [--rtl FOLDER] < RECORDING

yosys (pyosys, with slang) reads the block as synthesis does, and its `sim` runs it. Registers and
memories begin with x, but for arrays with an `initial` block; so do payloads at inputs while their valid
is 0. A finding is

- a bit of an output that is x or differs from the model's, where the model's means something: always,
  or for a payload while its valid is 1;
- a write enable of a memory that is x, or an address that is x while one of its enables is 1.

Prints a line for each port, with the first cycle, on stderr. Exit status 1 with findings, 5 where
pyosys or Ibex is missing."""

import argparse
import json
import os
import sys
import tempfile

import lint
import synth
import tree

CLOCK, RESET = "clk_i", "rst_ni"
# Passes before simulation. Memories stay memories, as `sim` knows them. `-mux_undef`: of an `if` with
# several branches yosys makes multiplexers with inputs that no value selects, which are x.
PASSES = ["proc", "flatten", "opt_expr -mux_undef", "opt_clean", "memory_collect", "opt_mem_priority"]
# Clock and reset of the half cycles before an episode: reset holds for two edges.
HELD = ["00", "10", "00", "10"]
# An attribute of memories that become flip-flops.
MAPPED = "four_state_mapped"


class Recording:
    """A block, its parameters and ports, and of each cycle whether a reset comes before it, the inputs
    and the outputs, as bits with those of the first port last."""

    def __init__(self, lines):
        self.block, self.parameters = None, []
        self.ports = {"input": [], "output": []}
        self.cycles = []
        for line in lines:
            kind, *words = line.split()
            if kind == "block":
                self.block = words[0]
            elif kind == "parameter":
                self.parameters.append(words[0])
            elif kind in self.ports:
                name, width = words
                self.ports[kind].append((name, int(width)))
            else:
                inputs, outputs = words
                self.cycles.append((kind == "reset", inputs, outputs))

    def half_cycles(self):
        """Clock, reset and inputs of each half of a cycle. Inputs change while the clock is 0."""
        last = "x" * len(self.cycles[0][1])
        for reset, inputs, _ in self.cycles:
            yield from [(held, last) for held in HELD if reset]
            yield "01", inputs
            yield "11", inputs
            last = inputs

    def sampled(self):
        """The half cycle in which the outputs of each cycle are sampled, before its edge."""
        at = 0
        for reset, _, _ in self.cycles:
            at += len(HELD) * reset
            yield at
            at += 2

    def witness(self):
        """The stimulus as `sim` reads it. The clock is a signal like others."""
        ports = [(RESET, 1), (CLOCK, 1)] + self.ports["input"]
        signals = [
            {"path": ["\\" + name], "offset": 0, "width": width, "init_only": False}
            for name, width in ports
        ]
        steps = [{"bits": inputs + held} for held, inputs in self.half_cycles()]
        head = {"format": "Yosys Witness Trace", "clocks": []}
        return {**head, "signals": signals, "steps": steps}


def public(ys, name):
    return ys.IdString("\\" + name)


def map_memories(ys, design):
    """Makes flip-flops of memories in which one write goes before another: `sim` finds no end where two
    write different values at once."""
    for kind, cell in synth.cells(design):
        if kind == "$mem_v2" and cell.getParam(public(ys, "WR_PRIORITY_MASK")).as_bool():
            cell.set_bool_attribute(public(ys, MAPPED), True)
    ys.run_pass(f"memory_map a:{MAPPED}", design)


def delay_releases(ys, design):
    """A flip-flop whose reset another register releases must not take the edge that releases it, which
    it does in `sim`: such a reset is delayed by half a cycle."""
    module, delayed = design.top_module(), {}
    clock = ys.SigSpec(module.wire(public(ys, CLOCK)))
    for _, cell in list(synth.cells(design)):
        names = [public(ys, name) for name in ("ARST", "ALOAD")]
        port = next((name for name in names if cell.hasPort(name)), None)
        if port is None or not cell.is_builtin_ff():
            continue
        reset = cell.getPort(port)
        if reset.is_wire() and reset.as_wire().name.str() == "\\" + RESET:
            continue
        bit = reset.as_bit()
        if bit not in delayed:
            number = len(delayed)
            late = ys.SigSpec(module.addWire(ys.IdString(f"$late${number}"), 1))
            module.addDff(ys.IdString(f"$delay${number}"), clock, reset, late, False)
            delayed[bit] = late
        cell.setPort(port, delayed[bit])


def show_writes(ys, design):
    """Gives the controls of each write of a memory to wires that `sim` shows. The memory, and its wires
    for enables and address."""
    module, writes = design.top_module(), []
    for kind, cell in list(synth.cells(design)):
        if kind != "$mem_v2":
            continue
        number = {
            name: cell.getParam(public(ys, name)).as_int() for name in ("WR_PORTS", "WIDTH", "ABITS")
        }
        memory = cell.getParam(public(ys, "MEMID")).decode_string().lstrip("\\")
        for port in range(number["WR_PORTS"]):
            wires = []
            for control, width in (("WR_EN", number["WIDTH"]), ("WR_ADDR", number["ABITS"])):
                name = f"write_{len(writes)}_{control}"
                wire = ys.SigSpec(module.addWire(public(ys, name), width))
                bits = cell.getPort(public(ys, control)).extract(port * width, width)
                module.connect(wire, bits)
                wires.append(name)
            writes.append((memory, *wires))
    return writes


def simulate(recording, rtl, folder):
    """Runs `sim`. The file with the values, and the writes of memories."""
    from pyosys import libyosys as ys

    design = ys.Design()
    read = synth.read_command(rtl, recording.block, recording.parameters, folder)
    for command in [read, *PASSES]:
        ys.run_pass(command, design)
    map_memories(ys, design)
    delay_releases(ys, design)
    # What has no public name is not written.
    ys.run_pass("rename -hide w:* i:* %d o:* %d", design)
    writes = show_writes(ys, design)
    stimulus, result = (os.path.join(folder, name) for name in ("stimulus.yw", "result.vcd"))
    with open(stimulus, "w", encoding="utf-8") as file:
        json.dump(recording.witness(), file)
    ys.run_pass(f"sim -q -r {stimulus} -vcd {result} {recording.block}", design)
    return result, writes


def half_cycles(path):
    """The values of all signals by name, in each half cycle of a VCD."""
    names, now, started = {}, {}, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("$var"):
                words = line.split()
                names[words[3]] = words[4]
            elif line.startswith("#"):
                if started:
                    yield now
                started = True
            elif line.startswith("b"):
                value, name = line[1:].split()
                now[names[name]] = value


def differing(have, want):
    """The lowest bit that the model shows otherwise, `x` being what means nothing there."""
    pairs = enumerate(zip(reversed(have), reversed(want)))
    return next(((bit, has, wants) for bit, (has, wants) in pairs if wants not in ("x", has)), None)


def findings(recording, result, writes):
    """Lines, one for each port and each write of a memory at most."""
    found, sampled = {}, dict(zip(recording.sampled(), range(len(recording.cycles))))
    seen = 0
    for half, values in enumerate(half_cycles(result)):
        cycle = sampled.get(half)
        if cycle is None:
            continue
        seen += 1
        end = len(recording.cycles[cycle][2])
        for name, width in recording.ports["output"]:
            want, end = recording.cycles[cycle][2][end - width:end], end - width
            if name not in found and (other := differing(values[name], want)):
                bit, has, wants = other
                found[name] = f"{name}[{bit}] is {has} in cycle {cycle}, the model shows {wants}"
        for number, (memory, enable, address) in enumerate(writes):
            for control, wrong in (
                ("enable", "x" in values[enable]),
                ("address", "1" in values[enable] and "x" in values[address]),
            ):
                if wrong:
                    key, what = (number, control), f"a write {control} of {memory} is x"
                    found.setdefault(key, f"{what} in cycle {cycle}")
    if seen != len(recording.cycles):
        sys.exit(f"four_state: {recording.block}: {seen} of {len(recording.cycles)} cycles were simulated")
    return list(found.values())


def main():
    parser = argparse.ArgumentParser(description="Simulates a block of rtl/ in four states.")
    parser.add_argument("--rtl", default=lint.RTL, help="another folder with the blocks")
    rtl = os.path.abspath(parser.parse_args().rtl)
    recording = Recording(sys.stdin)
    if synth.set_up() is None:
        print("four_state: it needs pyosys; run `make setup`", file=sys.stderr)
        return 5
    if os.path.exists(os.path.join(tree.folder(rtl, recording.block), "ibex.f")):
        if not lint.ibex():
            print(f"four_state: {recording.block} needs Ibex; run `make setup`", file=sys.stderr)
            return 5
        os.environ["IBEX"] = lint.ibex()  # the file list names it
    with tempfile.TemporaryDirectory() as folder:
        found = findings(recording, *simulate(recording, rtl, folder))
    for line in found:
        print(f"four_state: {recording.block}: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
