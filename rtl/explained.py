#!/usr/bin/env python3
"""Plants bugs into the RTL of blocks, one at a time, and asks `duet explain` about each that lockstep
sees: `make explained`.

A bug is one of yosys' `mutate`, drawn by a seed, in the netlist that yosys makes of the block in its
configuration `small`; registers keep their names there, assertions go. What is told is right

- by its port, where no output of the block is nearer to the mutated cell, counted in registers;
- by its rule, where it is one that a tag of the cell's source names (`tags.py`): the tag of the
  cell's lines that assign the mutated signal, else the nearest tag about its line, else about the
  instance that its module is in. Of a register's flip-flop: those of all that assign the register;
- by a name, as it was judged before there were tags: a rule that is quoted has a name that stands
  on a source line of the cell, or, for a cell of rtl/common/, on the line that puts its module
  there.

The block runs by itself, and so is known beforehand; with `--machine` it is one of many in a GPU whose
blocks are all RTL, and has to be found from a wrong value, a deadlock or an assertion. Prints a line
for each bug; exit status 1 where for fewer than nine of ten the block and the first rule are right."""

import argparse
import collections
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import lint
import synth
import tags
import tree

RTL = lint.RTL
DUET = os.environ.get("DUET") or os.path.join(os.path.dirname(RTL), "target", "release", "duet")
# GPUs that together have each block.
MACHINES = [line.split() for line in (
    "--system cpelide-2-small --set machine.gpus=2 --workload reuse",
    "--system rec-4gpu-small --set l2.design=rec --workload reuse",
    "--system stc-8cu-small --set l1.design=stc-mb --workload jacobi2d",
    "--system fermi-16sm-small --set l1.design=race-spec --workload reuse",
)]
# Mutants of a block from which one is drawn at a time.
DRAWN = 400
# Of ten, so many must be right.
LEAST = 9
NAME = re.compile(r"[A-Za-z_]\w*")
# Words of SystemVerilog and of sentences, which name nothing of a block.
WORDS = set("if else begin end logic assign case for int unsigned and or not in of the a is".split())


def work(task):
    """In a process of its own, as an error of yosys ends it: lists mutants, or applies one."""
    from pyosys import libyosys as ys

    read, block, mutant, out = task
    design = ys.Design()
    ys.run_pass(read.replace("read_slang", "read_slang --keep-hierarchy", 1), design)
    ys.run_pass(f"hierarchy -top {block}", design)
    for command in ("proc", "opt_clean"):
        ys.run_pass(command, design)
    if mutant.isdigit():
        ys.run_pass(f"mutate -list {DRAWN} -seed {mutant} -o {out}", design)
        ys.run_pass("flatten", design)
        ys.run_pass(f"write_json {out}.json", design)
        return
    ys.run_pass(mutant, design)
    ys.run_pass("bwmuxmap", design)
    ys.run_pass(f"write_verilog -noattr {out}", design)


def yosys(read, block, mutant, out):
    """Runs `work`. False where yosys fails."""
    words = [sys.executable, os.path.abspath(__file__), "--work", read, block, mutant, out]
    left = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return left.returncode == 0 and os.path.exists(out)


def head(block):
    """Of the block's top module all up to the end of its ports."""
    with open(tree.top(RTL, block), encoding="utf-8") as source:
        text = source.read()
    end = re.search(rf"^module {block}\b.*?^\);", text, re.S | re.M).end()
    return text[:end]


def plant(block, netlist, folder):
    """A folder with all RTL, in which the block's body is its netlist."""
    rtl = os.path.join(folder, "rtl")
    shutil.rmtree(rtl, ignore_errors=True)
    shutil.copytree(RTL, rtl)
    own = tree.folder(rtl, block)
    for path in glob.glob(os.path.join(own, "*.sv")):
        if not path.endswith("_pkg.sv"):
            os.remove(path)
    with open(netlist, encoding="utf-8") as source:
        text = source.read()
    # Behind the block's ports stand those of the netlist, vectors of as many bits as their structs
    # have. It has no instance of its own: registers keep their places.
    names, body = re.search(
        rf"^module {block}\((.*?)\);\n(.*?^endmodule\n)", text, re.S | re.M).groups()
    for name in re.findall(r"\w+", names):
        body = re.sub(rf"(?<![\\.\w]){name}(?![.\w])", f"{name}_bits", body)
        is_input = re.search(rf"^ *input +[^;]*\b{name}_bits;", body, re.M)
        ends = (f"{name}_bits", name) if is_input else (name, f"{name}_bits")
        body = re.sub(rf"^ *(input|output) +([^;]*\b{name}_bits;)", "", body, flags=re.M)
        body = body.replace("endmodule", "assign {} = {};\nendmodule".format(*ends))
    others = re.sub(rf"^module {block}\(.*?^endmodule\n", "", text, flags=re.S | re.M)
    off = "".join(f"/* verilator lint_off {name} */\n" for name in (
        "WIDTH", "UNUSED", "UNDRIVEN", "CASEINCOMPLETE", "UNOPTFLAT", "DECLFILENAME", "PINCONNECTEMPTY",
        "SELRANGE", "CMPCONST", "LATCH", "PROCASSINIT", "GENUNNAMED", "CASEX", "ASCRANGE", "UNSIGNED",
        "PINMISSING", "BLKSEQ", "ENUMVALUE", "VARHIDDEN", "COMBDLY", "CASEOVERLAP", "MULTIDRIVEN", "SYMRSVDWORD",
    ))
    with open(os.path.join(own, block + ".sv"), "w", encoding="utf-8") as out:
        out.write(f"{off}{head(block)}\n{body}{others}")
    return rtl


