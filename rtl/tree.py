"""The folders of a tree of RTL: `common`, and blocks as `<block>` or, beside what the blocks of a family
share, as `<family>/<block>`."""

import glob
import os

COMMON = "common"


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


def folders(rtl, block):
    """Where what a block is made of lies: `common`, its family, its own folder."""
    place = places(rtl).get(block, block)
    family = os.path.dirname(place)
    wanted = dict.fromkeys(filter(None, [COMMON, family, place]))
    return [path for name in wanted if os.path.isdir(path := os.path.join(rtl, name))]


def top(rtl, block):
    """The file of a block's top module."""
    return os.path.join(folder(rtl, block), block + ".sv")


def sources(rtl, block):
    """The packages that a block may import, then its modules."""
    *above, own = folders(rtl, block)
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
