#!/usr/bin/env python3
"""Proves the assertions of rtl/: of every block in the configuration `small` of cosim/configs, or
in another one, and of modules of rtl/common that stand alone with the parameters in SHARED. Prints
a line for each assertion:

    proven   in all cycles; `cycle` is the length of the induction
    bounded  no run of up to `cycle` cycles breaks it; more is not known
    failed   a run from reset breaks it in the cycle `cycle`; --trace writes the run

    python3 rtl/prove.py [--block BLOCK] [--config NAME] [--trace FOLDER] ...

yosys (pyosys, with slang) makes an and-inverter graph of a block with its assertions. ABC, which is
in the same wheel, tries each alone by property directed reachability, an induction that finds what
it has to assume; then those that are left together, by an induction over STEP cycles; then each
again with all that is proven as an assumption; and last it looks for a run that breaks it.

Reset holds in cycle 0 and not later: registers without reset and memories begin with anything, so
that a later reset finds nothing else. Inputs are free but for what DUET_ASSUME and DUET_PROMISE say
in the module on top (rtl/common/duet_assert.svh); further down that is to be proven too. Of each
block it is seen that assumptions leave runs of REACHED cycles.

With --require the exit status is 1 unless each assertion is proven that rtl/*/unproven.txt does not
list. It is 5 without pyosys; with --quick, which leaves out what takes long, 0."""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import lint
import synth
import tree

# Modules of rtl/common that are proven alone, each with these parameters.
SHARED = {
    "duet_fifo": [{"Depth": 1}, {"Depth": 3}, {"Depth": 4}],
    "duet_pair_fifo": [{"Depth": 2}, {"Depth": 3}, {"Depth": 4}],
    "duet_delay_fifo": [{"Depth": 1}, {"Depth": 3}, {"Depth": 4}],
}

# Blocks that --quick leaves out.
LONG = {
    "coherence_directory", "cp_crossbar", "cta_scheduler", "depacketizer", "epoch_agent",
    "local_command_processor", "packetizer", "race_detection_unit", "remote_write_queue",
    "speculative_load_queue", "timestamp_l1", "timestamp_l2",
}

# How slang reads: with assertions, and arrays as flip-flops, as assertions look into them.
OPTIONS = ("--no-synthesis-define", "--no-implicit-memories", "-DDUET_PROVE")

# So many cycles after reset there are runs that no assumption forbids.
REACHED = 16

# Cycles in which the shortest run to a failure is looked for.
LONGEST = 10000

# Cycles of an induction over assertions that need each other.
STEP = 2

# Of the processor time that a block has: what a first attempt may use; of what is then left, what
# an induction over several assertions may, and after it proofs before bounded runs.
FIRST, TOGETHER, PROOFS = 0.3, 0.4, 0.6

UNPROVEN = "unproven.txt"


def targets(rtl, blocks, name, configs):
    """What is proven: module, name of its parameters, parameters."""
    for block in blocks:
        if block in SHARED:
            for given in SHARED[block]:
                shown = [f"{key}={value}" for key, value in given.items()]
                yield block, " ".join(shown), shown
            continue
        own = synth.family(rtl, block, configs)
        if name not in configs[own]:
            fail(f"cosim/configs/{own}.toml has no table {name}; it has {', '.join(configs[own])}")
        for each in synth.variants(block, name, configs[own]):
            yield block, each, synth.parameters(rtl, block, configs[own][each])


def fail(text):
    print(f"prove: {text}", file=sys.stderr)
    sys.exit(2)


