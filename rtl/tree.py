"""The folders of a tree of RTL: `common`, and blocks as `<block>` or, beside what the blocks of a family
share, as `<family>/<block>`."""

import functools
import glob
import os

COMMON = "common"
# duet's own RTL.
OWN = os.path.dirname(os.path.abspath(__file__))


@functools.cache
def places(rtl):
    """The folder of each block, seen from the tree, by the block's name."""
    found = {}
    for path in sorted(glob.glob(os.path.join(rtl, "*", "*.sv")) +
                       glob.glob(os.path.join(rtl, "*", "*", "*.sv"))):
        folder, name = os.path.split(path)
        block = name.removesuffix(".sv")
        if os.path.basename(folder) == block:
            place = os.path.relpath(folder, rtl)
            if block in found:
                raise SystemExit(f"{rtl}: {block} lies in {found[block]} and in {place}")
            found[block] = place
    return found


def blocks(rtl):
    """The names of the blocks."""
    return sorted(places(rtl))


def folder(rtl, block):
    """The folder of a block."""
    return os.path.join(rtl, places(rtl).get(block, block))


def common(rtl):
    """The shared modules: duet's own where the tree has none."""
    folder = os.path.join(rtl, COMMON)
    return folder if os.path.isdir(folder) else os.path.join(OWN, COMMON)


def folders(rtl, block):
    """Where what a block is made of lies: `common`, its family, its own folder."""
    place = places(rtl).get(block)
    own = [os.path.join(rtl, name) for name in (os.path.dirname(place), place) if name] if place else []
    return list(dict.fromkeys([common(rtl), *own]))


def refuse_modules_of_duet(rtl):
    """Ends the program where a tree has a block of duet as well. A copy of duet's own tree, which has `common`, is none."""
    if os.path.abspath(rtl) != OWN:
        own = places(OWN)
        for block, place in places(rtl).items():
            if block in own and not os.path.isdir(os.path.join(rtl, COMMON)):
                raise SystemExit(f"{block} lies in {os.path.join(rtl, place)} and in {os.path.join(OWN, own[block])}")


def top(rtl, block):
    """The file of a block's top module."""
    return os.path.join(folder(rtl, block), block + ".sv")


def sources(rtl, block):
    """The packages that a block may import, then its modules."""
    *above, own = folders(rtl, block)
    if block not in places(rtl):
        above, own = [own], ""
    modules = sorted(glob.glob(os.path.join(own, "*.sv")))
    packages = [p for place in above for p in sorted(glob.glob(os.path.join(place, "*_pkg.sv")))]
    packages += [path for path in modules if path.endswith("_pkg.sv")]
    return packages + [path for path in modules if path not in packages]


def families(rtl):
    """The folders of blocks that have a family, and `common`."""
    found = {os.path.dirname(place) for place in places(rtl).values()} | {COMMON}
    return sorted(found - {""})


def beside(rtl, name):
    """The files of this name of all families."""
    paths = (os.path.join(rtl, family, name) for family in families(rtl))
    return [path for path in paths if os.path.exists(path)]
