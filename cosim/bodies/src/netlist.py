"""Mutants of a block by yosys (pyosys, with slang), in one netlist that holds all of them, and proofs
that some are no mutants at all. The task comes on stdin, a name and its value in each line:

    seconds  of processor time, after which the process ends without an answer
    result   where the answer goes; `.log` behind its name is what yosys said last

and one of three:

    read     the yosys command that reads the block
    top      its module
    count    mutants, and the seed by which yosys draws them
    seed
    verilog  where the netlist goes, with an input `mutant_sel` of 16 bits: 0 for none. The answer
             has a yosys command for each mutant in a line of its own

    read, top
    mutants  the answer of the first
    payloads outputs that mean something while another is 1, each as OUTPUT:VALID
    miter    where a circuit goes that has the block twice, once with `in_mutant_sel`, and says by
             `trigger` whether outputs differ

    prove    the number of a mutant
    circuit  that. The answer: `equivalent`, `shown N`, where outputs show it in cycle N, or `open`
"""

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
# How ABC looks for inputs that show a mutant, and then for a proof that there are none: the seconds
# of which the search has a tenth.
SEARCH = "bmc3 -F 40 -T {}"
PROOF = "dprove -b -r -m -j -T {}"
# Ports of an array's cell that are constants where it is read at once, and its clock.
NO_LOGIC = re.compile("-port (RD_(EN|CLK|ARST|SRST)|WR_CLK) ")
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


def preset_counters(module):
    """Gives the registers that the port with the counters shows another value after reset. Returns
    for each word of the port whether it shows one of these."""
    port = module.wire(public(COUNTERS))
    if port is None:
        return []
    drivers = {}
    for left, right in module.connections_:
        drivers.update(zip(bits(left), bits(right)))
    shown = bits(ys.SigSpec(port))
    for at, bit in enumerate(shown):
        while bit in drivers:
            bit = drivers[bit]
        shown[at] = bit
    words = [tuple(shown[at:at + WIDTH]) for at in range(0, len(shown), WIDTH)]
    # A maximum, to which nothing is added, would stay what it begins with.
    adders = [cell for cell in module.cells_.values() if str(cell.type) == "$add"]
    counted = {tuple(bits(cell.getPort(public(side)))) for cell in adders for side in "AB"}
    preset = set()
    for cell in module.cells_.values():
        if str(cell.type) != "$aldff" or not cell.getPort(public("AD")).is_fully_zero():
            continue
        register = bits(cell.getPort(public("Q")))
        reset = ""
        for at in range(0, len(register), WIDTH):
            word = tuple(register[at:at + WIDTH])
            is_counter = word in words and word in counted
            if is_counter:
                preset.add(word)
            reset = (BEGIN if is_counter else "0" * len(word)) + reset
        if "1" in reset:
            cell.setPort(public("AD"), ys.SigSpec(ys.Const.from_string(reset)))
    return [word in preset for word in words]


def show_counters_from_0(module, preset):
    """Takes from the port what the registers began with."""
    inner = module.wire(public(COUNTERS))
    module.rename(inner, public(COUNTERS + "_preset"))
    port = module.addWire(public(COUNTERS), inner.width)
    port.port_output, port.port_id = True, inner.port_id
    inner.port_output, inner.port_id = False, 0
    module.fixup_ports()
    for number, is_preset in enumerate(preset):
        begin = ys.SigSpec(ys.Const.from_string(BEGIN if is_preset else "0" * WIDTH))
        [of, to] = [ys.SigSpec(wire).extract(number * WIDTH, WIDTH) for wire in (inner, port)]
        module.addSub(public(f"from_0_{number}"), of, begin, to)


def clear_payloads(module, payloads):
    """Shows outputs that mean nothing as 0."""
    for name, valid in (pair.split(":") for pair in payloads.split()):
        inner = module.wire(public(name))
        module.rename(inner, public(name + "_inner"))
        outer = module.addWire(public(name), inner.width)
        outer.port_output, outer.port_id = True, inner.port_id
        inner.port_output, inner.port_id = False, 0
        module.fixup_ports()
        zero = ys.SigSpec(ys.Const.from_string("0" * inner.width))
        means = ys.SigSpec(module.wire(public(valid)))
        [here, there] = [ys.SigSpec(wire) for wire in (inner, outer)]
        module.addMux(public("clear_" + name), zero, here, means, there)