def work():
    """In a process of its own, as an error of yosys ends it. What comes on stdin: the command that
    reads the module; the file for the graph; names of proven assertions, which are assumed; perhaps
    one assertion, the cycle in which it fails, and the file for the waveform."""
    from pyosys import libyosys as ys

    task = json.load(sys.stdin)
    design = ys.Design()

    def name(text):
        return ys.IdString("\\" + text)

    def run(*commands):
        for command in commands:
            ys.run_pass(command, design)

    def register(text, value, first):
        wire = top.wire(name(text)) or top.addWire(name(text), 1)
        top.addFf(name(f"{text}_register"), value, ys.SigSpec(wire))
        run(f"setattr -set init 1'{first} w:{text}")
        return ys.SigSpec(wire)

    def delayed(value, cycles, text):
        for k in range(cycles):
            value = register(f"prove_{text}_{k}", value, 0)
        return value

    run(task["read"], "proc", "flatten", "delete -port")
    top = next(iter(design.selected_modules()))
    reset, step = ys.SigSpec(top.wire(name("rst_ni"))), task.get("step")
    if step is None:
        register("rst_ni", ys.SigSpec(ys.State.S1, 1), 0)
    else:
        top.connect(reset, ys.SigSpec(ys.State.S1, 1))
        run("setattr -unset init w:*")

    broken = {}
    for cell in [c for c in top.selected_cells() if str(c.type) == "$check"]:
        label = str(cell.name).lstrip("\\")
        # Those of parameters have no clock: slang has looked at them.
        if cell.getParam(name("TRG_WIDTH")).as_int():
            # An assumption of a module inside of this one is to be proven.
            kind = cell.getParam(name("FLAVOR")).decode_string()
            assumed = (kind == "assume" and "." not in label) or label in task["assumed"]
            broken[label] = (assumed, top.And(
                name(f"prove_{len(broken)}"), cell.getPort(name("EN")),
                top.Not(name(f"prove_not_{len(broken)}"), cell.getPort(name("A")))))
        top.remove(cell)

    def still(text, signals):
        """1 while none of the signals has been 1 before, and that none has been up to now."""
        bad = ys.SigSpec(ys.State.S0, 1)
        for k, signal in enumerate(signals):
            bad = top.Or(name(f"prove_{text}_or_{k}"), bad, signal)
        wire = ys.SigSpec(top.addWire(name(f"prove_{text}_still"), 1))
        before = register(f"prove_{text}", wire, 1)
        top.addAnd(name(f"prove_{text}_and"), before, top.Not(name(f"prove_{text}_not"), bad), wire)
        return before, wire

    assumptions = [signal for assumed, signal in broken.values() if assumed]
    _, good = still("assumed", assumptions)
    outputs = {"": delayed(reset, REACHED, "reached")}
    outputs.update((label, signal) for label, (assumed, signal) in broken.items() if not assumed)
    if step is not None:
        # They held for some cycles, from any state on: do they in the next one?
        held, _ = still("held", [broken[label][1] for label in task["together"]])
        after = delayed(ys.SigSpec(ys.State.S1, 1), step, "after")
        good = top.And(name("prove_step"), good, top.And(name("prove_step_held"), held, after))
    for k, signal in enumerate(outputs.values()):
        wire = top.addWire(name(f"prove_bad_{k}"), 1)
        wire.port_output = True
        top.addAnd(name(f"prove_output_{k}"), signal, good, ys.SigSpec(wire))
    top.fixup_ports()
    run("opt_clean", "async2sync")
    if "trace" in task:
        output = list(outputs).index(task["failed"])
        run("opt", f"sat -seq 1 -maxsteps {task['cycle'] + 1} -tempinduct-baseonly -tempinduct "
            f"-prove prove_bad_{output} 0 -show-ports -show-public -dump_vcd {task['trace']}")
        return
    run("opt", "setundef -undriven -anyseq", "formalff -setundef -clk2ff -ff2anyinit", "opt -full",
        "techmap", "dffunmap", "opt", "aigmap", "opt_clean", "setundef -anyseq",
        f"write_aiger -I -zinit -no-startoffset {task['graph']}")
    with open(task["graph"] + ".json", "w", encoding="utf-8") as out:
        json.dump({"outputs": list(outputs), "assumptions": len(assumptions)}, out)


