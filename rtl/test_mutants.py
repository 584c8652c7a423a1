#!/usr/bin/env python3
"""Mutants are drawn in one netlist and run in another one (`duet mutate`). Checks that a cell of the
first finds the cell of the second that stands in the same place, whatever passes of yosys number it,
and that mutants which close a loop of gates are found."""

import os
import sys
import tempfile

import lint

SCRIPTS = os.path.join(lint.RTL, "..", "cosim", "bodies", "src", "netlist")
# Rows of the order of two ways: alike but for the bits of `after` that they read.
ROW = """
  cell $and $auto$opt_expr.cc:768:replace_const_cells${number}
    parameter \\A_WIDTH 2
    parameter \\B_WIDTH 2
    parameter \\Y_WIDTH 2
    parameter \\A_SIGNED 0
    parameter \\B_SIGNED 0
    connect \\A \\after [{high}:{low}]
    connect \\B $mask
    connect \\Y $row{low}
  end
"""
MODULE = """
module \\order
  wire width 4 input 1 \\after
  wire width 2 $mask
  wire width 2 $row0
  wire width 2 $row2
{rows}end
"""
# Mutants 1 and 2 are in a loop by a gate that reads the choice, or its inverse; 3 is in none.
LOOP = """
module \\order
  wire input 1 \\chosen_1
  wire input 2 \\chosen_2
  wire input 3 \\chosen_3
  wire $not
  wire $a
  wire $b
  wire output 4 \\c
  cell $_NOT_ $1
    connect \\A \\chosen_2
    connect \\Y $not
  end
  cell $_AND_ $2
    connect \\A \\chosen_1
    connect \\B $b
    connect \\Y $a
  end
  cell $_AND_ $3
    connect \\A $not
    connect \\B $a
    connect \\Y $b
  end
  cell $_AND_ $4
    connect \\A \\chosen_3
    connect \\B $a
    connect \\Y \\c
  end
end
"""


def design_of(text):
    """From yosys' own text."""
    from pyosys import libyosys as ys

    design = ys.Design()
    with tempfile.NamedTemporaryFile("w", suffix=".il") as file:
        file.write(text)
        file.flush()
        ys.run_pass(f"tee -q read_rtlil {file.name}", design)
    ys.run_pass("tee -q hierarchy -top order", design)
    return design


def cells(read, rows):
    """The cells of rows, as number of the cell and first bit of `after`."""
    rows = "".join(ROW.format(number=n, low=low, high=low + 1) for n, low in rows)
    # A module lives as long as its design.
    design = design_of(MODULE.format(rows=rows))
    return read(design.top_module())


def in_loops(mutants):
    """Numbers of these mutants that `LOOP` has in its loop."""
    from pyosys import libyosys as ys

    from loops import cells_of_loops, closed_by

    design = design_of(LOOP)
    with tempfile.NamedTemporaryFile("r", suffix=".log") as log:
        ys.run_pass(f"tee -q -o {log.name} scc", design)
        return closed_by(design.top_module(), cells_of_loops(log.read()), mutants)


def main():
    sys.path[:0] = [os.path.join(lint.TOOLS, "python"), SCRIPTS]
    try:
        import pyosys  # noqa: F401
    except ImportError:
        print("test_mutants: skipped, as pyosys is not installed", file=sys.stderr)
        return 0
    from counterparts import Cells, Counterparts

    name = "$auto$opt_expr.cc:768:replace_const_cells$"
    drawn = cells(Cells, [(1, 0), (2, 2)])
    bad = []
    for rows in ([(7, 0), (9, 2)], [(9, 0), (7, 2)]):
        pairs = Counterparts(drawn, cells(Cells, rows))
        for number, low in ((1, 0), (2, 2)):
            wanted = next(n for n, of in rows if of == low)
            found = pairs.of(f"mutate -cell {name}{number} -port A -portbit 0").split()[2]
            if found != f"{name}{wanted}":
                place = f"cell {number}, of after[{low + 1}:{low}]"
                bad.append(f"{place}: must be {name}{wanted}, is {found}")
    conditional, other = "mutate -mode cnot1 -ctrlbit 3 -port A", "mutate -mode inv -port A"
    for mutants, wanted in (([conditional] * 3, {1, 2}), ([other, conditional, conditional], {2})):
        if (found := in_loops(mutants)) != wanted:
            bad.append(f"mutants that close a loop: must be {wanted}, are {found}")
    print("\n".join(bad) if bad else "PASS test_mutants: cells have their counterparts, loops are found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