def stems(text):
    """The names in a text, without direction and `_q`."""
    return {re.sub(r"_[oiqd]$", "", name) for name in NAME.findall(text)} - WORDS


def instance(path):
    """Of the instances on this path, such as `block.u_a.u_fifo`, the last one in the block's own
    files: the statement that puts it there."""
    module, *inner = path.split(".")
    folder, statement = tree.folder(RTL, module), ""
    for name in inner:
        file = os.path.join(folder, module + ".sv")
        if not os.path.exists(file):
            break
        with open(file, encoding="utf-8") as source:
            text = re.sub(r"//.*", "", source.read())
        put = rf"\b(\w+)\s*(?:#\s*\([^;]*?\)\s*)?\b{re.escape(name)}\s*\([^;]*;"
        if found := re.search(put, text):
            module, statement = found.group(1), found.group(0)
    return statement


def of_tree(path):
    """A path below some folder `rtl`, seen from there."""
    return path.rpartition("rtl/")[2]


def names_at(mutant):
    """Names on the source lines of a mutant's cell."""
    found = set()
    for path, first, last in re.findall(r"-src (\S+?):(\d+)\.\d+(?:-(\d+)\.\d+)?", mutant):
        folder = of_tree(os.path.dirname(path))
        with open(os.path.join(RTL, folder, os.path.basename(path)), encoding="utf-8") as source:
            lines = source.read().splitlines()
        # A block of a case is no line.
        last = min(int(last or first), int(first) + 2)
        for line in lines[int(first) - 1:last]:
            found |= stems(line.split("//")[0])
        if folder == "common":
            found |= stems(instance(re.search(r"-module \S+?\$(\S+)", mutant).group(1)))
    return found


def lines_of(path):
    with open(path, encoding="utf-8") as source:
        return source.read().splitlines()


def instances(module_path):
    """Of a path such as `block.u_a.u_fifo` where its instances stand, the innermost first: file and
    line."""
    module, *inner = module_path.split(".")
    files = {name: path for folder in tree.folders(RTL, module)
             for name, path in ((os.path.basename(path)[:-3], path) for path in
                                glob.glob(os.path.join(folder, "*.sv")))}
    found = []
    for name in inner:
        text = "\n".join(re.sub(r"//.*", "", line) for line in lines_of(files[module]))
        put = re.search(rf"\b{re.escape(name.split('[')[0])}\s*\(", text)
        if not put:
            continue
        begin = text.rfind(";", 0, put.start()) + 1
        of = next((word for word in NAME.finditer(text, begin, put.start())
                   if word.group() in files), None)
        if of is None:
            break
        found.append((files[module], text[:of.start()].count("\n") + 1))
        module = of.group()
    return found[::-1]


def assigning(lines, name, first, last):
    """The lines, from 1, of this part of a file that assign a signal or a register."""
    target = rf"\b{re.escape(name)}\b(?:\[[^=]*\]|\.\w+)*\s*(?:[-+&|^]|<)?=(?!=)"
    return [number for number in range(first, min(last, len(lines)) + 1)
            if re.search(target, lines[number - 1].split("//")[0])]