def yosys(**task):
    """Runs `work`. None, and messages on stderr, where it fails."""
    left = subprocess.run([sys.executable, os.path.abspath(__file__), "--work"], text=True,
                          input=json.dumps(task), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if left.returncode == 0:
        return left.stdout
    synth.print_errors(left.stdout.splitlines())
    return None


def abc(seconds, *commands):
    """What ABC says, and the processor time that it took; it is ended after `seconds` of it."""
    import pyosys

    program = os.path.join(os.path.dirname(pyosys.__file__), "yosys-abc")
    limit = max(1, round(seconds))
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(
            [program, "-c", "; ".join(commands)], stdout=out, stderr=subprocess.STDOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
        _, process.returncode, used = os.wait4(process.pid, 0)
        out.seek(0)
        return out.read(), used.ru_utime + used.ru_stime


def cone(graph, output):
    return [f"&read {graph}", f"&cone -O {output} -R 1", "&scl", "&put"]


def induce(graph, output, seconds):
    """Result, cycle and processor time of an attempt at a proof."""
    said, used = abc(seconds, *cone(graph, output), "pdr -a")
    failed = re.search(r"was asserted in frame +(\d+)", said)
    if failed:
        # The run is at least as long; a shortest one tells its cycle.
        result, cycle, more = bound(graph, output, LONGEST, max(10, seconds))
        return "failed", cycle if result == "failed" else int(failed.group(1)), used + more
    if "Proved output" in said:
        length = re.search(r"Invariant F\[(\d+)\]", said)
        return "proven", int(length.group(1)) if length else 0, used
    return "bounded", 0, used


def bound(graph, output, depth, seconds):
    """The same of a search for a run that breaks an assertion."""
    said, used = abc(seconds, *cone(graph, output), f"bmc3 -v -F {depth + 1}")
    failed = re.search(r"was asserted in frame +(\d+)", said)
    if failed:
        return "failed", int(failed.group(1)), used
    frames = [int(frame) for frame in re.findall(r"^ *(\d+) \+ : ", said, re.MULTILINE)]
    return "bounded", max(frames, default=0), used


def attempt(results, graph, outputs, seconds, method):
    """Tries all that is not decided; of the processor time that is left each has its share."""
    todo = [label for label in outputs if label and results[label]["result"] == "bounded"]
    for k, label in enumerate(todo):
        share = max(1, seconds / (len(todo) - k))
        result, cycle, used = method(graph, outputs.index(label), share)
        seconds -= used
        one = results[label]
        one.update(result=result, cycle=cycle, seconds=one["seconds"] + used)
    return max(0, seconds)


def together(results, graph, names, outputs, seconds):
    """Proves assertions that need each other: those that held for STEP cycles, together with all
    that is proven, hold in the next one. What does not is no longer taken to have held."""
    done = [label for label, one in results.items() if one["result"] == "proven"]
    group = []
    for label in [label for label, one in results.items() if one["result"] == "bounded"]:
        result, cycle, used = bound(graph, names.index(label), STEP, max(1, seconds / 4))
        seconds -= used
        results[label]["seconds"] += used
        if cycle >= STEP:
            group.append(label)
    while group and seconds > 0:
        names = outputs(done, step=STEP, together=group)
        kept = []
        for k, label in enumerate(group):
            share = max(1, seconds / (len(group) - k) / 2)
            result, cycle, used = bound(graph, names.index(label), STEP, share)
            seconds -= used
            results[label]["seconds"] += used
            if result == "bounded" and cycle >= STEP:
                kept.append(label)
        if kept == group:
            for label in group:
                results[label].update(result="proven", cycle=STEP)
            break
        group = kept
    return max(0, seconds)


def prove(rtl, target, arguments):
    """The results of a module, by assertion; None for one that cannot be read."""
    block, name, given = target
    seconds = arguments.timeout
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.aig")
        read = synth.read_command(rtl, block, given, folder, OPTIONS)

        def outputs(assumed, **more):
            if yosys(read=read, graph=graph, assumed=assumed, **more) is None:
                return None
            with open(graph + ".json", encoding="utf-8") as out:
                return json.load(out)["outputs"]

        first = outputs([])
        if first is None:
            return None
        results = {label: {"block": block, "config": name, "assertion": label, "result": "bounded",
                           "cycle": 0, "seconds": 0} for label in first if label}
        reached, _, _ = bound(graph, 0, REACHED + 1, seconds)
        if reached != "failed":
            print(f"prove: {block} {name}: no run of {REACHED} cycles fulfils the assumptions",
                  file=sys.stderr)
            return None
        left = seconds
        left -= FIRST * left - attempt(results, graph, first, FIRST * left, induce)

        def undecided():
            return [label for label, one in results.items() if one["result"] == "bounded"]

        def proven():
            return [label for label, one in results.items() if one["result"] == "proven"]

        if undecided():
            left -= TOGETHER * left - together(results, graph, first, outputs, TOGETHER * left)
        if undecided():
            # What is proven may be assumed: it holds in all cycles.
            again = outputs(proven())
            left -= PROOFS * left - attempt(results, graph, again, PROOFS * left, induce)
            attempt(results, graph, again, left,
                    lambda *args: bound(*args[:2], arguments.depth, args[2]))
        used = sum(one["seconds"] for one in results.values())
        print(f"prove: {block} {name}: {len(proven())} of {len(results)} proven in {used:.0f} s",
              file=sys.stderr)
        if arguments.trace:
            os.makedirs(arguments.trace, exist_ok=True)
        for label, one in results.items():
            if one["result"] == "failed" and arguments.trace:
                path = os.path.join(arguments.trace, f"{block}.{label}.vcd")
                yosys(read=read, graph=graph, assumed=[], failed=label, cycle=one["cycle"],
                      trace=path)
    return list(results.values())


def print_results(results):
    rows = [[one["block"], one["config"], one["assertion"], one["result"], one["cycle"],
             f"{one['seconds']:.1f}"] for one in results]
    synth.print_table(["block", "config", "assertion", "result", "cycle", "seconds"], rows, 4)


def print_markdown(results):
    """A line for each module, of all of its parameters."""
    print("| block | configuration | assertions | proven | bounded (cycles) | failed | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for key in dict.fromkeys((one["block"], one["config"]) for one in results):
        own = [one for one in results if (one["block"], one["config"]) == key]
        count = {word: [one for one in own if one["result"] == word]
                 for word in ("proven", "bounded", "failed")}
        bounded = count["bounded"]
        depths = sorted({one["cycle"] for one in bounded})
        shown = f"{len(bounded)} ({depths[0]} to {depths[-1]})" if depths else "0"
        print(f"| `{key[0]}` | {key[1]} | {len(own)} | {len(count['proven'])} | {shown} "
              f"| {len(count['failed'])} | {sum(one['seconds'] for one in own):.0f} |")


def unproven(rtl):
    """What need not be proven, as (block, assertion)."""
    found = set()
    for path in tree.beside(rtl, UNPROVEN):
        with open(path, encoding="utf-8") as lines:
            found |= {tuple(line.split()[:2]) for line in lines if line.strip() and line[0] != "#"}
    return found


def run(rtl, arguments):
    """The results of all that is asked for, and what could not be proven."""
    configs = synth.set_up(rtl)
    if configs is None:
        print("prove: make .tools/installed installs pyosys, which has yosys and ABC; it takes pip",
              file=sys.stderr)
        sys.exit(0 if arguments.quick else 5)
    known = tree.blocks(rtl) + (list(SHARED) if tree.common(rtl).startswith(rtl) else [])
    for block in arguments.block or []:
        if block not in known:
            fail(f"there is no block {block}; there are {', '.join(known)}")
    blocks = arguments.block or [b for b in known if not arguments.quick or b not in LONG]
    for block in [b for b in blocks if os.path.exists(os.path.join(tree.folder(rtl, b), "ibex.f"))]:
        print(f"prove: {block} has Ibex inside and is left out", file=sys.stderr)
        blocks.remove(block)
    todo = list(targets(rtl, blocks, arguments.config, configs))
    results, broken = [], []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for target, own in zip(todo, pool.map(lambda t: prove(rtl, t, arguments), todo)):
            if own is None:
                broken.append(f"{target[0]} {target[1]} could not be proven")
            results += own or []
    return results, broken


def main():
    parser = argparse.ArgumentParser(description="Proves the assertions of rtl/.")
    parser.add_argument("--rtl", default=lint.RTL, help="another folder with the blocks")
    parser.add_argument("--block", action="append",
                        help="this block or module of rtl/common only; may be repeated")
    parser.add_argument("--config", default="small",
                        help="named configuration of the blocks (default: small)")
    parser.add_argument("--depth", type=int, default=30,
                        help="cycles after which a search for a failure ends (default: 30)")
    parser.add_argument("--timeout", type=float, default=30,
                        help="processor time of ABC for a block, in seconds, but at least one "
                             "second for each attempt at an assertion (default: 30)")
    parser.add_argument("--json", metavar="FILE", help="write the results to FILE")
    parser.add_argument("--show", metavar="FILE", action="append",
                        help="prove nothing: take the results that --json wrote; may be repeated")
    parser.add_argument("--trace", metavar="FOLDER",
                        help="write a waveform (VCD) of each failure into FOLDER")
    parser.add_argument("--markdown", action="store_true", help="print counts, as Markdown")
    parser.add_argument("--quick", action="store_true", help="only what is proven in seconds")
    parser.add_argument("--require", action="store_true",
                        help="fail unless all is proven that rtl/*/unproven.txt does not list")
    arguments = parser.parse_args()
    rtl = os.path.abspath(arguments.rtl)
    tree.refuse_modules_of_duet(rtl)
    results, broken = [], []
    if arguments.show:
        for path in arguments.show:
            with open(path, encoding="utf-8") as file:
                results += json.load(file)
    else:
        results, broken = run(rtl, arguments)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)
            out.write("\n")
    if arguments.markdown:
        print_markdown(results)
    else:
        print_results(results)
    allowed = unproven(rtl) if arguments.require else set()
    for one in results:
        place = f"{one['block']} {one['config']}: {one['assertion']}"
        if one["result"] == "failed":
            broken.append(f"{place} fails in cycle {one['cycle']}")
        elif arguments.require and one["result"] != "proven" \
                and (one["block"], one["assertion"]) not in allowed:
            broken.append(f"{place} is not proven, and rtl/*/unproven.txt does not list it")
    for text in broken:
        print(f"prove: {text}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main())
