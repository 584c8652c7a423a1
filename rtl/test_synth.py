#!/usr/bin/env python3
"""What is synthesised. rtl/synth.py on copies of rtl/ with a fault in one block: each must fail and
name the block. And a proof that duet_ram, which is written once for simulators and once for
synthesis, is the same memory in both."""

import os
import shutil
import subprocess
import sys
import tempfile

import lint
import tree

BLOCK = "packetizer"
COMMON = os.path.join(lint.RTL, tree.COMMON)
# Of each fault: the part it is put into, what is replaced there, by what, and what must be said.
FAULTS = {
    "value without a default": (
        "packetizer_chunk.sv", "    chunk_len_o = '0;\n", "", "logic loop"),
    "always_latch": (
        "packetizer_entry.sv", "assign mask_d = accept ? drain_i.mask : run_rest_i;",
        "always_latch if (accept) mask_d = drain_i.mask;", "latch at "),
    "loop": (
        "packetizer_entry.sv", "held_q && room_i;", "held_q && (room_i || drain_ready_o);",
        "logic loop"),
    "assertion": (
        "packetizer_entry.sv", "endmodule",
        "  always_comb assert (held_q || !append_o);\nendmodule", "synthesis sees an assertion"),
    "register without a value": (
        "packetizer_entry.sv", "endmodule",
        "  (* keep *) logic turn_q;\n  always_ff @(posedge clk_i) turn_q <= !turn_q;\nendmodule",
        "turn_q[0] never gets a value"),
    "unknown name": (
        "packetizer_entry.sv", "held_q && room_i;", "held_q && nosuch;", "nosuch"),
}

# duet_ram with a mask whose lanes are whole, as its users give it one.
RAM = """
module lanes (
  input  logic clk_i, wr_i, rd_i,
  input  logic [1:0] wr_addr_i, rd_addr_i,
  input  logic [2:0] lanes_i,
  input  logic [8:0] wr_data_i,
  output logic [8:0] rd_data_o
);
  duet_ram #(.Depth(4), .Width(9), .LaneWidth(3)) u_ram (
    .clk_i, .wr_i, .wr_addr_i, .wr_data_i, .rd_i, .rd_addr_i, .rd_data_o,
    .wr_mask_i({{3{lanes_i[2]}}, {3{lanes_i[1]}}, {3{lanes_i[0]}}})
  );
endmodule
"""


def prove(common, wrapper):
    """In a process of its own, as yosys ends it where the proof fails: `common` is the folder of
    duet_ram, `wrapper` a file with RAM."""
    from pyosys import libyosys as ys

    design = ys.Design()
    read = f"read_slang --top lanes -I {common} -y {common} {wrapper}"
    for define, name in [("SYNTHESIS", "gold"), ("VERILATOR", "gate")]:
        for command in [f"{read} -D{define}", "proc; memory; opt_clean", f"rename lanes {name}"]:
            ys.run_pass(command, design)
    for command in ["equiv_make gold gate both", "hierarchy -top both",
                    "equiv_simple; equiv_induct; equiv_status -assert"]:
        ys.run_pass(command, design)


def proven(common):
    """Whether the two texts of duet_ram in the folder `common` are the same memory."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = os.path.join(folder, "lanes.sv")
        with open(wrapper, "w", encoding="utf-8") as out:
            out.write(RAM)
        command = [sys.executable, os.path.abspath(__file__), "--prove", common, wrapper]
        left = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return left.returncode == 0 and "Equivalence successfully proven" in left.stdout


def tell_ram_texts_apart():
    """What is wrong with the proof."""
    if not proven(COMMON):
        return ["duet_ram is another memory in simulation than in synthesis"]
    with tempfile.TemporaryDirectory() as folder:
        common = os.path.join(folder, "common")
        shutil.copytree(COMMON, common)
        path = os.path.join(common, "duet_ram.sv")
        with open(path, encoding="utf-8") as source:
            text = source.read()
        with open(path, "w", encoding="utf-8") as out:
            out.write(text.replace("(wr_data_i & wr_mask_i)", "wr_data_i"))
        return ["a difference between the texts of duet_ram is not found"] if proven(common) else []


def run(rtl):
    """Exit status and what is said of the block in `rtl`."""
    script = os.path.join(lint.RTL, "synth.py")
    command = [sys.executable, script, "--rtl", rtl, "--block", BLOCK, "small"]
    left = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return left.returncode, left.stdout


def main():
    path = [os.path.join(lint.TOOLS, "python"), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    status, said = run(lint.RTL)
    if "not installed" in said:
        print("test_synth: skipped, as pyosys is not installed", file=sys.stderr)
        return 0
    bad = [] if status == 0 else [f"the sources as they are: {said}"]
    for name, (part, old, new, word) in FAULTS.items():
        with tempfile.TemporaryDirectory() as folder:
            rtl = os.path.join(folder, "rtl")
            shutil.copytree(lint.RTL, rtl)
            path = os.path.join(tree.folder(rtl, BLOCK), part)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            if text.count(old) != 1:
                bad.append(f"{name}: {part} no longer has the text that is replaced")
                continue
            with open(path, "w", encoding="utf-8") as out:
                out.write(text.replace(old, new))
            status, said = run(rtl)
        place = f"rtl/{BLOCK} in configuration small failed"
        if status != 1 or place not in said or word not in said:
            bad.append(f"{name}: exit status {status}\n{said}")
    bad += tell_ram_texts_apart()
    with tempfile.TemporaryDirectory() as folder:
        rtl = os.path.join(folder, "rtl")
        shutil.copytree(tree.folder(lint.RTL, BLOCK), os.path.join(rtl, BLOCK))
        status, said = run(rtl)
        both = os.path.join(rtl, BLOCK), tree.folder(lint.RTL, BLOCK)
        if status == 0 or not all(place in said for place in both):
            bad.append(f"a module of duet in another tree: exit status {status}\n{said}")
    for text in bad:
        print(f"test_synth: {text}", file=sys.stderr)
    if not bad:
        print(f"test_synth: each of {len(FAULTS)} faults is found; duet_ram is one memory")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--prove"]:
        prove(*sys.argv[2:])
    else:
        sys.exit(main())