def rules_at(block, mutant, readmes):
    """The rules of a mutant's cell, each as README and line."""
    wire = re.search(r"-wire (\S+)", mutant)
    wire = re.split(r"[.\[]", wire.group(1))[0] if wire else None
    ranges = [(path, int(first), int(last or first)) for path, first, last in
              re.findall(r"-src (\S+?):(\d+)\.\d+(?:-(\d+)\.\d+)?", mutant)]
    # The first is where the wire is declared, if it has a name.
    ranges = ranges[1:] if wire and len(ranges) > 1 else ranges
    keys = []
    for path, first, last in ranges:
        path = os.path.join(RTL, of_tree(path))
        lines = lines_of(path)
        if register := re.search(r"\$driver\$(\w+)_q((?:\.\w+)*)", mutant):
            names = [register.group(1) + end + register.group(2) for end in ("_q", "_d")]
            at = [n for name in names for n in assigning(lines, name, 1, len(lines))]
            at = [n for n in at if not re.search(r"<= *\w+_d;|_d *= *\w+_q;", lines[n - 1])] or at
        else:
            at = assigning(lines, wire, first, last) if wire else []
        for number in at or [first]:
            keys += tags.nearest(lines, number)
        if keys:
            break
    if not keys:
        module = re.search(r"-module (?:\S+\$)?(\S+)", mutant).group(1)
        for file, number in instances(module):
            if keys := tags.nearest(lines_of(file), number):
                break
    return {tags.rule(block, key, readmes) for key in keys}


def nearest(netlist, block, mutant):
    """The outputs of the block that the fewest registers part from a mutant's cell."""
    with open(netlist, encoding="utf-8") as file:
        module = json.load(file)["modules"][block]
    words = dict(re.findall(r"-(module|cell|port|portbit) (\S+)", mutant))
    _, _, inner = words["module"].partition("$")[2].partition(".")
    plain = lambda name: name.replace("$flatten", "").replace("\\", "")  # noqa: E731
    cell = ".".join(filter(None, (inner, plain(words["cell"]))))
    readers = collections.defaultdict(list)
    outputs = {}
    for name, of in module["cells"].items():
        ends = of["port_directions"]
        given = [bit for port in ends if ends[port] == "output" for bit in of["connections"][port]]
        is_register = "dff" in of["type"] or "mem" in of["type"]
        outputs[name] = (is_register, given)
        for port in ends:
            for bit in of["connections"][port] if ends[port] == "input" else ():
                readers[bit].append(name)
    # Cells by their distance, those behind a register after all others.
    start = [given for name, (_, given) in outputs.items() if plain(name) == cell]
    if not start:
        # An instance: what is wrong is one of its ports.
        wire = module["netnames"][f"{cell}.{words['port']}"]
        start = [[wire["bits"][int(words.get("portbit", 0))]]]
    distance, queue = {}, collections.deque([(0, bit) for bit in start[0]])
    while queue:
        registers, bit = queue.popleft()
        if distance.get(bit, registers + 1) <= registers:
            continue
        distance[bit] = registers
        for name in readers[bit]:
            is_register, given = outputs[name]
            put = queue.append if is_register else queue.appendleft
            for next_bit in given:
                put((registers + is_register, next_bit))
    far = {name: min((distance[bit] for bit in port["bits"] if bit in distance), default=None)
           for name, port in module["ports"].items() if port["direction"] == "output"}
    least = min((registers for registers in far.values() if registers is not None), default=None)
    return {name for name, registers in far.items() if registers == least}


def duet(words, folder, **variables):
    """Runs it: exit status, what it prints, what is wrong. Each body runs once, so compiling takes
    longest."""
    environment = {**os.environ, "CXXFLAGS": "-O0", **variables}
    left = subprocess.run(
        [DUET, *words], cwd=folder, env=environment, text=True, capture_output=True)
    return left.returncode, left.stdout, left.stderr


def explain(words, folder):
    """What is told of the bug in this run; None where it passes."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    status, _, problem = duet(words, folder)
    if status == 0:
        return None
    if status in (2, 5):
        sys.exit(f"explained: {' '.join(words)}: {problem}")
    status, told, problem = duet(["explain", "--trust"], folder)
    if status != 0:
        sys.exit(f"explained: {' '.join(words)}: {problem}")
    return told


def in_machines(folder):
    """Of each block that a machine has: the machine, and the block's configuration there."""
    found = {}
    for number, machine in enumerate(MACHINES):
        cache = os.path.join(folder, f"cache{number}")
        build = [word for word in machine if word != "--workload"][:-1]
        status, _, problem = duet(["bodies", "build", *build], folder, DUET_CACHE=cache)
        if status != 0:
            sys.exit(f"explained: {problem}")
        listed = duet(["bodies", "list"], folder, DUET_CACHE=cache)[1]
        for block, parameters in re.findall(r"^(\w+) +\d+ B +plain +(.*)$", listed, re.M):
            pairs = re.findall(r"(\w+)=(\d+)", parameters)
            field = lambda name: re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()  # noqa: E731
            config = {field(name): int(value) for name, value in pairs}
            found.setdefault(block, (machine, config))
        shutil.rmtree(cache)
    return found


