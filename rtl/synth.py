#!/usr/bin/env python3
"""Takes every block of rtl/ through yosys (pyosys, with slang) with -DSYNTHESIS, in the
configurations `small` and `paper` of cosim/configs or in those that are named. Fails, with the
block's name, on an error, on what yosys' `check` finds (loops, several drivers) and on a latch:
slang makes a loop of a value that an always_comb forgets, and a latch cell of an always_latch. The
latches of Ibex's own clock gates are named and let pass. Fails as well on a register that can never
get a value (undefined.py). Prints what each block is made of, and for `paper` the storage that the
papers state.

    python3 rtl/synth.py [--rtl FOLDER] [--block BLOCK] [CONFIG ...]

What is counted: cells are yosys' word-level cells after `proc; opt; memory -nomap; opt` (an adder
of 64 bits is one cell, so the number says how much there is to map, not how large it gets);
flip-flops are bits of registers outside of memories; memory bits are those of arrays, as RAM where
all reads are registered and as `other` where one is not. Nothing is mapped to a technology.

Without pyosys there is a notice and exit status 0; a block with Ibex inside is left out where Ibex
is missing."""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import lint
import tree
import undefined

# The one file whose latches are meant: a clock gate is a latch before an AND gate.
CLOCK_GATE = "prim_generic_clock_gating.sv"

# Arrays that are initialised word by word have more words than slang unrolls unasked.
UNROLL = 1 << 16

PASSES = ["opt", "memory -nomap", "opt", "check -assert"]

# Blocks of which the configuration with this suffix is taken as well: its protocol has logic of its
# own.
VARIANTS = {"timestamp_l1": "-tcs", "timestamp_l2": "-tcs"}

# Most lines of yosys that are shown of one failure.
LINES = 24

# Storage as the papers state it for the configuration `paper`: what, bits, source, and the bits of
# the same in the RTL, from the block's memories by name.
KIB = 8 * 1024
PAPERS = [
    (
        "remote_write_queue", "data of all banks", 48 * KIB, "FinePack, IV-B",
        lambda m: m["u_table.u_data.mem"],
    ),
    (
        "remote_write_queue", "data, masks of a bank each", 192 * 144 * 8, "FinePack, table III",
        lambda m: (m["u_table.u_data.mem"] + m["u_table.mask_q"]) // 2,
    ),
    (
        "depacketizer", "64 lines in the output buffer", 64 * 128 * 8, "FinePack, IV-B",
        lambda m: m["u_fifo.u_fifo.gen_ram.u_ram.mem"],
    ),
    (
        "coherence_directory", "8192 entries", 103 * KIB, "REC, 4.3",
        lambda m: m["u_table.u_ram.mem"],
    ),
    (
        "epoch_agent", "256 blocked stores", KIB, "STC, 7.5: 8 CUs have 8 kB",
        lambda m: m["u_queue.addr_q"],
    ),
]


def camel(field):
    return "".join(word.capitalize() for word in field.split("_"))


def names(rtl, block):
    """Parameters of the block's top module."""
    with open(tree.top(rtl, block), encoding="utf-8") as source:
        return re.findall(r"^  parameter int unsigned (\w+) *=", source.read(), re.MULTILINE)


def family(rtl, block, configs):
    """The file of cosim/configs whose tables have a field for each parameter of the block; of
    several the one with the fewest fields."""
    wanted = set(names(rtl, block))
    fields = {name: {camel(field) for field in tables["small"]} for name, tables in configs.items()}
    fitting = [name for name in fields if wanted <= fields[name]]
    if not fitting:
        sys.exit(f"synth: no family of cosim/configs has the parameters of rtl/{block}")
    return min(fitting, key=lambda name: len(fields[name]))


def variants(block, name, tables):
    """A configuration and, where the block has a variant of it, that one."""
    names = [name] + ([name + VARIANTS[block]] if block in VARIANTS else [])
    return [each for each in names if each in tables]


def constant(rtl, block, name):
    """Value of a constant of the packages that the block's top module imports; None without one."""
    with open(tree.top(rtl, block), encoding="utf-8") as source:
        packages = re.findall(r"^  import (\w+)::", source.read(), re.MULTILINE)
    for package in packages:
        for folder in tree.folders(rtl, block):
            path = os.path.join(folder, package + ".sv")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as text:
                    pattern = rf"localparam int unsigned {name} *= *(\d+);"
                    found = re.search(pattern, text.read())
                if found:
                    return found.group(1)
    return None