def hold_reset_first(module, clock, reset, trigger):
    """Has the two circuits begin with a cycle of reset, which nobody compares."""
    began = module.addWire(public("began"), 1)
    began = ys.SigSpec(began)
    one = ys.SigSpec(ys.Const.from_string("1"))
    module.addDff(public("begin"), ys.SigSpec(module.wire(public(clock))), one, began)
    for name, is_input in ((reset, True), (trigger, False)):
        inner = module.wire(public(name))
        module.rename(inner, public(name + "_inner"))
        outer = module.addWire(public(name), 1)
        inner.port_input = inner.port_output = False
        outer.port_input, outer.port_output = is_input, not is_input
        [here, there] = [ys.SigSpec(wire) for wire in ((outer, inner) if is_input else (inner, outer))]
        module.addAnd(public("gate_" + name), here, began, there)
    module.fixup_ports()


def plant(run, mutants):
    """All of them, of which an input chooses one."""
    for number, line in enumerate(mutants, 1):
        run(line.replace("mutate ", f"mutate -ctrl mutant_sel 16 {number} ", 1))


def write_netlist(module, run, task):
    """Draws mutants and writes the block with all of them. Returns them."""
    preset = preset_counters(module)
    listed, count = task["result"] + ".list", int(task["count"])
    run(f"mutate -list {count + count // 10 + 1} -seed {task['seed']} -o {listed}")
    with open(listed, encoding="utf-8") as lines:
        drawn = [line.strip() for line in lines if line.startswith("mutate ")]
    os.remove(listed)
    mutants = [line for line in drawn if not NO_LOGIC.search(line)][:count]
    plant(run, mutants)
    if any(preset):
        show_counters_from_0(module, preset)
    run("opt_clean")
    run(f"write_verilog -noattr -norename {task['verilog']}")
    return mutants


def write_miter(design, run, task):
    """Writes the block beside itself with all mutants, as gates."""
    top = task["top"]
    clear_payloads(design.top_module(), task["payloads"])
    run(f"design -copy-to gold -as gold {top}")
    with open(task["mutants"], encoding="utf-8") as lines:
        plant(run, lines.read().splitlines())
    run(f"rename {top} gate")
    run("design -copy-from gold -as gold gold")
    gold = design.module(public("gold"))
    gold.addWire(public("mutant_sel"), 16).port_input = True
    gold.fixup_ports()
    for command in ("memory_map", "async2sync", "opt_clean"):
        run(command)
    run("miter -equiv -flatten gold gate miter")
    run("hierarchy -top miter")
    hold_reset_first(design.top_module(), "in_clk_i", "in_rst_ni", "trigger")
    run("setattr -set init 1'b0 w:began")
    for command in TO_GATES:
        run(command)
    run(f"write_rtlil {task['miter']}")


def prove(design, run, task):
    """Whether outputs that mean something ever show the mutant, behind a reset and with memories
    that begin with 0."""
    run(f"read_rtlil {task['circuit']}")
    module = design.top_module()
    chosen = module.wire(public("in_mutant_sel"))
    chosen.port_input = False
    module.fixup_ports()
    module.connect(ys.SigSpec(chosen), ys.SigSpec(ys.Const(int(task["prove"]), 16)))
    aiger = task["result"] + ".aig"
    run(f"write_aiger -zinit {aiger}")
    abc = os.path.join(os.path.dirname(pyosys.__file__), "yosys-abc")

    def said(commands):
        script = f"read_aiger {aiger}; strash; {commands}; print_status"
        command = [abc, "-c", script]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    answer = "open"
    seconds = int(task["seconds"])
    search = max(1, seconds // 10)
    for commands in (SEARCH.format(search), PROOF.format(max(1, seconds - search))):
        output = said(commands)
        shown = re.search(r"Status = 0 .*Frame = +(\d+)", output)
        if shown:
            answer = f"shown {shown.group(1)}"
            break
        if "Status = 1 " in output:
            answer = "equivalent"
    os.remove(aiger)
    return answer


def main():
    task = dict(line.rstrip("\n").split(" ", 1) for line in sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (int(task["seconds"]),) * 2)
    design = ys.Design()
    log = task["result"] + ".log"

    def run(command):
        ys.run_pass(f"tee -q -o {log} {command}", design)

    if "prove" in task:
        result = [prove(design, run, task)]
    else:
        # What it says of the RTL is shown.
        ys.run_pass(task["read"], design)
        for command in TO_CELLS:
            run(command)
        if "miter" in task:
            result = []
            write_miter(design, run, task)
        else:
            result = write_netlist(design.top_module(), run, task)
    with open(task["result"], "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in result)


main()
