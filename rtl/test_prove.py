#!/usr/bin/env python3
"""What is proven. rtl/prove.py on copies of rtl/ with a fault in one module: the assertion that the
fault breaks must fail, and be named. What is true must be proven, what takes too long must not be
called proven, and assumptions that contradict each other must be noticed."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import lint

# Of each change: the module, its file, what is replaced, by what, more arguments; then the exit
# status and what must be said of assertions, or anything that must be said.
END = "endmodule"
QUEUE = ("test_queue", "common/test_queue/test_queue.sv")
COUNT = """  logic [31:0] cycles_q;
  logic late_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {late_q, cycles_q} <= '0;
    else {late_q, cycles_q} <= {late_q || cycles_q == LAST, cycles_q + 1};
  end
  `DUET_ASSERT(Early, cycles_q != LAST, "so many cycles")
  `DUET_ASSERT(Then, !late_q, "true while Early is")
endmodule"""
CHANGES = {
    "nothing": (
        *QUEUE, END, END, [], 0,
        {"CountLegal": "proven", "DoneStableValid": "proven", "DoneStableData": "proven"}),
    "FIFO that overflows": (
        *QUEUE, "count_q < 5'(Depth);", "count_q <= 5'(Depth);", [], 1, {"CountLegal": "failed"}),
    "valid that falls": (
        *QUEUE, "left_q[head_q] == 0;", "left_q[head_q] == 0 && !item_valid_i;", [], 1,
        {"CountLegal": "proven", "DoneStableValid": "failed"}),
    "payload that changes": (
        *QUEUE, "item_q[head_q] : '0;", "item_q[head_q] ^ item_i : '0;", [], 1,
        {"DoneStableValid": "proven", "DoneStableData": "failed"}),
    "pop of nothing": (
        "duet_delay_fifo", "common/duet_delay_fifo.sv", ".pop_i  (pop)", ".pop_i  (ready_i)", [], 1,
        {"u_fifo.NoUnderflow": "failed", "u_fifo.NoOverflow": "proven"}),
    "late failure": (
        *QUEUE, END, COUNT.replace("LAST", "32"), [], 1,
        {"Early": "failed", "Then": "failed", "CountLegal": "proven"}),
    "failure after hours": (
        *QUEUE, END, COUNT.replace("LAST", "32'h80000000"),
        ["--timeout", "6", "--depth", "20", "--require"], 1,
        {"Early": "bounded", "Then": "bounded", "CountLegal": "proven"}),
    "assumption that makes it true": (
        *QUEUE, END, COUNT.replace("LAST", "32")
        .replace("endmodule", "  `DUET_ASSUME(Few, cycles_q < 20, \"\")\nendmodule"),
        [], 0, {"Early": "proven", "Then": "proven"}),
    "assumptions that contradict each other": (
        *QUEUE, END, "  `DUET_ASSUME(Always, item_valid_i, \"\")\n"
        "  `DUET_ASSUME(Never, !item_valid_i, \"\")\nendmodule", [], 1,
        "no run of 16 cycles fulfils the assumptions"),
    "unknown name": (*QUEUE, "left_q[head_q] == 0;", "nosuch == 0;", [], 1, "nosuch"),
}

# Arguments that are refused, and what is said.
REFUSED = {
    ("--block", "nosuch"): "there is no block nosuch; there are ",
    ("--block", "test_queue", "--config", "nosuch"): "has no table nosuch; it has ",
}


def run(*arguments):
    """Exit status and what is said."""
    command = [sys.executable, os.path.join(lint.RTL, "prove.py"), *arguments]
    left = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return left.returncode, left.stdout


def attempt(change):
    """What is wrong with what is said of a change; None where nothing is."""
    block, part, old, new, arguments, wanted, expected = change
    with tempfile.TemporaryDirectory() as folder:
        rtl = os.path.join(folder, "rtl")
        shutil.copytree(lint.RTL, rtl)
        path = os.path.join(rtl, part)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        if text.count(old) != 1:
            return f"{part} no longer has the text that is replaced"
        with open(path, "w", encoding="utf-8") as out:
            out.write(text.replace(old, new))
        file = os.path.join(folder, "results.json")
        waves = os.path.join(folder, "waves")
        status, said = run("--rtl", rtl, "--block", block, "--json", file, "--trace", waves,
                           *arguments)
        if status != wanted:
            return f"exit status {status}\n{said}"
        if isinstance(expected, str):
            return None if expected in said else said
        with open(file, encoding="utf-8") as results:
            results = json.load(results)
        for assertion, result in expected.items():
            own = [one for one in results if one["assertion"] == assertion]
            wave = os.path.join(waves, f"{block}.{assertion}.vcd")
            if not own or any(one["result"] != result for one in own):
                return f"{assertion} is not {result}\n{said}"
            if os.path.exists(wave) != (result == "failed"):
                return f"{assertion} has no waveform, or one without a failure\n{said}"
    return None


def main():
    status, said = run("--quick", "--block", "test_queue")
    if "not installed" in said:
        print("test_prove: skipped, as pyosys is not installed", file=sys.stderr)
        return 0
    bad = [f"test_queue as it is: {said}"] if status else []
    for name, change in CHANGES.items():
        wrong = attempt(change)
        bad += [f"{name}: {wrong}"] if wrong else []
    for arguments, word in REFUSED.items():
        status, said = run(*arguments)
        if status != 2 or word not in said:
            bad.append(f"{' '.join(arguments)}: exit status {status}\n{said}")
    for text in bad:
        print(f"test_prove: {text}", file=sys.stderr)
    if not bad:
        print(f"test_prove: {len(CHANGES)} changes of the RTL have the results that they must have")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
