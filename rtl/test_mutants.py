#!/usr/bin/env python3
"""Mutants are drawn in one netlist and run in another one (`duet mutate`). Checks that a cell of the
first finds the cell of the second that stands in the same place, whatever passes of yosys number it."""

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


def cells(read, rows):
    """The cells of rows, as number of the cell and first bit of `after`."""
    from pyosys import libyosys as ys

    text = MODULE.format(rows="".join(ROW.format(number=n, low=low, high=low + 1) for n, low in rows))
    design = ys.Design()
    with tempfile.NamedTemporaryFile("w", suffix=".il") as file:
        file.write(text)
        file.flush()
        ys.run_pass(f"tee -q read_rtlil {file.name}", design)
    ys.run_pass("tee -q hierarchy -top order", design)
    return read(design.top_module())


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
    print("\n".join(bad) if bad else "PASS test_mutants: cells have their counterparts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