def parameters(rtl, block, config):
    """`Name=value` for each parameter of the block's top module. An enumeration's value is the
    constant that is called after both."""
    fields = {camel(field): value for field, value in config.items()}
    given = []
    for name in names(rtl, block):
        value = fields[name]
        if isinstance(value, str):
            wanted = name + value.capitalize()
            value = constant(rtl, block, wanted)
            if value is None:
                sys.exit(f"synth: no package that rtl/{block} imports has {wanted}")
        given.append(f"{name}={value}")
    return given


def ibex_arguments(rtl, block, folder):
    """Arguments for a block with Ibex inside. yosys refuses one line of it, a variable that is
    initialised from nets: read is a copy in which it is the net that is meant."""
    lists = [path for path in [os.path.join(tree.folder(rtl, block), "ibex.f")] if os.path.exists(path)]
    if not lists:
        return []
    with open(os.path.join(os.environ["IBEX"], "rtl", "ibex_top.sv"), encoding="utf-8") as source:
        text = source.read().replace("logic unused_scramble_inputs", "wire unused_scramble_inputs")
    copy = os.path.join(folder, "ibex_top.sv")
    with open(copy, "w", encoding="utf-8") as out:
        out.write(text)
    return [arg for path in lists for arg in ("-f", path)] + [copy]


def read_command(rtl, top, given, folder, options=("-DSYNTHESIS",)):
    """The command that reads a block, or a module of rtl/common, with the parameters `given`."""
    common = tree.common(rtl)
    files = tree.sources(rtl, top)
    if top not in tree.places(rtl):
        files += [os.path.join(common, top + ".sv")]
    arguments = ["read_slang", *options, "--unroll-limit", str(UNROLL), "--top", top]
    for place in tree.folders(rtl, top):
        arguments += ["-I", place, "-y", place]
    for parameter in given:
        arguments += ["-G", parameter]
    arguments += ibex_arguments(rtl, top, folder)
    return " ".join(arguments + files)


def cells(design):
    """The cells of the one module that is left, as (type, cell)."""
    for module in design.selected_modules():
        for cell in module.selected_cells():
            yield str(cell.type).lstrip("\\"), cell


def work():
    """In a process of its own, as an error of yosys ends it: the command that reads the block comes
    on stdin, with the name of the file into which the counts go."""
    from pyosys import libyosys as ys

    task = json.load(sys.stdin)
    design = ys.Design()

    def number(cell, name):
        return cell.getParam(ys.IdString("\\" + name)).as_int()

    ys.run_pass(task["read"], design)
    ys.run_pass("proc", design)
    latches = []
    for kind, cell in cells(design):
        if re.match(r"\$(_?DLATCH|_?dlatch|adlatch|_?SR_|sr$)", kind):
            latches.append(cell.get_src_attribute())
    ys.run_pass("opt_clean", design)
    ys.run_pass(f"write_json {task['result']}.netlist", design)
    with open(f"{task['result']}.netlist", encoding="utf-8") as netlist:
        (module,) = json.load(netlist)["modules"].values()
    for command in PASSES:
        ys.run_pass(command, design)
    result = {"latches": latches, "undefined": undefined.Module(module).undefined()}
    result |= {"cells": 0, "flops": 0, "ram": 0, "other": 0, "memories": {}}
    for kind, cell in cells(design):
        result["cells"] += 1
        if re.match(r"\$(a|s|al)?dff", kind):
            result["flops"] += number(cell, "WIDTH")
        if kind.startswith("$mem") and number(cell, "WR_PORTS") > 0:
            bits = number(cell, "WIDTH") * number(cell, "SIZE")
            name = cell.getParam(ys.IdString("\\MEMID")).decode_string().lstrip("\\")
            clocked = cell.getParam(ys.IdString("\\RD_CLK_ENABLE")).as_string()
            result["memories"][name] = bits
            result["other" if "0" in clocked else "ram"] += bits
        if kind in ("$check", "$assert", "$assume", "$cover", "$print"):
            sys.exit(f"ERROR: {kind} at {cell.get_src_attribute()}: synthesis sees an assertion")
    with open(task["result"], "w", encoding="utf-8") as out:
        json.dump(result, out)


def print_errors(lines):
    """What yosys says of a failure."""
    said = [n for n, line in enumerate(lines) if "ERROR" in line or line.startswith("Warning")]
    shown = sorted({k for n in said for k in range(n, min(n + 3, len(lines)))})
    print("\n".join(lines[k] for k in shown[:LINES]) or "\n".join(lines[-LINES:]), file=sys.stderr)