def main():
    parser = argparse.ArgumentParser(description="Plants bugs and asks duet explain about them.")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=200000)
    parser.add_argument("--block", action="append", help="of these blocks only")
    parser.add_argument("--machine", action="store_true", help="in a GPU of RTL blocks")
    parser.add_argument("--told", action="store_true", help="print what is told of each")
    arguments = parser.parse_args()
    configs = synth.set_up()
    if configs is None:
        return 0
    # A netlist of Ibex is none of ours.
    blocks = [b for b in tree.blocks(RTL) if not os.path.exists(os.path.join(tree.folder(RTL, b), "ibex.f"))]
    blocks = arguments.block or blocks
    draw = random.Random(arguments.seed)
    counts, seen, readmes = collections.Counter(), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        machines = in_machines(folder) if arguments.machine else {}
        blocks = [block for block in blocks if not machines or block in machines]
        while seen < arguments.count:
            block = draw.choice(blocks)
            words = ["cosim", block, "--cycles", str(arguments.cycles)]
            config = configs[synth.family(RTL, block, configs)]["small"]
            if machines:
                machine, config = machines[block]
                words = ["run", *machine, "--impl", "*=rtl"]
            given = synth.parameters(RTL, block, config)
            read = synth.read_command(RTL, block, given, folder)
            listed, netlist = (os.path.join(folder, name) for name in ("list.txt", "netlist.v"))
            for path in (listed, netlist):
                if os.path.exists(path):
                    os.remove(path)
            if not yosys(read, block, str(draw.randrange(1 << 20)), listed):
                sys.exit(f"explained: yosys does not read rtl/{block}")
            with open(listed, encoding="utf-8") as lines:
                mutant = draw.choice(lines.read().splitlines())
            if not yosys(read, block, mutant, netlist):
                sys.exit(f"explained: yosys does not write rtl/{block}")
            told = explain([*words, "--rtl", plant(block, netlist, folder)], folder)
            instance_of = re.search(r"-module (?:\S+\$)?(\S+)", mutant).group(1)
            source = re.search(r"-src \S*?([^/]+:\d+)", mutant)
            bug = f"{instance_of}, {source.group(1) if source else 'no source line'}"
            if told is None:
                print(f"{bug}: not seen by {' '.join(words)}", flush=True)
                continue
            if arguments.told:
                print(f"{mutant}\n{told}", flush=True)
            seen += 1
            port = re.search(r"^port +(\S+)", told, re.M)
            rules = re.findall(r"^rule .*\n((?: {13}.*\n)+)", told, re.M)
            names = names_at(mutant)
            common = sorted(names & stems(" ".join(rules)))
            # Fields of a port, and of its entries.
            port = re.split(r"[.[]", port.group(1))[0] if port else "none"
            is_nearest = port in nearest(f"{listed}.json", block, mutant)
            is_found = bool(re.search(rf"^block +(\S+/)?{block},", told, re.M))
            expected = rules_at(block, mutant, readmes)
            quoted = re.findall(r"^rule +(?:\S*/)?(\w+)/README\.md:(\d+)", told, re.M)
            quoted = [(readme, int(number)) for readme, number in quoted]
            is_first = is_found and bool(expected & set(quoted[:1]))
            counts.update({
                "first": is_first, "any": is_found and bool(expected & set(quoted)),
                "block": is_found, "port": is_nearest, "name": bool(common),
                "first name": bool(names & stems("".join(rules[:1]))),
            })
            shown = " ".join(f"{readme}:{number}" for readme, number in sorted(expected))
            told_of = " ".join(f"{readme}:{number}" for readme, number in quoted)
            print(f"{bug}: block {'' if is_found else 'not '}found, "
                  f"port {port}, {'' if is_nearest else 'not '}nearest; "
                  f"rule {shown}, quoted {told_of or 'none'}: "
                  f"{'right' if is_first else 'not first' if expected & set(quoted) else 'wrong'}",
                  flush=True)
    print(f"explained: of {seen} {counts['first']} right by the first rule, {counts['any']} by any; "
          f"{counts['block']} by the block, {counts['port']} by the port, {counts['name']} by a name "
          f"in a rule, {counts['first name']} in the first")
    return 0 if counts["first"] * 10 >= seen * LEAST else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2:])
    else:
        sys.exit(main())