def synthesise(rtl, block, config):
    """The counts of a block. None, and messages on stderr, for one that fails."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        read = read_command(rtl, block, parameters(rtl, block, config), folder)
        task = json.dumps({"read": read, "result": result})
        left = subprocess.run([sys.executable, os.path.abspath(__file__), "--work"], input=task,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if left.returncode == 0 and os.path.exists(result):
            with open(result, encoding="utf-8") as counts:
                return json.load(counts)
    lines = left.stdout.splitlines()
    print_errors(lines)
    if any("logic loop" in line for line in lines):
        print("synth: a value that is not assigned on every path is a loop too", file=sys.stderr)
    return None


def stray_latches(block, name, found):
    """Says which latches are meant; the others."""
    gates = [at for at in found if os.path.basename(at.split(":")[0]) == CLOCK_GATE]
    if gates:
        print(f"synth: {block} {name}: {len(gates)} latches in clock gates of Ibex ({CLOCK_GATE})")
    return [at for at in found if at not in gates]


def print_table(titles, rows, left):
    """Of each row `left` values are text, which stands on the left."""
    rows = [titles] + [[str(value) for value in row] for row in rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(titles))]
    for row in rows:
        shown = [v.ljust(w) if k < left else v.rjust(w) for k, (v, w) in enumerate(zip(row, widths))]
        print("  ".join(shown).rstrip())


def print_papers(memories):
    print("\nstorage of configuration paper, in bytes: paper, RTL")
    for block, what, bits, source, ours in PAPERS:
        if block in memories:
            have = ours(memories[block])
            print(f"{block:20}  {what:32}  {bits // 8:6}  {have // 8:6}  {source}")


def configurations(rtl):
    """The folder with the named configurations of a tree of RTL."""
    own, duet = os.path.join(os.path.dirname(os.path.abspath(rtl)), "configs"), os.path.dirname(lint.RTL)
    return own if os.path.isdir(own) else os.path.join(duet, "cosim", "configs")


def set_up(rtl=lint.RTL):
    """Lets this process and those that it starts import pyosys. The named configurations by family;
    None, with a notice, where it is missing."""
    sys.path.insert(0, os.path.join(lint.TOOLS, "python"))
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], inherited]))
    try:
        import pyosys  # noqa: F401
        import tomllib
    except ImportError as error:
        print(f"{error.name} is not installed, nothing is synthesised", file=sys.stderr)
        return None
    configs = {}
    for path in glob.glob(os.path.join(configurations(rtl), "*.toml")):
        with open(path, "rb") as file:
            configs[os.path.basename(path).removesuffix(".toml")] = tomllib.load(file)
    return configs


def main():
    parser = argparse.ArgumentParser(description="Takes the blocks of rtl/ through yosys.")
    parser.add_argument("--rtl", default=lint.RTL, help="another folder with the blocks")
    parser.add_argument("--block", action="append", help="this block only; may be repeated")
    parser.add_argument("config", nargs="*", help="named configurations (default: small paper)")
    arguments = parser.parse_args()
    rtl = os.path.abspath(arguments.rtl)
    tree.refuse_modules_of_duet(rtl)
    configs = set_up(rtl)
    if configs is None:
        return 0
    blocks = tree.blocks(rtl)
    for block in arguments.block or []:
        if block not in blocks:
            sys.exit(f"synth: {rtl} has no block {block}; it has {', '.join(blocks)}")
    blocks = arguments.block or blocks
    if lint.ibex():
        os.environ["IBEX"] = lint.ibex()  # the file list names it
    else:
        for block in [b for b in blocks if os.path.exists(os.path.join(tree.folder(rtl, b), "ibex.f"))]:
            print(f"synth: Ibex is not installed, rtl/{block} is left out", file=sys.stderr)
            blocks.remove(block)
    rows, failed, memories = [], [], {}
    runs = []
    for name in arguments.config or ["small", "paper"]:
        for block in blocks:
            own = family(rtl, block, configs)
            if name not in configs[own]:
                sys.exit(f"synth: cosim/configs/{own}.toml has no table {name}")
            runs += [(each, block, configs[own][each])
                     for each in variants(block, name, configs[own])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda run: synthesise(rtl, run[1], run[2]), runs)
        for (name, block, _), counts in zip(runs, results):
            stray = stray_latches(block, name, counts["latches"]) if counts else []
            for at in stray:
                print(f"synth: rtl/{block}: latch at {at}", file=sys.stderr)
            never = counts["undefined"] if counts else []
            for register in never[:LINES]:
                print(f"synth: rtl/{block}: {register} never gets a value", file=sys.stderr)
            if counts is None or stray or never:
                failed.append(f"rtl/{block} in configuration {name}")
                continue
            rows.append([block, name] + [counts[key] for key in ("cells", "flops", "ram", "other")])
            if name == "paper":
                memories[block] = counts["memories"]
    titles = ["block", "config", "cells", "flip-flops", "RAM bits", "other memory bits"]
    print_table(titles, rows, 2)
    if memories:
        print_papers(memories)
    for place in failed:
        print(f"synth: {place} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main())
